import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createGroupRunner, runExample, writeExample } from './run-examples.ts';

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
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => {
    const name = `${file.replaceAll(/\W+/g, '-')}-${index}`;
    return {
      group: file,
      folder: join(root, folder),
      file: writeExample(join(root, folder), name, code),
      index,
    };
  });
});

test.each(readmes)('$file shows an example', ({ file }) => {
  expect(examples.some(({ group }) => group === file)).toBe(true);
});

const printedInGroup = createGroupRunner(examples);

test.concurrent.each(examples)('example $index of $group runs', { timeout: 150_000 }, async (example) => {
  if ((await printedInGroup(example)) === undefined) await runExample(example);
});
