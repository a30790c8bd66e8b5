import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it, where there is none. Of one on a read-only disk, Node's own recursive `mkdir`
 * says ENOENT, "no such file or directory", which tells nobody what is wrong.
 */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(folder) !== folder) {
      await makeFolder(dirname(folder));
      await makeFolder(folder);
    } else if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
