import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

// An example is run where its reader would run it: in a project that has the package.
const readmes = [
  { file: 'README.md', folder: 'packages/client' },
  ...['schema', 'auth', 'client', 'testing', 'outbox'].map((name) => ({
    file: `packages/${name}/README.md`,
    folder: `packages/${name}`,
  })),
];

const examples = readmes.flatMap(({ file, folder }) => {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => ({
    file,
    folder,
    code,
    index,
  }));
});

test.each(readmes)('$file shows an example', ({ file }) => {
  expect(examples.some((example) => example.file === file)).toBe(true);
});

test.concurrent.each(examples)(
  'example $index of $file runs',
  async ({ folder, code }) => {
    const flags = ['--conditions=@orders/source', '--input-type=module-typescript', '--eval', code];
    await expect(run(process.execPath, flags, { cwd: join(root, folder) })).resolves.toMatchObject({
      stderr: '',
    });
  },
  60_000,
);
