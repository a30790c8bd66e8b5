import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface InstalledTree {
  /** Names of the packages, in order. */
  readonly packages: readonly string[];
  readonly bytes: number;
}

/** What npm has put into a project, as its lockfile lists it, and how much that weighs. */
export async function readInstalledTree(project: string): Promise<InstalledTree> {
  const lockfile = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
  const places = Object.keys(lockfile.packages).filter((place) => place !== '');
  return {
    packages: places.map((place) => place.replace(/^.*node_modules\//, '')).sort(),
    bytes: await weigh(join(project, 'node_modules')),
  };
}

async function weigh(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
