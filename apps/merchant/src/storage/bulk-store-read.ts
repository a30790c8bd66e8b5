import type { Kysely } from 'kysely';
import type { BulkRowState, BulkRows } from '../contract/bulk-view.ts';
import type { BulkIssues, KeptBulk, RowFilter, WaitingRow } from './bulk-records.ts';
import type { Tables } from './tables.ts';

/** One bulk, or the latest ones, with the number of rows in each state. */
export async function findBulks(
  database: Kysely<Tables>,
  { id, limit }: { readonly id?: string; readonly limit: number },
): Promise<KeptBulk[]> {
  let wanted = database.selectFrom('bulks');
  if (id !== undefined) wanted = wanted.where('id', '=', id);
  const bulks = await wanted
    .select(['id', 'name', 'created_at', 'state', 'problem'])
    .orderBy('position', 'desc')
    .limit(limit)
    .execute();
  const counts = await countRows(
    database,
    bulks.map((bulk) => bulk.id),
  );
  return bulks.map(({ id, name, created_at, state, problem }) => {
    const counted = counts.get(id) ?? [];
    return {
      id,
      name,
      createdAt: created_at.toISOString(),
      state,
      counts: Object.fromEntries(counted),
      rows: counted.reduce((sum, [, count]) => sum + count, 0),
      ...(problem === null ? {} : { problem }),
    };
  });
}

async function countRows(database: Kysely<Tables>, ids: readonly string[]) {
  const counts = new Map<string, [BulkRowState, number][]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return counts;
  const counted = await database
    .selectFrom('bulk_rows')
    .select(['bulk_id', 'state'])
    .select((row) => row.fn.countAll().as('count'))
    .where('bulk_id', 'in', ids)
    .groupBy(['bulk_id', 'state'])
    .execute();
  for (const { bulk_id, state, count } of counted) counts.get(bulk_id)?.push([state, Number(count)]);
  return counts;
}

/** Rows in the order of the file, and how many fit the filter in all. */
export async function listRows(
  database: Kysely<Tables>,
  id: string,
  { state, after = 0, offset = 0, limit }: RowFilter,
): Promise<BulkRows> {
  let fitting = database.selectFrom('bulk_rows').where('bulk_id', '=', id);
  if (state) fitting = fitting.where('state', '=', state);
  const rows = await fitting
    .select(['row', 'line', 'token', 'update', 'issues', 'state', 'attempts', 'status'])
    .where('row', '>', after)
    .orderBy('row')
    .offset(offset)
    .limit(limit)
    .execute();
  const { total } = await fitting.select((row) => row.fn.countAll().as('total')).executeTakeFirstOrThrow();
  return {
    rows: rows.map(({ attempts, status, issues, ...row }) => ({
      ...row,
      issues: issues as BulkIssues,
      ...(attempts === null ? {} : { attempts }),
      ...(status === null ? {} : { status }),
    })),
    total: Number(total),
  };
}

/** Rows that wait, in the order of the file. */
export function listWaiting(
  database: Kysely<Tables>,
  id: string,
  { after = 0, limit }: Pick<RowFilter, 'after' | 'limit'>,
): Promise<WaitingRow[]> {
  return database
    .selectFrom('bulk_rows')
    .select(['row', 'token', 'update'])
    .where('bulk_id', '=', id)
    .where('state', '=', 'waiting')
    .where('row', '>', after)
    .orderBy('row')
    .limit(limit)
    .execute();
}
