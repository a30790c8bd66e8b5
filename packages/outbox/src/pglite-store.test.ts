import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder, pgliteStore } from './pglite-store.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('takes a folder once, makes it where there is none, and leaves nothing there but its lock', async () => {
  const folder = join(await makeFolder(), 'deep', 'er');
  const lock = await lockFolder(folder);
  expect(lock.dataFolder).toBe(join(folder, 'data'));
  if (process.platform !== 'win32') expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readdir(folder)).toEqual(['lock.sqlite']);
  await expect(lockFolder(folder)).rejects.toMatchObject({
    name: 'OutboxError',
    code: 'folder_locked',
    message: expect.stringContaining('for several processes use PostgreSQL'),
  });
  lock.release();
  (await lockFolder(folder)).release();
  expect(await readdir(folder)).toEqual(['lock.sqlite']);
});

test('refuses what cannot be a folder of an outbox, and says why', async () => {
  await expect(pgliteStore('')).rejects.toThrow(TypeError);
  const folder = await makeFolder();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const error = await pgliteStore(join(file, 'inside')).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'OutboxError', code: 'folder_unusable' });
  expect(String(error)).toMatch(/cannot hold a database: .*ENOTDIR/);
  const other = 'not a database, but long enough to be taken for one\n'.repeat(99);
  await writeFile(join(folder, 'lock.sqlite'), other);
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'folder_unusable' });
});

test.for([
  { folder: './orders' },
  { dataDir: './orders' },
  { path: './orders' },
  {},
  ['./orders'],
  42,
  null,
  new URL('file:///tmp/orders'),
  Promise.resolve('./orders'),
  () => './orders',
])('%o is no folder and no PGlite: refused at once, and nothing is made', async (given) => {
  await expect(pgliteStore(given as never)).rejects.toThrow(
    new TypeError(
      'pgliteStore: write the path of the folder alone, as text, or pass a PGlite that is open; options are not taken.',
    ),
  );
});
