import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { version } from './version.ts';

test('the version that receipts show is that of the package', async () => {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(manifest).version).toBe(version);
});
