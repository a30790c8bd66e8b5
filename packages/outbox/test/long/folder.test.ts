import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { createOutbox } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { startMockOrderService } from '@orders/testing';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../make-folder.ts';
import { mountDisk } from '../mount-disk.ts';

test('a folder that cannot be written to is reported in one line, and keeps what it holds', async ({
  skip,
}) => {
  await using disk = await mountDisk(160);
  if (!disk) return skip('no disk can be mounted here');
  await using service = await startMockOrderService();
  await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
  const folder = join(disk.folder, 'outbox');
  await makeFolder(folder);
  const outbox = await createOutbox({ client, store: await pgliteStore(folder) });
  const id = await outbox.enqueue(service.token, { cart: {} });
  await outbox.close();

  disk.allowWriting(false);
  for (const place of [folder, join(disk.folder, 'another', 'inside')]) {
    const error = await pgliteStore(place).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'OutboxError', code: 'folder_unusable' });
    expect((error as Error).message).toMatch(
      /^\S+ cannot hold a database: .*(read-?only|EROFS).*\. Choose a folder that can be written to\.$/i,
    );
  }

  disk.allowWriting(true);
  await using again = await createOutbox({ client, store: await pgliteStore(folder) });
  await again.start();
  await again.drain();
  expect(await again.get(id)).toMatchObject({ state: 'applied' });
  expect(service.ledger).toHaveLength(1);
});

test('makes a folder anew that was left half made, for its user alone, and keeps what is stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'data.making'), '');
  const store = await pgliteStore(folder);
  expect((await readdir(folder)).toSorted()).toEqual(['data', 'lock.sqlite']);
  if (process.platform !== 'win32') expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700);
  await store.query('create table kept (word text)');
  await store.transaction((tx) => tx.query(`insert into kept values ('yes')`));
  const undone = store.transaction(async (tx) => {
    await tx.query(`insert into kept values ('no')`);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await store.close();
  const again = await pgliteStore(folder);
  expect((await again.query('select word from kept')).rows).toEqual([{ word: 'yes' }]);
  await again.close();
});
