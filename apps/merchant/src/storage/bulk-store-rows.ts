import type { Kysely } from 'kysely';
import type { BulkIssues, NewBulkRow, SettledRow } from './bulk-records.ts';
import type { Tables } from './tables.ts';

/** As many rows as one statement takes well. */
const rowsAtOnce = 500;

export async function insertRows(
  database: Kysely<Tables>,
  id: string,
  rows: readonly NewBulkRow[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const values = rows.slice(start, start + rowsAtOnce).map(({ issues, ...row }) => ({
      ...row,
      bulk_id: id,
      issues: JSON.stringify(issues),
      state: issues.length > 0 ? ('bad' as const) : ('waiting' as const),
      attempts: null,
      status: null,
    }));
    await database.insertInto('bulk_rows').values(values).execute();
  }
}

/** Stores that bytes of these rows may leave. */
export async function markRows(database: Kysely<Tables>, id: string, rows: readonly number[]): Promise<void> {
  if (rows.length > 0) await updateRows(database, id, rows).set({ state: 'sending' }).execute();
}

/** Stores what became of rows: those of which the same is told share a statement. */
export async function settleRows(
  database: Kysely<Tables>,
  id: string,
  settled: readonly SettledRow[],
): Promise<void> {
  const alike = Map.groupBy(settled, ({ row: _, ...told }) => JSON.stringify(told));
  for (const rows of alike.values()) {
    const [{ state, issues, attempts = null, status = null }] = rows as [SettledRow];
    await updateRows(
      database,
      id,
      rows.map(({ row }) => row),
    )
      .set({ state, attempts, status, issues: JSON.stringify(issues) })
      .execute();
  }
}

function updateRows(database: Kysely<Tables>, id: string, rows: readonly number[]) {
  return database.updateTable('bulk_rows').where('bulk_id', '=', id).where('row', 'in', rows);
}

const interrupted: BulkIssues = [
  {
    path: '',
    code: 'interrupted',
    message: 'The desk was interrupted before it could store what became of this update',
    hint: 'Look at the order, then send it again or discard it.',
  },
];

/** Makes rows of which nothing more will be heard `unknown`: those of one bulk, or of all. */
export async function interruptRows(database: Kysely<Tables>, id?: string): Promise<void> {
  let rows = database
    .updateTable('bulk_rows')
    .set({ state: 'unknown', issues: JSON.stringify(interrupted) })
    .where('state', '=', 'sending');
  if (id !== undefined) rows = rows.where('bulk_id', '=', id);
  await rows.execute();
}

/** Lets rows that were not sent wait again, but for those that a later row of the same order has overtaken. */
export async function waitAgain(database: Kysely<Tables>, id: string): Promise<void> {
  await database
    .updateTable('bulk_rows as row')
    .set({ state: 'waiting' })
    .where('row.bulk_id', '=', id)
    .where('row.state', '=', 'not_sent')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('bulk_rows as later')
            .select('later.row')
            .where('later.bulk_id', '=', id)
            .whereRef('later.token', '=', 'row.token')
            .whereRef('later.row', '>', 'row.row')
            .where('later.state', 'in', ['applied', 'unknown']),
        ),
      ),
    )
    .execute();
}

export async function hasWaiting(database: Kysely<Tables>, id: string): Promise<boolean> {
  const waiting = await database
    .selectFrom('bulk_rows')
    .select('row')
    .where('bulk_id', '=', id)
    .where('state', '=', 'waiting')
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}
