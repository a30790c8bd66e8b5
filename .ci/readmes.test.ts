import { globSync, readFileSync } from 'node:fs';
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

/** Commands of pnpm itself that could be taken for scripts; `pnpm version` writes the version of a package. */
const commandsOfPnpm = new Set(['ci', 'config', 'docs', 'home', 'licenses', 'pack', 'publish', 'version']);

test('a script that has the name of a command of pnpm is run by `pnpm run`', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const taken = Object.keys(scripts).filter((name) => commandsOfPnpm.has(name));
  expect(taken).toContain('version');
  const ignore = ['**/node_modules/**', '**/dist/**'];
  const documents = globSync(['*.md', '{packages,apps}/*/*.md', 'apps/docs/pages/**/*.md'], {
    cwd: root,
    exclude: ignore,
  });
  const wrong = documents.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/pnpm(?:@\d+)? ([a-z:-]+)/g)]
      .filter(([, name = '']) => taken.includes(name))
      .map(([command]) => `${file}: ${command}`),
  );
  expect(wrong).toEqual([]);
});

test.each(readmes)('$file shows an example', ({ file }) => {
  expect(examples.some(({ group }) => group === file)).toBe(true);
});

const printedInGroup = createGroupRunner(examples);

test.concurrent.each(examples)('example $index of $group runs', { timeout: 150_000 }, async (example) => {
  if ((await printedInGroup(example)) === undefined) await runExample(example);
});
