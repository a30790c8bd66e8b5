import { join } from 'node:path';
import { loadSqlite } from './load-sqlite.ts';
import { StorageProblem } from './storage-problem.ts';

/** The file that is locked, beside the data. */
export const lockFileName = 'desk.lock';

/** SQLite's result codes for a lock that another holds. */
const busyCodes: readonly unknown[] = [5, 6];

/** A lock on a folder; it is freed by `release`, or by the end of the process however it comes. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks a folder against other desks, which PGlite does not do: two processes would lose each other's rows in silence.
 *
 * @throws StorageProblem when another desk holds the lock, or the folder cannot be written.
 */
export function lockFolder(folder: string): FolderLock {
  const { DatabaseSync } = loadSqlite();
  try {
    const file = new DatabaseSync(join(folder, lockFileName));
    try {
      // The operating system frees this lock when the process ends, which no lock that is a mere file can promise.
      file.exec('pragma journal_mode = memory; begin exclusive');
    } catch (error) {
      file.close();
      throw error;
    }
    return { release: () => file.close() };
  } catch (error) {
    const { errcode } = Object(error) as { readonly errcode?: unknown };
    throw new StorageProblem(
      busyCodes.includes(errcode)
        ? `${folder} is in use by another desk: end it, or choose another folder with --data.`
        : `${folder} cannot be used: ${lockFileName} in it cannot be written, or is something else. Choose another folder with --data.`,
      { cause: error },
    );
  }
}
