import { mkdir, readdir } from 'node:fs/promises';
import { StorageProblem } from './storage-problem.ts';

/** The file that is locked, beside the data. */
export const lockFileName = 'lock.sqlite';

/** The folder inside the desk's folder that holds the database. */
export const databaseFolderName = 'database';

/**
 * Makes the folder of a desk where there is none, and judges one that is there.
 *
 * @throws StorageProblem when it cannot be made or read, or holds what no desk made.
 */
export async function prepareFolder(folder: string): Promise<void> {
  const names = await listMade(folder);
  const isOurs = names.includes(lockFileName) || names.includes(databaseFolderName);
  // A fresh volume or a folder kept in git is empty to a person, though not to the file system.
  const isEmpty = names.every((name) => name.startsWith('.') || name === 'lost+found');
  if (!isOurs && !isEmpty)
    throw new StorageProblem(
      `${folder} holds other files and no desk's data: choose an empty folder, or a new one, with --data.`,
    );
}

async function listMade(folder: string): Promise<readonly string[]> {
  try {
    await mkdir(folder, { recursive: true });
    return await readdir(folder);
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException;
    throw new StorageProblem(
      `${folder} cannot be made or read (${code}): choose a folder that can, with --data.`,
      { cause: error },
    );
  }
}
