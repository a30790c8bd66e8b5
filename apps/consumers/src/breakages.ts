import { appendFile, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A fault that a release could have, and that nothing inside the repository would notice. */
interface Breakage {
  readonly what: string;
  /** The package, and how to break it in an unpacked copy. */
  readonly name: string;
  readonly apply: (folder: string) => Promise<void>;
  /** The projects of which every run must fail. */
  readonly noticedBy: readonly string[];
}

export const breakages: readonly Breakage[] = [
  {
    what: '`exports` of @orders/auth names a file that does not exist',
    name: '@orders/auth',
    apply: (folder) => changeManifest(folder, (text) => text.replace('./dist/index.js', './dist/main.js')),
    noticedBy: ['@orders/auth', 'a page in Chromium'],
  },
  {
    what: '@orders/client does not declare @orders/schema',
    name: '@orders/client',
    apply: (folder) => changeManifest(folder, (text) => text.replace(/\n.*"@orders\/schema": .*/, '')),
    noticedBy: ['@orders/client'],
  },
  {
    what: '@orders/schema imports a module of Node',
    name: '@orders/schema',
    // In a module that pages use, and called at once, so that no bundler leaves it out.
    apply: (folder) =>
      appendFile(join(folder, 'dist/explain.js'), "\nimport { inspect } from 'node:util';\ninspect('');\n"),
    noticedBy: ['a page in Chromium'],
  },
  {
    what: '@orders/auth has no declarations',
    name: '@orders/auth',
    async apply(folder) {
      for await (const file of glob('dist/**/*.d.ts', { cwd: folder })) await rm(join(folder, file));
    },
    noticedBy: ['TypeScript'],
  },
];

async function changeManifest(folder: string, change: (text: string) => string): Promise<void> {
  const file = join(folder, 'package.json');
  const text = await readFile(file, 'utf8');
  if (change(text) === text) throw new Error(`${file} has nothing to break.`);
  await writeFile(file, change(text));
}
