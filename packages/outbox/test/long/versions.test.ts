import { createOrdersClient } from '@orders/client';
import { createOutbox, migrate, postgresStore } from '@orders/outbox';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { allBinaries, startPostgres, versionOf } from '../../../../.ci/start-postgres.ts';
import { step, stepsApplied, until } from '../scene.ts';

for (const binaries of await allBinaries()) {
  test(`lives its life on ${versionOf(binaries)}`, async () => {
    await using server = await startPostgres({ binaries });
    const { connectionString } = server;
    await using service = await startMockOrderService({ orders: 20 });
    await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    const [first = '', second = '', third = '', ...others] = service.orders.map(({ token }) => token);
    const warnings: string[] = [];

    const owner = postgresStore({ connectionString });
    await migrate(owner);
    await owner.close();
    await using producer = await createOutbox({ store: postgresStore({ connectionString }), migrate: false });
    await using outbox = await createOutbox({
      client,
      store: postgresStore({ connectionString }),
      migrate: false,
      rate: { perSecond: 500, burst: 50 },
      warn: (message) => warnings.push(message),
    });

    const { cursor } = await producer.changes({ after: 'now' });
    service.faults.next({ type: 'status', status: 500 }, { token: first });
    service.faults.next({ type: 'status', status: 422 }, { token: second });
    service.faults.next({ type: 'reset_after_applying' }, { token: third });
    const unknown = await producer.enqueue(first, step(1));
    const behind = await producer.enqueue(first, step(2));
    const rejected = await producer.enqueue(second, step(1));
    const applied = await producer.enqueue(third, step(1));
    expect((await producer.status()).updates).toMatchObject({ queued: 4 });
    await outbox.drain();
    expect(await producer.counts()).toEqual({
      queued: 1,
      sending: 0,
      applied: 0,
      rejected: 1,
      needs_review: 2,
      discarded: 0,
    });
    expect((await producer.list()).map(({ id }) => id)).toEqual([unknown, rejected, applied]);

    await outbox.start();
    await producer.retry(unknown, { by: 'Ada' });
    await producer.discard(rejected);
    await producer.resolve(applied, 'applied', { note: 'seen' });
    for (const number of [3, 4, 5]) for (const token of others) await producer.enqueue(token, step(number));
    await until('all is applied', async () => (await producer.counts()).applied === 3 + 3 * others.length);
    expect(stepsApplied(service, first)).toEqual([1, 2]);
    for (const token of others) expect(stepsApplied(service, token)).toEqual([3, 4, 5]);

    const { updates } = await producer.changes({ after: cursor, limit: 1_000 });
    expect(updates).toHaveLength(4 + 3 * others.length);
    expect((await producer.history(first)).map(({ id }) => id)).toEqual([behind, unknown]);
    expect(await producer.purge({ token: first })).toBe(2);
    expect(await producer.get(unknown)).toBeUndefined();
    const status = await producer.status();
    expect(status).toMatchObject({ updates: { queued: 0, needsReview: 0 }, service: { state: 'ok' } });
    expect(status.workers).toHaveLength(1);
    const again = postgresStore({ connectionString });
    await migrate(again);
    await again.close();
    expect(warnings).toEqual([]);
  });
}
