import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { fromPglite } from 'pg-boss';
import { describeError, OutboxError } from './errors.ts';
import type { OutboxStore, Sql } from './store.ts';

/** As much of a `PGlite` as the outbox uses. */
export interface PgliteDatabase extends Sql {
  query<Row>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  exec(text: string): Promise<{ rows: unknown[] }[]>;
  transaction<T>(run: (tx: Sql & Pick<PgliteDatabase, 'exec'>) => Promise<T>): Promise<T>;
  listen(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
}

/**
 * Keeps an outbox in a folder of this machine, by PGlite, for one process at a time; without a folder in memory, or in a
 * PGlite of your own: then one outbox for each `databaseSchema`. It survives `kill -9`; it does not survive a power cut,
 * since PGlite never calls fsync: run PostgreSQL where that matters. Only the user of this process can read the folder.
 *
 * @throws TypeError when the path is empty, or anything else is given than a path or a PGlite.
 * @throws OutboxError `folder_locked` when another process uses the folder, `folder_unusable` when it cannot be used.
 */
export async function pgliteStore(folderOrDatabase?: string | PgliteDatabase): Promise<OutboxStore> {
  if (folderOrDatabase !== undefined && typeof folderOrDatabase !== 'string') {
    if (typeof folderOrDatabase?.transaction === 'function')
      return storeOf(folderOrDatabase, 'PGlite', async () => {});
    throw new TypeError(
      'pgliteStore: write the path of the folder alone, as text, or pass a PGlite that is open; options are not taken.',
    );
  }
  if (folderOrDatabase === undefined) {
    const database = await PGlite.create({ startParams });
    return storeOf(database, 'memory', () => database.close());
  }
  if (folderOrDatabase === '')
    throw new TypeError('pgliteStore: pass the path of a folder, or nothing for an outbox in memory.');
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

/**
 * A store that gives timers and sockets their turn. PGlite computes and responds within one turn of the event loop, so
 * callers that go on at once would keep responses of the service waiting until they time out.
 */
function storeOf(database: PgliteDatabase, place: string, close: () => Promise<void>): OutboxStore {
  const { executeSql } = fromPglite(database as PGlite);
  return {
    backend: 'pglite',
    place,
    async query(text, values) {
      const result = await database.query(text, values);
      await nextTurn();
      return result;
    },
    transaction: (run, options) =>
      database.transaction(async (tx) => {
        await nextTurn();
        // No other process is waited for, and nothing is flushed, so timeouts and flushing are left as they are.
        if (options?.settings) await tx.exec(options.settings);
        return run(tx);
      }),
    executeSql,
    async listen(channel, onMessage) {
      const close = await database.listen(channel, onMessage);
      return { isListening: true, close };
    },
    close,
  };
}

/** A folder that this process alone uses until it releases it, or ends in any way. */
export interface FolderLock {
  /** Where the database is. */
  readonly dataFolder: string;
  release(): void;
}

/** The code of SQLite for a file that somebody else has locked. */
const busy = 5;

/**
 * Takes a folder for this process alone. PGlite takes no lock, and two processes would lose rows without an error; the lock
 * is that of an SQLite file beside the data, which the system frees even after `kill -9`.
 *
 * @throws OutboxError `folder_locked` when another process has it, `folder_unusable` when nothing can be written there.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const { DatabaseSync } = loadSqlite();
  let lock: DatabaseSync | undefined;
  try {
    await makeFolder(folder);
    lock = new DatabaseSync(join(folder, 'lock.sqlite'));
    // In memory, the journal leaves no second file behind; a lock alone does not show that the folder can be written to.
    lock.exec(
      'pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive; pragma user_version = 1',
    );
  } catch (error) {
    lock?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) {
      const message = `${folder} is in use by another process, or open in this one: end that, or choose another folder; for several processes use PostgreSQL.`;
      throw new OutboxError('folder_locked', message, { cause: error });
    }
    throw unusableFolder(folder, error);
  }
  const held = lock;
  return { dataFolder: join(folder, 'data'), release: () => held.close() };
}

function unusableFolder(folder: string, error: unknown): OutboxError {
  const message = `${folder} cannot hold a database: ${describeError(error)}. Choose a folder that can be written to.`;
  return new OutboxError('folder_unusable', message, { cause: error });
}

/** Node warns that its SQLite is experimental, which is no news to a user of this package. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  // The warning is emitted while the module loads, which is synchronous: no other warning can fall into this moment.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** PGlite fills its cache with zeros when it starts: the default of 128 MB takes a third of that time, and 60 MB more. */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/**
 * Opens the PGlite in a folder, and makes it where there is none. One that was left half made by a kill could never be
 * opened, so a file beside it says that it is being made: nothing was stored in it then, and it is made anew.
 */
async function openFolder(folder: string): Promise<PGlite> {
  const making = `${folder}.making`;
  const isNew = !(await exists(folder)) || (await exists(making));
  if (isNew) {
    await writeFile(making, '');
    await rm(folder, { recursive: true, force: true });
    // PGlite's files are for everybody to read and write, so the folder is not, from its first moment.
    await mkdir(folder, { mode: 0o700 });
  }
  await chmod(folder, 0o700);
  const database = await PGlite.create(folder, { startParams });
  if (isNew) await rm(making);
  return database;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/**
 * Makes a folder for this user alone, and those above it, where there is none. Node's own recursive `mkdir` reports ENOENT
 * for a read-only disk.
 */
async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(folder) !== folder) {
      await makeFolder(dirname(folder));
      await makeFolder(folder);
    } else if (
      !(await stat(folder).then(
        (found) => found.isDirectory(),
        () => false,
      ))
    )
      throw error;
  }
}
