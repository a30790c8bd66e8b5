import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = import.meta.dirname;

/** Packed packages link to where the package.json of this folder says that they live. */
export const hooks = {
  beforePacking(manifest, folder) {
    const { homepage, repository, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const directory = relative(root, folder).replaceAll('\\', '/');
    return { ...manifest, homepage, repository: { ...repository, directory }, bugs };
  },
};
