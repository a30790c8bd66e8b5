import { sql, type Transaction } from 'kysely';
import type { OpenedDatabase } from './opened-database.ts';
import type { Tables } from './tables.ts';

/** Runs a change of several steps as one: all of them are stored, or none. Inside, use nothing but the transaction given. */
export type RunChange = <T>(steps: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>;

/** The number of changes among PostgreSQL's advisory locks, chosen at random once. */
const changeLock = sql`select pg_advisory_xact_lock(7274201655385143412)`;

/**
 * Makes changes run one after another. So a change sees all that was stored before it, and events become visible in the
 * order of their numbers: whoever asks for those after a number misses none.
 */
export function createRunChange({ database, hold }: Pick<OpenedDatabase, 'database' | 'hold'>): RunChange {
  return async (steps) => {
    await hold();
    return database.transaction().execute(async (transaction) => {
      await changeLock.execute(transaction);
      return steps(transaction);
    });
  };
}
