import type { HeldMemory } from '../workload/held-memory.ts';
import { outcomeCodes } from './outcome-codes.ts';
import { tokenOf } from './soak-workload.ts';

/** What both sides saw of a soak. */
export interface SoakRecord {
  /** For each update, the place of its outcome in `outcomeCodes`. */
  readonly outcomes: Uint8Array;
  /** The updates that each service applied, in that order. */
  readonly applied: readonly (readonly number[])[];
  /** How often each fault was met. */
  readonly faults: Readonly<Record<string, number>>;
  /** Calls that settled more than once. */
  readonly repeated: number;
  /** At the end of each leg. */
  readonly held: readonly HeldMemory[];
  /** Sockets of the client, at the end of each leg. */
  readonly sockets: readonly number[];
  readonly socketsAfterClose: number;
  readonly concurrency: number;
}

export interface SoakCheck {
  readonly check: string;
  readonly found: string;
  readonly holds: boolean;
}

/** What a client may hold more at the end than after the first leg, in MiB. */
const mostGrowth = { heap: 4, buffers: 16 };
/** Sockets for each update on its way: undici rather opens another than wait until one is told to be free. */
const mostSockets = 4;

/** Holds what the client said against what the service did. */
export function judgeSoak(record: SoakRecord): SoakCheck[] {
  const { outcomes, concurrency } = record;
  const times = timesApplied(record);
  const count = (code: (typeof outcomeCodes)[number], isWanted: (times: number) => boolean): number => {
    const wanted = outcomeCodes.indexOf(code);
    return outcomes.reduce(
      (sum, outcome, index) => sum + Number(outcome === wanted && isWanted(times[index] ?? 0)),
      0,
    );
  };
  const always = (): boolean => true;
  const ledger = times.reduce((sum, each) => sum + each, 0);
  const applied = count('applied', always);
  const unknownApplied = count('unknown', (each) => each > 0);
  const none = (check: string, found: number): SoakCheck => ({
    check,
    found: String(found),
    holds: found === 0,
  });
  const most = (check: string, unit: string, [bound, found]: readonly [number, number]): SoakCheck => ({
    check: `${check}: at most ${bound}${unit}`,
    found: `${Number(found.toFixed(2))}${unit}`,
    holds: found <= bound,
  });
  return [
    none('calls that never settled', count('none', always)),
    none('calls that settled more than once', record.repeated),
    none(
      'applied, and not once in the ledger',
      count('applied', (each) => each !== 1),
    ),
    none(
      'rejected, and in the ledger',
      count('rejected', (each) => each > 0),
    ),
    none(
      'not sent, and in the ledger',
      count('not_sent', (each) => each > 0),
    ),
    none(
      'unknown, and more than once in the ledger',
      count('unknown', (each) => each > 1),
    ),
    {
      check: 'applied + unknown in the ledger = ledger',
      found: `${applied} + ${unknownApplied} = ${ledger}`,
      holds: applied + unknownApplied === ledger,
    },
    none('updates that overtook another of their order', overtakings(record)),
    most('heap, last leg over the first', ' MiB', [mostGrowth.heap, growthOf(record, 'heap')]),
    most('buffers, last leg over the first', ' MiB', [mostGrowth.buffers, growthOf(record, 'buffers')]),
    most('sockets at the end', '', [mostSockets * concurrency, record.sockets.at(-1) ?? 0]),
    none('sockets after close', record.socketsAfterClose),
  ];
}

function growthOf({ held }: SoakRecord, part: keyof HeldMemory): number {
  return ((held.at(-1)?.[part] ?? 0) - (held[0]?.[part] ?? 0)) / 1_048_576;
}

/** How many calls came to each outcome. */
export function countOutcomes({ outcomes }: Pick<SoakRecord, 'outcomes'>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const name = outcomeCodes[outcome] ?? 'none';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function timesApplied({ outcomes, applied }: SoakRecord): Uint8Array {
  const times = new Uint8Array(outcomes.length);
  for (const index of applied.flat()) times[index] = (times[index] ?? 0) + 1;
  return times;
}

/** An update of unknown outcome holds nobody back, so only the others must come in order. */
function overtakings({ outcomes, applied }: SoakRecord): number {
  const certain = outcomeCodes.indexOf('applied');
  let found = 0;
  for (const leg of applied) {
    const last = new Map<string, number>();
    for (const index of leg) {
      if (outcomes[index] !== certain) continue;
      const token = tokenOf(index);
      if ((last.get(token) ?? -1) > index) found += 1;
      last.set(token, index);
    }
  }
  return found;
}
