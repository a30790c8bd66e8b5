import { orderOf, type Workload } from './workload.ts';

/** What went wrong on the way, by the ledger of the service. */
export interface LedgerFaults {
  /** Updates that never arrived. */
  readonly lost: number;
  /** Times that an update arrived again. */
  readonly repeated: number;
  /** Updates that arrived after a later one of their order. */
  readonly outOfOrder: number;
}

/** Holds the numbers of the updates applied, in the order applied, against what was enqueued. */
export function checkLedger(applied: Iterable<number>, workload: Workload): LedgerFaults {
  const seen = new Set<number>();
  const latest = new Map<number, number>();
  let repeated = 0;
  let outOfOrder = 0;
  for (const index of applied) {
    const order = orderOf(index, workload);
    const before = latest.get(order) ?? -1;
    if (seen.has(index)) repeated++;
    else if (index < before) outOfOrder++;
    seen.add(index);
    latest.set(order, Math.max(before, index));
  }
  return { lost: workload.updates - seen.size, repeated, outOfOrder };
}
