import { PGlite } from '@electric-sql/pglite';
import { fromPglite } from 'pg-boss';
import { lockFolder, unusableFolder } from './lock-folder.ts';
import { openFolder } from './open-folder.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { Sql } from './sql.ts';

/** As much of a `PGlite` as the outbox uses. */
export interface PgliteDatabase extends Sql {
  query<Row>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  exec(text: string): Promise<{ rows: unknown[] }[]>;
  transaction<T>(run: (tx: Sql) => Promise<T>): Promise<T>;
  listen(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
}

/**
 * Keeps an outbox in a folder of this machine, by PGlite, for one process at a time; without a folder, or in a PGlite
 * of your own, wherever that is: then one outbox for each `schema`. It survives `kill -9`; it does not survive a power
 * cut, since PGlite never calls fsync: run PostgreSQL where that matters. What is stored can be read by the user of this
 * process alone.
 *
 * @throws TypeError when the path is empty.
 * @throws OutboxError `folder_in_use` when another process uses the folder, `folder_unusable` when it cannot be used.
 */
export async function pgliteStore(folderOrDatabase?: string | PgliteDatabase): Promise<OutboxStore> {
  if (typeof folderOrDatabase === 'object') return storeOf(folderOrDatabase, 'PGlite', async () => {});
  if (folderOrDatabase === undefined) {
    const database = await PGlite.create();
    return storeOf(database, 'memory', () => database.close());
  }
  if (folderOrDatabase === '') {
    throw new TypeError('pgliteStore: give the path of a folder, or nothing for an outbox in memory.');
  }
  const lock = await lockFolder(folderOrDatabase);
  try {
    const database = await openFolder(lock.dataFolder);
    return storeOf(database, folderOrDatabase, async () => {
      await database.close();
      lock.release();
    });
  } catch (error) {
    lock.release();
    throw unusableFolder(folderOrDatabase, error);
  }
}

function storeOf(database: PgliteDatabase, place: string, close: () => Promise<void>): OutboxStore {
  return {
    exclusive: true,
    place,
    // There is one connection, and whoever has it waits for nobody.
    maxWaiting: Number.POSITIVE_INFINITY,
    query: (text, values) => database.query(text, values),
    run: (text, values) => database.query(text, values),
    transaction: (run) => database.transaction(run),
    alone: (_, run) => run(),
    async attend({ channel, onMessage, onGap }) {
      const unsubscribe = await database.listen(channel, onMessage);
      onGap();
      return { work: async () => {}, close: () => unsubscribe() };
    },
    queue: { backend: 'pglite', db: fromPglite(database) },
    close,
  };
}
