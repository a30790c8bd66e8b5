import type { Kysely } from 'kysely';
import type { BulkRows, BulkState } from '../contract/bulk-view.ts';
import type { BulkSteps, KeptBulk, NewBulkRow, RowFilter, WaitingRow } from './bulk-records.ts';
import { findBulks, listRows, listWaiting } from './bulk-store-read.ts';
import { hasWaiting, insertRows, interruptRows, markRows, settleRows, waitAgain } from './bulk-store-rows.ts';
import type { Tables } from './tables.ts';

/** Where bulks and their rows are kept. */
export interface BulkStore {
  /** Keeps a file's rows, all or none: a row with issues is `bad`, the others wait. */
  add(bulk: { readonly id: string; readonly name: string }, rows: readonly NewBulkRow[]): Promise<void>;
  find(id: string): Promise<KeptBulk | undefined>;
  /** The latest bulks, newest first. */
  list(limit: number): Promise<readonly KeptBulk[]>;
  listRows(id: string, filter: RowFilter): Promise<BulkRows>;
  /** Rows that wait, in the order of the file. */
  listWaiting(id: string, page: Pick<RowFilter, 'after' | 'limit'>): Promise<readonly WaitingRow[]>;
  /**
   * Makes a bulk `running`. Rows that were not sent wait again, unless a later row of the same order was sent since: an
   * earlier one must not undo it. False when it runs already, or nothing waits.
   */
  start(id: string): Promise<boolean>;
  /** Stores which rows may leave, and what became of others, together. */
  write(id: string, steps: BulkSteps): Promise<void>;
  /** Makes a running bulk `paused` while what is on its way ends. */
  pause(id: string): Promise<void>;
  /** Stores that nothing is on its way: the bulk is `done` when nothing waits and there is no problem, else `paused`. */
  end(id: string, problem?: string): Promise<void>;
  /** Chooses for every row of unknown outcome of a bulk that does not run; gives how many there were. */
  decide(id: string, choice: 'waiting' | 'discarded'): Promise<number>;
  /** What a start of the process finds left behind: rows in `sending` become `unknown`, bulks that ran `paused`. */
  recover(): Promise<void>;
  /** Forgets a bulk that does not run, and its rows. False when there is none. */
  remove(id: string): Promise<boolean>;
}

/** Keeps bulks in the tables `bulks` and `bulk_rows`. */
export function createBulkStore(database: Kysely<Tables>): BulkStore {
  const inTransaction = <T>(change: (transaction: Kysely<Tables>) => Promise<T>): Promise<T> =>
    database.transaction().execute(change);

  return {
    add: (bulk, rows) =>
      inTransaction(async (transaction) => {
        await transaction
          .insertInto('bulks')
          .values({ ...bulk, state: 'preview', problem: null })
          .execute();
        await insertRows(transaction, bulk.id, rows);
      }),

    async find(id) {
      const [found] = await findBulks(database, { id, limit: 1 });
      return found;
    },

    list: (limit) => findBulks(database, { limit }),
    listRows: (id, filter) => listRows(database, id, filter),
    listWaiting: (id, page) => listWaiting(database, id, page),

    start: (id) =>
      inTransaction(async (transaction) => {
        if (await isMissingOrRunning(transaction, id)) return false;
        await waitAgain(transaction, id);
        if (!(await hasWaiting(transaction, id))) return false;
        await setState(transaction, id, { state: 'running', problem: null });
        return true;
      }),

    write: (id, { marked, settled }) =>
      inTransaction(async (transaction) => {
        await markRows(transaction, id, marked);
        await settleRows(transaction, id, settled);
      }),

    async pause(id) {
      await database
        .updateTable('bulks')
        .set({ state: 'paused' })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .execute();
    },

    end: (id, problem) =>
      inTransaction(async (transaction) => {
        await interruptRows(transaction, id);
        const state = problem !== undefined || (await hasWaiting(transaction, id)) ? 'paused' : 'done';
        await setState(transaction, id, { state, problem: problem ?? null });
      }),

    decide: (id, choice) =>
      inTransaction(async (transaction) => {
        if (await isMissingOrRunning(transaction, id)) return 0;
        const { numUpdatedRows } = await transaction
          .updateTable('bulk_rows')
          .set({ state: choice })
          .where('bulk_id', '=', id)
          .where('state', '=', 'unknown')
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }),

    recover: () =>
      inTransaction(async (transaction) => {
        await interruptRows(transaction);
        await transaction
          .updateTable('bulks')
          .set({ state: 'paused' })
          .where('state', '=', 'running')
          .execute();
      }),

    remove: (id) =>
      inTransaction(async (transaction) => {
        if (await isMissingOrRunning(transaction, id)) return false;
        // Its rows go with it.
        await transaction.deleteFrom('bulks').where('id', '=', id).execute();
        return true;
      }),
  };
}

/** Looks, and keeps others from changing the bulk until the transaction ends. */
async function isMissingOrRunning(transaction: Kysely<Tables>, id: string): Promise<boolean> {
  const bulk = await transaction
    .selectFrom('bulks')
    .select('state')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return bulk === undefined || bulk.state === 'running';
}

async function setState(
  transaction: Kysely<Tables>,
  id: string,
  change: { readonly state: BulkState; readonly problem: string | null },
): Promise<void> {
  await transaction.updateTable('bulks').set(change).where('id', '=', id).execute();
}
