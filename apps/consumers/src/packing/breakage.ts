import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageName } from './package-names.ts';

/** A fault that a release could have, and that nothing inside the repository would notice. */
export interface Breakage {
  readonly what: string;
  readonly package: PackageName;
  /** Breaks the copy of the package that is about to be packed. */
  readonly apply: (folder: string) => Promise<void>;
}

export const breakages = {
  exports: {
    what: '`exports` of @orders/auth names a file that is not there',
    package: 'auth',
    apply: (folder) =>
      changeManifest(folder, (manifest) => {
        const { '.': main } = manifest['exports'] as Record<string, Record<string, string>>;
        if (main) main['default'] = './dist/main.js';
      }),
  },
  dependency: {
    what: '@orders/client does not declare @orders/schema',
    package: 'client',
    apply: (folder) =>
      changeManifest(folder, (manifest) => {
        delete (manifest['dependencies'] as Record<string, string>)['@orders/schema'];
      }),
  },
  'node-import': {
    what: '@orders/schema imports a module of Node',
    package: 'schema',
    apply: async (folder) => {
      // Used at once, so that no bundler can leave it out.
      await appendFile(
        join(folder, 'dist', 'explain.js'),
        "\nimport { inspect } from 'node:util';\ninspect('');\n",
      );
    },
  },
  types: {
    what: '@orders/auth is packed without its declarations',
    package: 'auth',
    apply: async (folder) => {
      const dist = join(folder, 'dist');
      const declarations = (await readdir(dist)).filter((file) => file.endsWith('.d.ts'));
      for (const file of declarations) await rm(join(dist, file));
    },
  },
} as const satisfies Record<string, Breakage>;

export type BreakageName = keyof typeof breakages;

export const breakageNames = Object.keys(breakages) as readonly BreakageName[];

type Manifest = Record<string, unknown>;

async function changeManifest(folder: string, change: (manifest: Manifest) => void): Promise<void> {
  const file = join(folder, 'package.json');
  const manifest: Manifest = JSON.parse(await readFile(file, 'utf8'));
  change(manifest);
  await writeFile(file, JSON.stringify(manifest, null, 2));
}
