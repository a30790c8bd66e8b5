import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';

/**
 * Opens the PGlite in a folder, and makes it where there is none. One that was left half made by a kill could never be
 * opened, so a file beside it tells that it is being made: nothing was stored in it then, and it is made anew. PGlite's
 * files are for everybody to read and write; the folder is not.
 */
export async function openFolder(folder: string): Promise<PGlite> {
  const making = `${folder}.making`;
  const isNew = !(await exists(folder)) || (await exists(making));
  if (isNew) {
    await writeFile(making, '');
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  }
  await chmod(folder, 0o700);
  const database = await PGlite.create(folder);
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
