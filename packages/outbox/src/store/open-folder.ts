import { chmod, rename, rm, stat } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';

/** Opens the PGlite in a folder, and makes it where there is none. PGlite's files are for everybody to read and write: the folder is not. */
export async function openFolder(folder: string): Promise<PGlite> {
  if (!(await exists(folder))) await make(folder);
  await chmod(folder, 0o700);
  return PGlite.create(folder);
}

/** Makes it elsewhere and moves it in place: one left half made by a kill could never be opened. */
async function make(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const database = await PGlite.create(unfinished);
  await database.close();
  await rename(unfinished, folder);
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
