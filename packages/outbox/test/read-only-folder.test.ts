import { join } from 'node:path';
import { createOrdersClient } from '@orders/client';
import { createOutbox } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';
import { mountDisk } from './mount-disk.ts';

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
