import { access, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type PackageName, packageNames } from './package-names.ts';

const repository = join(import.meta.dirname, '..', '..', '..', '..');

/** What the workspace holds beside its packages and packing reads: the catalog, and the licence of all of them. */
const rootFiles = ['package.json', 'pnpm-workspace.yaml', 'LICENSE'];

export interface WorkspaceCopy {
  readonly folder: string;
  readonly version: string;
}

/** Where the copy of a package lies. */
export function copyOf({ folder }: Pick<WorkspaceCopy, 'folder'>, name: PackageName): string {
  return join(folder, 'packages', name);
}

/**
 * Copies the built packages to a folder, where they have another version.
 * @throws when one of them is not built.
 */
export async function copyWorkspace({ folder, version }: WorkspaceCopy): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of rootFiles) await cp(join(repository, file), join(folder, file));
  for (const name of packageNames) {
    const from = join(repository, 'packages', name);
    const to = copyOf({ folder }, name);
    await access(join(from, 'dist'));
    await cp(from, to, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
    const manifest = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
    await writeFile(join(to, 'package.json'), JSON.stringify({ ...manifest, version }, null, 2));
    await linkSiblings(folder, name);
  }
}

/** What `workspace:` stands for is read from an installed sibling. */
async function linkSiblings(folder: string, name: PackageName): Promise<void> {
  const home = join(copyOf({ folder }, name), 'node_modules', '@orders');
  await mkdir(home, { recursive: true });
  for (const sibling of packageNames) {
    if (sibling !== name) await symlink(copyOf({ folder }, sibling), join(home, sibling), 'junction');
  }
}
