import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/```ts\n(.*?)```\n\n```text\n(.*?)```/gs)].map(
  ([, code = '', output = '']) => ({
    name: code.trim().split('\n').at(-1),
    code,
    output,
  }),
);

// Inside the package, so that the examples import it by its own name.
const scratch = join(root, '.turbo');
let folder = '';

beforeAll(() => {
  mkdirSync(scratch, { recursive: true });
  folder = mkdtempSync(join(scratch, 'readme-'));
  for (const [index, { code }] of examples.entries())
    writeFileSync(join(folder, `example-${index}.ts`), code);
  const compilerOptions = { customConditions: ['@orders/source'], lib: ['es2024', 'dom'] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../../tsconfig.base.json', compilerOptions, include: ['*.ts'] }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every example of the README shows what it prints', () => {
  expect(examples.length).toBeGreaterThan(1);
  expect(readme.match(/```ts\n/g)).toHaveLength(examples.length);
});

test.each(examples.map((example, index) => ({ ...example, index })))(
  'prints what the README shows: $name',
  ({ index, output }) => {
    const args = [
      '--conditions=@orders/source',
      '--disable-warning=ExperimentalWarning',
      `example-${index}.ts`,
    ];
    expect(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })).toBe(output);
  },
);

test('the examples of the README compile', () => {
  const compiler = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc');
  expect(execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })).toBe('');
});
