import { readFileSync } from 'node:fs';
import type { LedgerEntry } from '@orders/testing';
import { parse } from 'csv-parse/sync';

/** A CSV file of updates, each of which names its row. Row 1 is the header. */
export function createBulkFile(rows: number, tokens: readonly string[]): string {
  const lines = ['token,order_id,cart.items[0].sku,cart.items[0].quantity,cart.items[0].unit_price'];
  for (let row = 2; row < rows + 2; row++)
    lines.push(`${tokens[row % tokens.length]},row-${row},mug,2,${row * 100}`);
  return `${lines.join('\n')}\n`;
}

/** How often each row was applied. */
export function countByRow(ledger: readonly LedgerEntry[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { body } of ledger) {
    const row = rowOf(body.order_id);
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  return counts;
}

const rowOf = (orderId = ''): number => Number(orderId.slice('row-'.length));

/** Rows that were applied after a later row of their order. */
export function findOutOfOrder(ledger: readonly LedgerEntry[]): readonly number[] {
  const latest = new Map<string, number>();
  const found: number[] = [];
  for (const { token, body } of ledger) {
    const row = rowOf(body.order_id);
    if (row < (latest.get(token) ?? 0)) found.push(row);
    latest.set(token, Math.max(row, latest.get(token) ?? 0));
  }
  return found;
}

export interface ResultRow {
  readonly row: string;
  readonly token: string;
  readonly outcome: string;
  readonly decided: string;
  readonly status: string;
  readonly code: string;
  readonly request_id: string;
  readonly attempts: string;
  readonly sent_at: string;
  readonly message: string;
}

export function readResult(file: string): readonly ResultRow[] {
  return parse(readFileSync(file), { columns: true });
}
