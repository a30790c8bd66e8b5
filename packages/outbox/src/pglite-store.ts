import { constants, statfsSync } from 'node:fs';
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { fromPglite } from 'pg-boss';
import { describeError, OutboxError, sqlState } from './errors.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { type Parsers, pgliteParsers, withOwnParsers } from './parsers.ts';
import type { FolderIdentity, OutboxStore, Sql } from './store.ts';

/** As much of a `PGlite` as the outbox uses. */
export interface PgliteDatabase extends Sql {
  query<Row>(
    text: string,
    values?: unknown[],
    options?: { readonly parsers?: Parsers },
  ): Promise<{ rows: Row[] }>;
  exec(text: string, options?: { readonly parsers?: Parsers }): Promise<{ rows: unknown[] }[]>;
  transaction<T>(run: (tx: Sql & Pick<PgliteDatabase, 'exec'>) => Promise<T>): Promise<T>;
  listen(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
}

/**
 * Keeps an outbox in a folder of this machine, by PGlite, for one process at a time; without a folder in memory, or in a
 * PGlite of your own: then one outbox for each `databaseSchema`, and you lock its folder with `lockFolder`. It survives
 * `kill -9`; it does not survive a power cut, since PGlite never calls fsync: run PostgreSQL where that matters. Only the user
 * of this process can read the folder. A small process that ends with this one holds its lock; should that end earlier, or the
 * folder be moved or deleted, nothing more is stored or sent.
 *
 * @throws TypeError when the path is empty, or anything else is given than a path or a PGlite.
 * @throws OutboxError `folder_locked` when another process uses the folder, `folder_unusable` when it cannot be used: it is a
 *   link, belongs to another user, cannot be written to, or a part of its database is missing.
 */
export async function pgliteStore(folderOrDatabase?: string | PgliteDatabase): Promise<OutboxStore> {
  if (folderOrDatabase !== undefined && typeof folderOrDatabase !== 'string') {
    if (typeof folderOrDatabase?.transaction === 'function')
      return storeOf(folderOrDatabase, 'PGlite', { close: async () => {} });
    throw new TypeError(
      'pgliteStore: write the path of the folder alone, as text, or pass a PGlite that is open; options are not taken.',
    );
  }
  if (folderOrDatabase === undefined) {
    const database = await PGlite.create({ startParams });
    return storeOf(database, 'memory', { close: () => database.close() });
  }
  if (folderOrDatabase === '')
    throw new TypeError('pgliteStore: pass the path of a folder, or nothing for an outbox in memory.');
  const folder = folderOrDatabase;
  const lock = await lockFolder(folder);
  try {
    const database = await openFolder(join(folder, 'data'));
    return storeOf(database, folder, {
      identity: await identify(join(folder, 'data')),
      check() {
        if (lock.lostBecause !== undefined) throw lostFolder(folder, lock.lostBecause);
      },
      async close() {
        // Closing writes to the folder, which another process may have opened since.
        if (lock.lostBecause === undefined) await database.close();
        await lock.release();
      },
    });
  } catch (error) {
    await lock.release();
    throw unusableFolder(folder, error);
  }
}

/**
 * A store that gives timers and sockets their turn. PGlite computes and responds within one turn of the event loop, so
 * callers that go on at once would keep responses of the service waiting until they time out. `check` throws where nothing
 * may be written any more.
 */
function storeOf(
  database: PgliteDatabase,
  place: string,
  {
    close,
    identity,
    check = () => {},
  }: Pick<OutboxStore, 'close' | 'identity'> & { readonly check?: () => void },
): OutboxStore {
  const sql = withOwnParsers(database);
  // pg-boss needs the parsers in statements of several parts, too.
  const { executeSql } = fromPglite({
    query: sql.query,
    exec: (text: string) => database.exec(text, { parsers: pgliteParsers }),
  } as PGlite);
  return {
    backend: 'pglite',
    place,
    identity,
    async query(text, values) {
      check();
      const result = await sql.query(text, values);
      await nextTurn();
      return result;
    },
    transaction: async (run, options) => {
      check();
      return database.transaction(async (tx) => {
        await nextTurn();
        check();
        // No other process is waited for, and nothing is flushed, so timeouts and flushing are left as they are.
        if (options?.settings) await tx.exec(options.settings);
        const own = withOwnParsers(tx);
        const result = await run({
          async query(text, values) {
            check();
            return own.query(text, values);
          },
        });
        check();
        return result;
      });
    },
    async executeSql(text, values) {
      check();
      return executeSql(text, values);
    },
    async listen(channel, onMessage) {
      const close = await database.listen(channel, onMessage);
      return { isListening: true, close };
    },
    close,
  };
}

/**
 * Takes a folder for this process alone, and makes it private. PGlite takes no lock, and two processes would lose rows without
 * an error. Call it before `PGlite.create(join(folder, 'data'))`, where the command `orders outbox` looks, too.
 *
 * @throws OutboxError `folder_locked` when another process has it, `folder_unusable` when nothing can be written there.
 */
export async function lockFolder(folder: string): Promise<FileLock> {
  let lock: FileLock | undefined;
  try {
    await takeFolder(folder);
    lock = await lockFile(join(resolve(folder), 'lock.sqlite'));
  } catch (error) {
    throw unusableFolder(folder, error);
  }
  if (lock) return lock;
  const message = `${folder} is in use by another process, or open in this one: end that, or choose another folder; for several processes use PostgreSQL.`;
  throw new OutboxError('folder_locked', message);
}

function unusableFolder(folder: string, error: unknown): OutboxError {
  if (error instanceof OutboxError) return error;
  const what = wasiCode(error) ?? describeError(error);
  // PGlite says no more of a folder that it cannot open than that it failed.
  const remedy = isFull(folder) ? remedyOfFullDisk : folderRemedy(error);
  const message = `${folder} cannot hold a database: ${what}. ${remedy}`;
  return new OutboxError('folder_unusable', message, { cause: error });
}

const remedyOfFullDisk = 'The disk is full: free some space, or choose a folder on another disk.';

/** Whether less is free on the disk of a folder than a database writes when it starts. */
function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < 2 ** 20;
  } catch {
    return false;
  }
}

/** What to do about a folder that cannot be written to; PGlite, SQLite and Node each report a full disk in their own way. */
export function folderRemedy(error: unknown): string {
  const code = wasiCode(error) ?? (error instanceof Error && 'code' in error ? String(error.code) : '');
  if (
    code === 'ENOSPC' ||
    sqlState(error) === '53100' ||
    /disk is full|no space left/i.test(describeError(error))
  )
    return remedyOfFullDisk;
  return remedies.get(code) ?? 'Choose a folder that can be written to.';
}

/** The code of what the file system of PGlite reports by the numbers of WASI. */
function wasiCode(error: unknown): string | undefined {
  const { name, errno } = Object(error) as { readonly name?: unknown; readonly errno?: unknown };
  return name === 'ErrnoError' ? wasiCodes.get(errno) : undefined;
}

const wasiCodes: ReadonlyMap<unknown, string> = new Map([
  [2, 'EACCES'],
  [19, 'EDQUOT'],
  [20, 'EEXIST'],
  [33, 'EMFILE'],
  [37, 'ENAMETOOLONG'],
  [41, 'ENFILE'],
  [51, 'ENOSPC'],
  [54, 'ENOTDIR'],
  [63, 'EPERM'],
  [69, 'EROFS'],
]);

const remedies: ReadonlyMap<string, string> = new Map([
  ['EDQUOT', 'The quota of this user is used up: free some space, or choose a folder on another disk.'],
  ['ENOTDIR', 'A part of this path is a file: choose a folder.'],
  ['EEXIST', 'This path is a file: choose a folder.'],
  ['EACCES', 'This user has no permission there: choose a folder of its own.'],
  ['EPERM', 'This user has no permission there: choose a folder of its own.'],
  ['EMFILE', 'This process has too many open files: raise its limit (ulimit -n), or close some.'],
  ['ENFILE', 'This machine has too many open files: end some processes, or raise its limit.'],
  ['ENAMETOOLONG', 'The path is too long: choose a shorter one.'],
]);

function lostFolder(folder: string, why: string): OutboxError {
  const message = `${folder} may be open in another process by now: ${why}. This process stores and sends nothing more: start it again.`;
  return new OutboxError('folder_unusable', message);
}

/** PGlite fills its cache with zeros when it starts: the default of 128 MB takes a third of that time, and 60 MB more. */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

/**
 * Opens the PGlite in a folder, and makes it where there is none. One that was left half made by a kill could never be
 * opened, so a file beside it says that it is being made: nothing was stored in it then, and it is made anew.
 */
async function openFolder(folder: string): Promise<PGlite> {
  const making = `${folder}.making`;
  const wasMaking = await exists(making);
  const isNew = wasMaking || !(await exists(folder));
  if (isNew) {
    if (!wasMaking) await writeFile(making, '', { flag: 'wx' });
    await rm(folder, { recursive: true, force: true });
    // PGlite's files are for everybody to read and write, so the folder is not, from its first moment.
    await mkdir(folder, { mode: 0o700 });
  }
  await chmod(folder, 0o700);
  const names = await readdir(folder);
  // PGlite would make an empty database over what is left of the other.
  if (names.length > 0 && !names.includes('PG_VERSION'))
    refuse(
      folder,
      'its file PG_VERSION is missing, and so may others be',
      'Restore a backup of the whole folder.',
    );
  const database = await PGlite.create(folder, { startParams });
  if (isNew) await rm(making);
  return database;
}

/** A copy has another folder; a backup that is restored into this one has other files, or later ones with their numbers. */
async function identify(folder: string): Promise<FolderIdentity> {
  const [{ dev, ino }, file] = await Promise.all([
    stat(folder),
    stat(join(folder, 'PG_VERSION'), { bigint: true }),
  ]);
  return {
    path: await realpath(folder),
    device: dev,
    files: [ino, Number(file.ino)],
    bornAt: String(file.birthtimeNs),
  };
}

/**
 * Makes a folder where there is none, and keeps everybody else out of it, before anything is written to it: a link in it
 * might lead to any file of this user. Windows has neither owners nor modes of this kind.
 *
 * @throws OutboxError `folder_unusable`
 */
async function takeFolder(path: string): Promise<void> {
  const target = await readlink(resolve(path)).catch(() => undefined);
  if (target !== undefined) refuse(path, 'it is a link', `Pass the folder that it leads to: ${target}`);
  await makeFolder(path);
  const user = process.geteuid?.();
  if (user === undefined) return;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  // The descriptor stays with what was checked, whatever takes its name.
  const folder = await open(resolve(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await makePrivate(folder, path, user);
  } finally {
    await folder.close();
  }
}

/** Makes a folder private to its owner. @throws OutboxError where it or what it holds may be another user's */
async function makePrivate(folder: FileHandle, path: string, user: number): Promise<void> {
  const { uid, mode } = await folder.stat();
  if (uid !== user)
    refuse(
      path,
      `it belongs to user ${uid}, and this process is of user ${user}`,
      `Choose a folder that this process makes, such as ${join(path, 'outbox')}.`,
    );
  await folder.chmod(0o700);
  const names = await readdir(path);
  if (names.length > 0 && (mode & 0o022) !== 0) {
    await folder.chmod(mode & 0o777);
    refuse(path, 'it was open to changes by others', `If all that it holds is yours, run: chmod 700 ${path}`);
  }
  for (const name of names) {
    const entry = await lstat(join(path, name));
    if (entry.isSymbolicLink() || entry.uid !== user)
      refuse(
        path,
        `${name} in it ${entry.isSymbolicLink() ? 'is a link' : `belongs to user ${entry.uid}`}`,
        'Remove that, or choose another folder.',
      );
  }
}

function refuse(path: string, why: string, remedy: string): never {
  throw new OutboxError('folder_unusable', `${path} cannot hold a database: ${why}. ${remedy}`);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/**
 * Makes a folder for this user alone, and those above it, where there is none. Node's own recursive `mkdir` reports ENOENT
 * for a read-only disk, as `mkdir` does for a folder that a file system such as /proc does not make.
 */
async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  const parent = dirname(folder);
  if (!(await exists(parent))) await makeFolder(parent);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) throw error;
  }
}
