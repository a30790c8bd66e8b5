import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const packageFolder = fileURLToPath(new URL('..', import.meta.url));
const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

test('shows an example', () => {
  expect(examples).toHaveLength(1);
});

test.each(examples)('runs example %#', async (code) => {
  const flags = ['--conditions=@orders/source', '--input-type=module-typescript', '--eval', code];
  await expect(run(process.execPath, flags, { cwd: packageFolder })).resolves.toEqual({
    stdout: '',
    stderr: '',
  });
});
