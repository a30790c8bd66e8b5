import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { lockFolder } from './lock-folder.ts';
import { pgliteStore } from './pglite-store.ts';

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('takes a folder once, and again when it was released', async () => {
  await inFolder(async (folder) => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toMatchObject({ name: 'OutboxError', code: 'folder_in_use' });
    lock.release();
    (await lockFolder(folder)).release();
  });
});

test('says that a folder cannot be used, and why', async () => {
  await expect(pgliteStore('')).rejects.toThrow(TypeError);
  await inFolder(async (folder) => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const error = await pgliteStore(join(file, 'inside')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'OutboxError', code: 'folder_unusable' });
    expect(String(error)).toMatch(/cannot hold a database: .*ENOTDIR/);
    const other = join(folder, 'other');
    await (await lockFolder(other)).release();
    await rm(join(other, 'lock.sqlite'));
    await writeFile(
      join(other, 'lock.sqlite'),
      'not a database, but long enough to be taken for one'.repeat(99),
    );
    await expect(lockFolder(other)).rejects.toMatchObject({ code: 'folder_unusable' });
  });
});

test('keeps what was stored in a folder', { timeout: 60_000 }, async () => {
  await inFolder(async (folder) => {
    // What a start leaves behind that is killed while it makes the database.
    await mkdir(join(folder, 'data', 'base'), { recursive: true });
    await writeFile(join(folder, 'data.making'), '');
    const store = await pgliteStore(folder);
    expect(store.place).toBe(folder);
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'lock.sqlite']);
    const { mode } = await stat(join(folder, 'data'));
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o700);
    await store.query('create table kept (word text)');
    await store.transaction((tx) => tx.query(`insert into kept values ('yes')`));
    await expect(
      store.transaction(async (tx) => {
        await tx.query(`insert into kept values ('no')`);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await store.close();
    const again = await pgliteStore(folder);
    expect((await again.query('select word from kept')).rows).toEqual([{ word: 'yes' }]);
    await again.close();
  });
});
