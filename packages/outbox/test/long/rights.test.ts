import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createOutbox, migrate, postgresStore, requiredGrants } from '@orders/outbox';
import { startMockOrderService } from '@orders/testing';
import pg from 'pg';
import { expect, test } from 'vitest';
import {
  allBinaries,
  startPostgres,
  type TestPostgres,
  testPassword,
  versionOf,
} from '../../../../.ci/start-postgres.ts';
import { step, stepsApplied, until } from '../scene.ts';
import { startWorker } from '../start-worker.ts';

/** A server on which everybody may do nothing by default, with the tables of an outbox. */
async function startStrictServer(binaries: string): Promise<TestPostgres> {
  const server = await startPostgres({ binaries });
  await server.query('revoke all on database postgres from public; revoke all on schema public from public');
  await server.query('alter default privileges revoke execute on functions from public');
  const owner = postgresStore({ connectionString: server.connectionString });
  await migrate(owner);
  await owner.close();
  return server;
}

async function createRole(server: TestPostgres, role: string, grants: readonly string[]): Promise<string> {
  await server.query(`create role ${role} login password '${testPassword}'`);
  await server.query(`grant connect on database postgres to ${role}`);
  for (const statement of grants) await server.query(statement);
  const url = new URL(server.connectionString);
  url.username = role;
  return url.href;
}

for (const binaries of await allBinaries()) {
  test(`works with what requiredGrants names, and nothing else, on ${versionOf(binaries)}`, async () => {
    await using server = await startStrictServer(binaries);
    const [ofWorker, ofProducer] = [
      await createRole(server, 'worker', requiredGrants('orders_outbox', 'worker')),
      await createRole(server, 'producer', requiredGrants('orders_outbox', 'producer')),
    ];
    await using service = await startMockOrderService({ orders: 8, latencyMs: 50 });
    await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
    const warnings: string[] = [];
    await using outbox = await createOutbox({
      client,
      store: postgresStore({ connectionString: ofWorker }),
      rate: { perSecond: 200, burst: 20 },
      keepSettledMs: 0,
      warn: (message) => warnings.push(message),
    });
    await using producer = await createOutbox({ store: postgresStore({ connectionString: ofProducer }) });
    const [first = '', second = '', third = '', ...others] = service.orders.map(({ token }) => token);

    // What a killed worker held is given back by pg-boss's own maintenance.
    const killed = await startWorker({
      baseUrl: service.url,
      apiKey: service.key,
      connectionString: ofWorker,
      schema: 'orders_outbox',
    });
    service.faults.next({ type: 'stalled_headers' }, { token: first });
    const held = await producer.enqueue(first, step(1));
    await until('it is sent', () => service.requests({ token: first }).length === 1);
    await outbox.start();
    await killed.kill();

    service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '1' } }, { token: second });
    await producer.enqueue(second, step(1));
    const tx = new pg.Client(ofProducer);
    await tx.connect();
    await tx.query('begin');
    const rejected = await producer.enqueue(third, step(1), { tx });
    service.faults.next({ type: 'status', status: 422 }, { token: third });
    await tx.query('commit');
    await tx.end();
    for (const token of others) await producer.enqueue(token, step(1));
    await until('it is rejected', async () => (await producer.get(rejected))?.state === 'rejected');
    await producer.retry(rejected);
    await until('it is taken over', async () => (await producer.get(held))?.state === 'needs_review');
    await producer.resolve(held, 'applied');
    await producer.resume();
    await until('all is applied', () => service.ledger.length === 8);
    expect(stepsApplied(service, third)).toEqual([1]);
    await producer.changes();
    await producer.purge({ token: first });
    const later = await producer.enqueue(second, step(2));
    await producer.discard(later).catch(() => {});
    // The service refuses the key, and accepts it later.
    service.faults.always({ type: 'status', status: 401 });
    for (const token of others) await producer.enqueue(token, step(2));
    await until('it is seen', async () => (await producer.status()).service.state === 'key_refused');
    service.faults.clear();
    await until('all is sent', async () => {
      const { queued, sending, rejected: left } = await producer.counts();
      return queued + sending + left === 0;
    });
    await delay(6_000);
    expect(warnings).toEqual([
      expect.stringMatching(/^The order service refuses the key/),
      'The order service works again: updates are sent.',
    ]);
  });
}

test('names the statements where one of them was not run', async ({ skip }) => {
  const [binaries] = await allBinaries();
  if (!binaries) return skip('there is no PostgreSQL');
  await using server = await startStrictServer(binaries);
  const remedy = requiredGrants('orders_outbox', 'this_role').join('; ');
  for (const [place, left] of ['schemas', 'tables', 'functions'].entries()) {
    const role = `without_${left}`;
    const connectionString = await createRole(
      server,
      role,
      requiredGrants('orders_outbox', role).toSpliced(place, 1),
    );
    const opening = createOutbox({ store: postgresStore({ connectionString }) });
    await expect(opening, left).rejects.toMatchObject({
      code: 'database_unusable',
      message: expect.stringMatching(/permission denied for (schema|table|function)/),
    });
    await expect(opening, left).rejects.toThrow(remedy);
  }
});
