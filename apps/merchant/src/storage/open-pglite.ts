import { chmod, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { OutboxError } from '@orders/outbox';
import { type FolderLock, lockFolder, pgliteStore } from '@orders/outbox/pglite';
import { Kysely, PGliteDialect } from 'kysely';
import { JsonColumns } from './json-columns.ts';
import type { OpenedDatabase } from './opened-database.ts';
import { databaseFolderName, lockFileName, prepareFolder } from './prepare-folder.ts';
import { StorageProblem } from './storage-problem.ts';
import type { Tables } from './tables.ts';

/**
 * Opens PGlite in a folder, or in memory without one. What is stored in a folder survives the end of the process however
 * it comes, but not a power cut: PGlite never asks the disk to flush.
 *
 * @throws StorageProblem when the folder is in use, cannot be written, or holds something else.
 */
export async function openPglite(folder?: string): Promise<OpenedDatabase> {
  if (folder === undefined) return adoptPglite(await PGlite.create());
  await prepareFolder(folder);
  const lock = await takeFolder(folder);
  try {
    return adoptPglite(await openIn(folder), lock.release);
  } catch (error) {
    lock.release();
    if (error instanceof StorageProblem) throw error;
    throw new StorageProblem(
      `The database in ${folder} cannot be opened: it is damaged, or not a desk's. Choose another folder with --data, or put back a copy of this one.`,
      { cause: error },
    );
  }
}

/** PGlite takes no lock: two processes would lose each other's rows in silence. */
async function takeFolder(folder: string): Promise<FolderLock> {
  try {
    return await lockFolder(folder);
  } catch (error) {
    if (!(error instanceof OutboxError)) throw error;
    const text =
      error.code === 'folder_locked'
        ? `${folder} is in use by another desk: end it, or choose another folder with --data.`
        : `${folder} cannot be used: ${lockFileName} in it cannot be written, or is something else. Choose another folder with --data.`;
    throw new StorageProblem(text, { cause: error });
  }
}

async function openIn(folder: string): Promise<PGlite> {
  const path = join(folder, databaseFolderName);
  if (!(await exists(path))) await create(path);
  if (!(await exists(join(path, 'PG_VERSION')))) throw new Error('There is no PG_VERSION.');
  // PGlite makes files that everybody may read and write.
  await chmod(path, 0o700);
  return PGlite.create(path);
}

/** Creates a database elsewhere and moves it in place, since one left half made by a kill could never be opened. */
async function create(path: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const pglite = await PGlite.create(unfinished);
  await pglite.close();
  await rename(unfinished, path);
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

/** Takes a PGlite that is open, wherever it keeps its data, and closes it. */
export function adoptPglite(pglite: PGlite, release: () => void = () => {}): OpenedDatabase {
  const database = new Kysely<Tables>({
    dialect: new PGliteDialect({ pglite }),
    plugins: [new JsonColumns()],
  });
  return {
    database,
    async hold() {},
    openOutboxStore: () => pgliteStore(pglite),
    async close() {
      // Its one connection is given in turn: whoever has it now, has finished the transaction then.
      await database.connection().execute(async () => {});
      await database.destroy();
      release();
    },
  };
}
