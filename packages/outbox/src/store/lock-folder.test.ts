import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from './lock-folder.ts';

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('takes a folder once, makes it where there is none, and leaves nothing there but its lock', async () => {
  const folder = join(await makeFolder(), 'deep', 'er');
  const lock = await lockFolder(folder);
  expect(lock.dataFolder).toBe(join(folder, 'data'));
  expect(await readdir(folder)).toEqual(['lock.sqlite']);
  await expect(lockFolder(folder)).rejects.toMatchObject({ name: 'OutboxError', code: 'folder_in_use' });
  lock.release();
  (await lockFolder(folder)).release();
  expect(await readdir(folder)).toEqual(['lock.sqlite']);
});

test('refuses a lock file that is something else, and leaves it as it is', async () => {
  const folder = await makeFolder();
  const other = 'not a database, but long enough to be taken for one\n'.repeat(99);
  await writeFile(join(folder, 'lock.sqlite'), other);
  await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'folder_unusable' });
  expect(await readdir(folder)).toEqual(['lock.sqlite']);
});
