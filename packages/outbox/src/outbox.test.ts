import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { OrdersError } from '@orders/client';
import type { MockOrderService } from '@orders/testing';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { sql as drizzleSql } from 'drizzle-orm/sql';
import { Kysely, PostgresDialect } from 'kysely';
import type { QueryResult } from 'pg';
import { expect } from 'vitest';
import { holdResponses } from '../test/hold-responses.ts';
import { mortalStore } from '../test/mortal-store.ts';
import {
  connect,
  onBoth,
  onBothInFull,
  onPglite,
  onPostgres,
  openPool,
  type Scene,
  step,
  stepsApplied,
  until,
} from '../test/scene.ts';
import { watchStore } from '../test/watch-store.ts';
import { fromDrizzle, fromKysely } from './executors.ts';
import type { Outbox } from './outbox.ts';
import { postgresStore } from './postgres-store.ts';
import { type OutboxStore, rowsOf, type Sql } from './store.ts';

/** Runs `work` in a transaction of the caller's, and undoes it when it rejects. */
async function inTransaction<T>(
  { engine, pglite, postgres }: Scene,
  work: (tx: Sql) => Promise<T>,
): Promise<T> {
  if (engine === 'PGlite') return pglite.transaction(work);
  await using client = await connect(postgres);
  await client.query('begin');
  const result = await work(client);
  await client.query('commit');
  return result;
}

async function countRows({ sql, schema }: Scene, table: string): Promise<number> {
  const [row] = await rowsOf<{ count: string }>(sql, `select count(*) as count from ${schema}.${table}`);
  return Number(row?.count);
}

onBothInFull('refuses an invalid update with the issues of the client, and stores nothing', async (scene) => {
  const { open, client, token } = scene;
  const outbox = await open();
  const bad = { cart: { items: [{ quantity: 1.5 }] }, orderId: 'x' };
  const byClient = await client.safeUpdateOrder(token, bad);
  const byOutbox = await outbox.enqueue(token, bad).catch((error: unknown) => error);
  if (byClient.ok || !(byOutbox instanceof OrdersError)) throw new Error('both must refuse it');
  expect(byOutbox).toMatchObject({ code: 'validation_error', outcome: 'not_sent' });
  expect('issues' in byOutbox && byOutbox.issues).toEqual(
    'issues' in byClient.error && byClient.error.issues,
  );
  await expect(outbox.enqueue('..', step(1))).rejects.toMatchObject({ code: 'validation_error' });
  await expect(outbox.enqueue('t'.repeat(2_601), step(1))).rejects.toThrow('2600 bytes');
  await expect(outbox.enqueue(token, step(1), { id: 'mine' })).rejects.toThrow('write id as a UUID');
  await expect(outbox.enqueue(token, step(1), { trace: 'x' } as object)).rejects.toThrow('unknown option');
  await expect(outbox.enqueue(token, step(1), { traceparent: 'x' })).rejects.toThrow('traceparent');
  for (const table of ['updates', 'lanes']) expect(await countRows(scene, table)).toBe(0);
});

onBothInFull('enqueues without a client, with the same checks', async ({ open, token }) => {
  const outbox = await open({ client: undefined as never });
  const id = await outbox.enqueue(token, step(1));
  expect(await outbox.get(id)).toMatchObject({ state: 'queued', update: step(1) });
  await expect(outbox.enqueue(token, {} as never)).rejects.toMatchObject({ code: 'validation_error' });
  await expect(outbox.start()).rejects.toThrow('create the outbox with a client');
});

onBoth('accepts an update with a transaction that commits, and sends it', async (scene) => {
  const { open, service, token, sql, schema, reaches } = scene;
  const outbox = await open();
  await outbox.start();
  await sql.query(`create table ${schema}.shop (note text)`);
  const id = await inTransaction(scene, async (tx) => {
    await tx.query(`insert into ${schema}.shop values ('saved')`);
    return outbox.enqueue(token, step(1), { tx });
  });
  await reaches(outbox, id, 'applied');
  expect(stepsApplied(service, token)).toEqual([1]);
  expect(await countRows(scene, 'shop')).toBe(1);
  await sql.query(`drop table ${schema}.shop`);
});

onBoth('leaves nothing of an update whose transaction is rolled back', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open();
  const undone = inTransaction(scene, async (tx) => {
    await outbox.enqueue(token, step(1), { tx });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  for (const table of ['updates', 'lanes']) expect(await countRows(scene, table)).toBe(0);
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([]);
});

onBothInFull('refuses an id that it has, and leaves the transaction usable', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open();
  const id = randomUUID();
  expect(await outbox.enqueue(token, step(1), { id })).toBe(id);
  await expect(outbox.enqueue(token, step(2), { id })).rejects.toMatchObject({ code: 'duplicate_id' });
  await inTransaction(scene, async (tx) => {
    await expect(outbox.enqueue(token, step(2), { id, tx })).rejects.toMatchObject({ code: 'duplicate_id' });
    await outbox.enqueue(token, step(3), { tx });
  });
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([1, 3]);
});

onPostgres('refuses a client of pg that has not begun a transaction', async (scene) => {
  const { open, postgres, token } = scene;
  const outbox = await open();
  await using client = await connect(postgres);
  for (const tx of [client, { query: client.query.bind(client) as Sql['query'] }]) {
    const refused = outbox.enqueue(token, step(1), { tx });
    await expect(refused).rejects.toMatchObject({ code: 'not_a_transaction' });
  }
  const pool = openPool({ connectionString: postgres.connectionString });
  await expect(outbox.enqueue(token, step(1), { tx: pool })).rejects.toThrow('a pool is no transaction');
  await pool.end();
  expect(await countRows(scene, 'updates')).toBe(0);
});

onPostgres('accepts nothing by a transaction whose rows it cannot read', async (scene) => {
  const { open, postgres, token } = scene;
  const outbox = await open();
  await using client = await connect(postgres);
  const run = async (text: string, values?: unknown[]) => client.query(text, values);
  await client.query('begin');
  for (const [like, shape] of Object.entries<(result: QueryResult) => unknown>({
    'a QueryRunner of TypeORM, and a task of pg-promise': ({ rows }) => rows,
    Sequelize: (result) => [result.rows, result],
    'a count': ({ rowCount }) => rowCount,
    nothing: () => undefined,
  })) {
    // An EntityManager of TypeORM has a method `transaction`, too.
    const tx = {
      query: async (text: string, values?: unknown[]) => shape(await run(text, values)),
      transaction() {},
    };
    const own = { tx: tx as unknown as Sql };
    const refused = 'query of tx does not resolve with { rows }';
    await expect(outbox.enqueue(token, step(1), own), like).rejects.toThrow(refused);
    await expect(outbox.enqueueAll([{ token, update: step(1) }], own), like).rejects.toThrow(refused);
  }
  const wrapped = {
    query: async (text: string, values?: unknown[]) => ({ rows: (await run(text, values)).rows }),
  };
  await outbox.enqueue(token, step(2), { tx: wrapped });
  await client.query('commit');
  expect(await countRows(scene, 'updates')).toBe(1);
});

onPglite('refuses a database in place of its transaction', async ({ open, pglite, token }) => {
  const outbox = await open();
  await expect(outbox.enqueue(token, step(1), { tx: pglite })).rejects.toThrow(
    'a database is no transaction',
  );
});

onPostgres('joins a transaction of Kysely, and one of Drizzle', async (scene) => {
  const { open, service, postgres, token } = scene;
  const outbox = await open({ latestWins: true });
  const pool = openPool({ connectionString: postgres.connectionString });
  const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
  const drizzle = drizzlePg({ client: pool });
  const enqueueAndFail = async (tx: Sql): Promise<void> => {
    await outbox.enqueue(token, step(1), { tx });
    throw new Error('undone');
  };
  try {
    const undone = kysely.transaction().execute((trx) => enqueueAndFail(fromKysely(trx)));
    await expect(undone).rejects.toThrow('undone');
    await kysely.transaction().execute((trx) => outbox.enqueue(token, step(2), { tx: fromKysely(trx) }));
    const undoneToo = drizzle.transaction((tx) => enqueueAndFail(fromDrizzle(tx, drizzleSql)));
    await expect(undoneToo).rejects.toThrow('undone');
    await drizzle.transaction((tx) => outbox.enqueue(token, step(3), { tx: fromDrizzle(tx, drizzleSql) }));
    expect(() => fromKysely(kysely as never)).toThrow('not the database');
    expect(() => fromDrizzle(drizzle as never, drizzleSql)).toThrow('not the database');
    await outbox.drain();
    expect(await outbox.counts()).toMatchObject({ applied: 1, discarded: 1 });
    expect(stepsApplied(service, token)).toEqual([3]);
  } finally {
    await kysely.destroy();
  }
});

onPglite('joins a transaction of Drizzle', async ({ open, service, pglite, token }) => {
  const outbox = await open();
  const database = drizzlePglite({ client: pglite });
  await database.transaction((tx) => outbox.enqueue(token, step(2), { tx: fromDrizzle(tx, drizzleSql) }));
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([2]);
});

onBothInFull('sends the exact body, and keeps it no longer than it may be sent', async (scene) => {
  const { open, service, client, token, sql, schema } = scene;
  const outbox = await open();
  const update = {
    cart: { items: [{ name: 'Crème “brûlée” \u0000 \ud83c\udf6e', quantity: 2 }] },
    extra: { 10: 1, 2: [null] },
  };
  const id = await outbox.enqueue(token, update);
  expect((await outbox.get(id))?.update).toEqual(update);
  const given = await outbox.enqueue(service.orders[1]?.token ?? '', step(1));
  await outbox.discard(given);
  await outbox.drain();
  const [sent] = service.requests({ token });
  expect(String(sent?.body)).toBe(client.prepareUpdateOrder(token, update).body);
  expect(await rowsOf(sql, `select distinct body from ${schema}.updates`)).toEqual([{ body: null }]);
  expect(await outbox.get(id)).not.toHaveProperty('update');
});

onBothInFull('discards with latestWins what is queued, and never what is in flight', async (scene) => {
  const { open, service, token, reaches } = scene;
  const held = holdResponses(scene);
  const outbox = await open({ client: held.client, latestWins: true });
  await outbox.start();
  const first = await outbox.enqueue(token, step(1));
  await reaches(outbox, first, 'sending');
  const second = await outbox.enqueue(token, step(2));
  const third = await outbox.enqueue(token, step(3));
  held.release();
  await reaches(outbox, third, 'applied');
  expect(await outbox.get(second)).toMatchObject({ state: 'discarded', code: 'superseded' });
  expect(stepsApplied(service, token)).toEqual([1, 3]);
});

onBothInFull('lists what waits for a person, oldest first, in pages', async ({ open, service, token }) => {
  const outbox = await open();
  service.faults.next(
    [422, 422, 422].map((status) => ({ type: 'status', status })),
    { token },
  );
  const ids: string[] = [];
  for (const quantity of [1, 2, 3, 4]) ids.push(await outbox.enqueue(token, step(quantity)));
  await outbox.drain();
  const listed = await outbox.list();
  expect(listed.map(({ id }) => id)).toEqual(ids.slice(0, 3));
  expect((await outbox.list({ limit: 2 })).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const [, second = ''] = ids;
  expect((await outbox.list({ after: second })).map(({ id }) => id)).toEqual(ids.slice(2, 3));
  expect(await outbox.list({ after: randomUUID() })).toHaveLength(3);
  expect(await outbox.list({ token: 'another' })).toEqual([]);
  expect(await outbox.list({ states: ['applied'] })).toMatchObject([{ id: ids[3] }]);
  expect(await outbox.list({ states: ['queued', 'sending'] })).toEqual([]);
  expect((await outbox.history(token, 2)).map(({ id }) => id)).toEqual([ids[3], ids[2]]);
  await expect(outbox.list({ states: ['dead'] as never })).rejects.toThrow('write states as some of');
  await expect(outbox.list({ after: 'x' })).rejects.toThrow(TypeError);
  await expect(outbox.list({ limit: 0 })).rejects.toThrow('list: limit');
  await expect(outbox.history(token, -1)).rejects.toThrow('history: limit');
});

onBothInFull('reports the backlog, what holds it up, and the workers', async ({ open, service, reaches }) => {
  const begunAt = Date.now();
  const outbox = await open();
  expect(await outbox.status()).toEqual({
    updates: { queued: 0, sending: 0, needsReview: 0, rejected: 0 },
    orders: { waiting: 0, active: 0, held: 0 },
    held: [],
    service: { state: 'ok' },
    workers: [],
  });
  const [held = '', other = ''] = service.orders.map(({ token }) => token);
  service.faults.next({ type: 'status', status: 500 }, { token: held });
  service.faults.next({ type: 'status', status: 400 }, { token: other });
  const id = await outbox.enqueue(held, step(1));
  await outbox.enqueue(held, step(2));
  await outbox.enqueue(other, step(3));
  await outbox.start();
  await reaches(outbox, id, 'needs_review');
  await until('one is rejected', async () => (await outbox.counts()).rejected === 1);
  const status = await outbox.status();
  expect(status).toMatchObject({
    updates: { queued: 1, sending: 0, needsReview: 1, rejected: 1 },
    orders: { waiting: 0, active: 0, held: 1 },
    workers: [{ id: expect.any(String) }],
  });
  expect(Number(status.updates.oldestQueuedAt)).toBeGreaterThanOrEqual(begunAt);
  expect(Number(status.updates.oldestQueuedAt)).toBeLessThanOrEqual(Date.now());
});

onBothInFull(
  'drains what is due without start, again and again, and nothing that is delayed',
  async (scene) => {
    const { open, service, token } = scene;
    const outbox = await open();
    for (const quantity of [1, 2]) {
      await outbox.enqueue(token, step(quantity));
      expect(await outbox.drain()).toEqual({ problem: undefined });
    }
    expect(stepsApplied(service, token)).toEqual([1, 2]);
    service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '3000' } }, { token });
    await outbox.enqueue(token, step(3));
    await outbox.drain();
    expect(await outbox.counts()).toMatchObject({ queued: 1 });
  },
);

onBothInFull('ends a drain once its time is over, though more is due', async ({ open, service }) => {
  // The second slot lies a quarter of an hour ahead.
  const outbox = await open({ rate: { perSecond: 0.001 } });
  for (const { token } of service.orders.slice(0, 2)) await outbox.enqueue(token, step(1));
  await outbox.drain({ maxMs: 100 });
  expect((await outbox.counts()).queued).toBeGreaterThan(0);
});

onPostgres('aborts nothing that a drain has begun, however soon its time is over', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open();
  service.faults.next({ type: 'latency', ms: 10_500 }, { token });
  const id = await outbox.enqueue(token, step(1));
  let looks = 0;
  const ended = await until('it was begun', async () => {
    await outbox.drain({ maxMs: 100 * ++looks });
    const { state, attempts = 0, code } = (await outbox.get(id)) ?? {};
    return attempts > 0 && { state, attempts, code };
  });
  expect(ended).toEqual({ state: 'applied', attempts: 1, code: undefined });
});

/** A store whose database can go away: from then on, each of its statements comes to what `away` does. */
async function mayGoAway({ openStore }: Scene, away: () => Promise<never>) {
  const base = await openStore();
  const database = { isAway: false };
  const unlessAway = <T>(work: () => Promise<T>): Promise<T> => (database.isAway ? away() : work());
  const store: OutboxStore = {
    ...base,
    query: (...call) => unlessAway(() => base.query(...call)),
    executeSql: (...call) => unlessAway(() => base.executeSql(...call)),
    transaction: (...call) => unlessAway(() => base.transaction(...call)),
  };
  return { store, database };
}
const never = (): Promise<never> => new Promise(() => {});

/** Drains until an update is in flight, and a drain waits for its response alone. Returns these drains, and what they said. */
async function drainUntilItEnds(outbox: Outbox, service: MockOrderService) {
  const problems: string[] = [];
  const drains: Promise<unknown>[] = [];
  const drain = (maxMs: number): void => {
    const drained = outbox.drain({ maxMs });
    drains.push(drained.then(({ problem }) => problem && problems.push(problem)));
  };
  // They overlap, and so they share a worker, however slow that is.
  await until('the update is in flight', () => {
    drain(2_000);
    return service.ledger.length === 1;
  });
  problems.length = 0;
  await until('a drain says what it waits for', () => {
    drain(100);
    return problems.includes(drainEnds);
  });
  return { drains };
}

const drainEnds = 'An earlier drain() waits for what it has in flight, and nothing else is sent until then.';

onBoth('says that a drain or a start waits for the end of an earlier drain', async (scene) => {
  const { open, service, token, warnings } = scene;
  const held = holdResponses(scene);
  const outbox = await open({ client: held.client });
  const id = await outbox.enqueue(token, step(1));
  const { drains } = await drainUntilItEnds(outbox, service);
  const waiting = [outbox.drain(), outbox.start()];
  await until('they say so, too', () => warnings.length === 2);
  held.release();
  await Promise.all([...drains, ...waiting]);
  expect(warnings).toEqual([drainEnds, drainEnds]);
  expect(await outbox.get(id)).toMatchObject({ state: 'applied', attempts: 1 });
});

onBoth(
  'ends a drain, and a start behind it, where it is closed while its database is away',
  async (scene) => {
    const { open, service, token, warnings } = scene;
    const held = holdResponses(scene);
    const { store, database } = await mayGoAway(scene, never);
    const outbox = await open({ client: held.client, store });
    await outbox.enqueue(token, step(1));
    const { drains } = await drainUntilItEnds(outbox, service);
    const drained = Promise.allSettled(drains);
    const waiting = Promise.allSettled([outbox.drain(), outbox.start()]);
    await until('they wait for a drain', () => warnings.length === 2);
    database.isAway = true;
    held.release();
    await outbox.close({ graceMs: 0 });
    for (const ended of await waiting) expect(ended).toMatchObject({ reason: { code: 'closed' } });
    await drained;
    expect(warnings.slice(2)).toEqual([expect.stringContaining('could be stored: 1 will need review')]);
  },
);

onBothInFull('ends a drain and a close while its database does not let it start', async (scene) => {
  const { open, openStore, service, token } = scene;
  const base = await openStore();
  const started = Promise.withResolvers<void>();
  let isClosed = false;
  const store: OutboxStore = {
    ...base,
    async listen(...call) {
      await started.promise;
      const subscription = await base.listen(...call);
      return {
        ...subscription,
        async close() {
          isClosed = true;
          await subscription.close();
        },
      };
    },
  };
  const outbox = await open({ store });
  await outbox.enqueue(token, step(1));
  expect(await outbox.drain({ maxMs: 50 })).toEqual({
    problem: `Nothing was sent within 50 ms: the worker waits for ${store.place}.`,
  });
  const start = outbox.start().catch((error: unknown) => error);
  await outbox.close({ graceMs: 0 });
  started.resolve();
  expect(await start).toMatchObject({ code: 'closed' });
  await until('what it listens with is closed', () => isClosed);
  expect(stepsApplied(service, token)).toEqual([]);
});

onBothInFull('ends a drain whose database stops to respond, and says so', async (scene) => {
  const { store, database } = await mayGoAway(scene, never);
  const outbox = await scene.open({ store });
  database.isAway = true;
  let looks = 0;
  // Before its worker has started, and while an earlier one ends, it says that.
  await until('it says so', async () => {
    const { problem } = await outbox.drain({ maxMs: 100 * ++looks });
    return problem === `${store.place} has not responded.`;
  });
});

onBothInFull(
  'waits for what a drain has in flight, while its database is away for a while',
  async (scene) => {
    const { open, service, token, warnings } = scene;
    const held = holdResponses(scene);
    const { store, database } = await mayGoAway(scene, async () => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    const outbox = await open({ client: held.client, store });
    const id = await outbox.enqueue(token, step(1));
    const { drains } = await drainUntilItEnds(outbox, service);
    database.isAway = true;
    await until('its worker notices that', () =>
      warnings.some((text) => text.includes('database of the outbox fails')),
    );
    // Longer than an end of a drain waits for a database.
    await delay(20_000);
    database.isAway = false;
    held.release();
    await Promise.all(drains);
    expect(await outbox.get(id)).toMatchObject({ state: 'applied', attempts: 1 });
  },
);

onBothInFull('starts again where a start has failed', async ({ open, openStore, service, token }) => {
  const base = await openStore();
  let calls = 0;
  const store: OutboxStore = {
    ...base,
    async listen(...call) {
      if (++calls === 1) throw new Error('too many connections');
      return base.listen(...call);
    },
  };
  const outbox = await open({ store });
  await outbox.enqueue(token, step(1));
  await expect(outbox.start()).rejects.toThrow('too many connections');
  expect(await outbox.drain()).toEqual({ problem: undefined });
  expect(stepsApplied(service, token)).toEqual([1]);
});

onBothInFull('refuses options that it does not know', async ({ open }) => {
  const outbox = await open();
  await expect(outbox.drain({ maxMS: 5 } as object)).rejects.toThrow('Did you mean "maxMs"?');
  await expect(outbox.changes({ since: 'now' } as object)).rejects.toThrow('Known: after, limit');
  await expect(outbox.changes({ after: 5 } as object)).rejects.toThrow('pass the cursor of an earlier call');
  await expect(outbox.close({ grace: 5 } as object)).rejects.toThrow('Did you mean "graceMs"?');
});

onBothInFull('lets drains and start share one worker, which close stops', async (scene) => {
  const { open, openStore, service, token, sql, schema, reaches } = scene;
  const store = await openStore();
  let listeners = 0;
  const listen: typeof store.listen = (...args) => {
    listeners++;
    return store.listen(...args);
  };
  const outbox = await open({ store: { ...store, listen } });
  service.faults.next({ type: 'latency', ms: 200 }, { token });
  await outbox.enqueue(token, step(1));
  await Promise.all([outbox.drain(), outbox.drain(), outbox.start()]);
  expect(stepsApplied(service, token)).toEqual([1]);
  await reaches(outbox, await outbox.enqueue(token, step(2)), 'applied');
  expect((await outbox.status()).workers).toHaveLength(1);
  expect(listeners).toBe(1);
  await outbox.close();
  expect(await rowsOf(sql, `select from ${schema}.limits where name like 'worker:%'`)).toEqual([]);
});

onBothInFull('rejects a drain that is closed before it works, a first one and another', async ({ open }) => {
  for (const drainsBefore of [true, false]) {
    const outbox = await open();
    if (drainsBefore) await outbox.drain({ maxMs: 100 });
    const drained = outbox.drain().catch((error: unknown) => error);
    await outbox.close();
    expect(await drained).toMatchObject({ code: 'closed' });
  }
});

onBothInFull('says which update may be accepted when the response to a commit is lost', async (scene) => {
  const { open, openStore, token } = scene;
  let lost: 'before' | 'after' | undefined;
  const lose = (when: typeof lost): void => {
    if (lost === when) throw new Error('Connection terminated unexpectedly');
  };
  const outbox = await open({
    store: watchStore(await openStore(), { begin: () => lose('before'), afterCommit: () => lose('after') }),
  });
  lost = 'before';
  const refused = await outbox.enqueue(token, step(1)).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'database_unusable',
    message: expect.stringMatching(/unexpectedly\.$/),
  });
  lost = 'after';
  const id = randomUUID();
  await expect(outbox.enqueue(token, step(1), { id })).rejects.toMatchObject({
    code: 'database_unusable',
    message: expect.stringContaining(`Whether the update ${id} was accepted is unknown`),
  });
  lost = undefined;
  await expect(outbox.enqueue(token, step(1), { id })).rejects.toMatchObject({ code: 'duplicate_id' });
});

onPostgres('notifies only while a worker listens', async (scene) => {
  const { open, openStore, postgres, schema, token, reaches } = scene;
  await using listener = await connect(postgres);
  const heard: string[] = [];
  listener.on('notification', ({ payload = '' }) => heard.push(payload));
  const hear = async (mark: string): Promise<void> => {
    await listener.query(`select pg_notify('${schema}_wake', '${mark}')`);
    await until(`${mark} was heard`, () => heard.includes(mark));
  };
  await listener.query(`listen ${schema}_wake`);
  const polling = await open({ store: await openStore({ listen: false }) });
  await polling.start();
  await reaches(polling, await polling.enqueue(token, step(1)), 'applied');
  await hear('first');
  expect(heard).toEqual(['first']);
  const listening = await open();
  await listening.start();
  await until('both work', async () => (await listening.status()).workers.length === 2);
  await polling.enqueue(token, step(2));
  await hear('last');
  expect(heard).toEqual(['first', '', 'last']);
});

onPostgres('closes though calls wait for a connection of the pool', async ({ open, postgres, token }) => {
  const pool = openPool({ connectionString: postgres.connectionString, max: 1 });
  const outbox = await open({ store: postgresStore({ pool }) });
  const mine = await pool.connect();
  try {
    const waiting = outbox.enqueue(token, step(1));
    await outbox.close({ graceMs: 0 });
    // Only now there is a connection.
    mine.release();
    await waiting.catch(() => {});
  } finally {
    await pool.end();
  }
});

onBothInFull(
  'reports a database that fails as its own error, whatever the call',
  async ({ open, openStore, token }) => {
    const store = await openStore();
    let isAway = false;
    const query: typeof store.query = async (text, values) => {
      if (isAway) throw new Error('Connection terminated unexpectedly');
      return store.query(text, values);
    };
    const outbox = await open({ store: { ...store, query } });
    const id = await outbox.enqueue(token, step(1));
    isAway = true;
    const calls: readonly (() => Promise<unknown>)[] = [
      () => outbox.get(id),
      () => outbox.list(),
      () => outbox.history(token),
      () => outbox.status(),
      () => outbox.counts(),
      () => outbox.changes(),
      () => outbox.discard(id),
      () => outbox.resume(),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ name: 'OutboxError', code: 'database_unusable' });
  },
);

onBothInFull('refuses by a TypeError what is no id, no token and no update', async ({ open, token }) => {
  const outbox = await open();
  const good = { token, update: step(1) };
  for (const wrong of [undefined, null, 5, true, {}, ['one'], Symbol('id')] as never[]) {
    const calls = {
      'get: pass the id as a string.': () => outbox.get(wrong),
      'retry: pass the id as a string.': () => outbox.retry(wrong),
      'discard: pass the id as a string.': () => outbox.discard(wrong),
      'resolve: pass the id as a string.': () => outbox.resolve(wrong, 'applied'),
      'history: pass the token as a string.': () => outbox.history(wrong),
      'purge: pass the token as a string.': () => outbox.purge({ token: wrong }),
      ...(wrong !== undefined && {
        'list: pass the token as a string.': () => outbox.list({ token: wrong }),
      }),
    };
    for (const [message, call] of Object.entries(calls))
      await expect(call()).rejects.toThrow(new TypeError(message));
  }
  for (const wrong of [undefined, null, 5, 0, '', 'one', true, ['one']] as never[])
    await expect(outbox.enqueueAll([good, wrong])).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining('updates[1]: ') }),
    );
  const sparse = [good];
  sparse[2] = good;
  await expect(outbox.enqueueAll(sparse)).rejects.toThrow(
    new TypeError('enqueueAll: updates[1]: pass { token, update }.'),
  );
  expect(await outbox.history(token)).toEqual([]);
});

onBothInFull('refuses everything once it is closed', async ({ open, token }) => {
  const outbox = await open();
  const id = await outbox.enqueue(token, step(1));
  await outbox.close();
  const calls: readonly (() => Promise<unknown>)[] = [
    () => outbox.enqueue(token, step(2)),
    () => outbox.start(),
    () => outbox.drain(),
    () => outbox.get(id),
    () => outbox.list(),
    () => outbox.history(token),
    () => outbox.status(),
    () => outbox.counts(),
    () => outbox.changes(),
    () => outbox.retry(id),
    () => outbox.discard(id),
    () => outbox.resolve(id, 'applied'),
    () => outbox.purge({ token }),
    () => outbox.resume(),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({ name: 'OutboxError', code: 'closed' });
  await outbox.close();
});

onBothInFull('erases all that is stored of an order', async (scene) => {
  const { open, service, token, sql, schema } = scene;
  const outbox = await open();
  const other = service.orders[1]?.token ?? '';
  await outbox.enqueue(token, step(1));
  await outbox.drain();
  await outbox.enqueue(token, step(2));
  await outbox.enqueue(other, step(3));
  expect(await outbox.purge({ token })).toBe(2);
  expect(await outbox.history(token)).toEqual([]);
  for (const stored of [
    `select token from ${schema}.lanes`,
    `select singleton_key as token from ${schema}_queue.job`,
  ])
    expect(await rowsOf(sql, stored)).toEqual([{ token: other }]);
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([1]);
  expect(stepsApplied(service, other)).toEqual([3]);
  await outbox.enqueue(token, step(4));
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([1, 4]);
  await outbox.purge({ token });
  expect(await rowsOf(sql, `select token from ${schema}.lanes where token = $1`, [token])).toEqual([]);
});

onBothInFull(
  'erases what waits behind an update in flight, and that one once it has ended',
  async (scene) => {
    const { open, service, token } = scene;
    const held = holdResponses(scene);
    const outbox = await open({ client: held.client });
    await outbox.start();
    for (const number of [1, 2, 3]) await outbox.enqueue(token, step(number));
    await until('one is in flight', () => service.ledger.length === 1);
    const purging = outbox.purge({ token });
    await until('the others are erased', async () => (await outbox.history(token)).length === 1);
    held.release();
    expect(await purging).toBe(3);
    expect(stepsApplied(service, token)).toEqual([1]);
    expect(await outbox.history(token)).toEqual([]);
  },
);

onPostgres('erases what is sent while it erases', async (scene) => {
  const { open, openStore, token, sql, schema } = scene;
  const held = holdResponses(scene);
  const outbox = await open({ client: held.client });
  await outbox.start();
  const id = await outbox.enqueue(token, step(1));
  await until('it is in flight', async () => (await outbox.counts()).sending === 1);
  const other = await open({
    store: watchStore(await openStore(), {
      async afterStatement(text) {
        if (/^delete from \S+\.updates/.test(text) && (await outbox.get(id))?.state === 'sending') {
          held.release();
          await scene.reaches(outbox, id, 'applied');
        }
      },
    }),
  });
  expect(await other.purge({ token })).toBe(1);
  expect(await rowsOf(sql, `select from ${schema}.updates`)).toEqual([]);
  await scene.reaches(outbox, await other.enqueue(token, step(2)), 'applied');
});

onBoth('reads rows that cannot be read, and sends none of them', async (scene) => {
  const { open, service, sql, schema, reaches } = scene;
  const [broken = '', full = '', old = '', other = '', lost = ''] = service.orders.map(({ token }) => token);
  const outbox = await open();
  const [id, high, ancient] = [
    await outbox.enqueue(broken, step(1)),
    await outbox.enqueue(full, step(2)),
    await outbox.enqueue(old, step(3)),
  ];
  const unclaimed = await outbox.enqueue(lost, step(5));
  await sql.query(`update ${schema}.updates set state = 'sending' where id = $1`, [unclaimed]);
  await sql.query(
    `update ${schema}.updates set body = 'not JSON', receipt = '{', message = 'plain', issues = '<', note = '"', decided_at = now()
     where id = $1`,
    [id],
  );
  await sql.query(`update ${schema}.updates set attempts = 2147483647 where id = $1`, [high]);
  await sql.query(`update ${schema}.updates set created_at = 'infinity' where id = $1`, [ancient]);
  expect(await outbox.get(id)).toMatchObject({ state: 'queued' });
  await outbox.start();
  await reaches(outbox, await outbox.enqueue(other, step(4)), 'applied');
  expect(await reaches(outbox, id, 'needs_review')).toMatchObject({ code: 'unreadable', attempts: 1 });
  await reaches(outbox, high, 'applied');
  await reaches(outbox, ancient, 'applied');
  expect(await reaches(outbox, unclaimed, 'needs_review')).toMatchObject({ code: 'worker_lost' });
  expect(stepsApplied(service, broken)).toEqual([]);
  expect(stepsApplied(service, other)).toEqual([4]);
  expect(await outbox.history(old)).toMatchObject([{ createdAt: new Date(0) }]);
});

onPglite('sends while a caller enqueues without a pause', async ({ open, client, service }) => {
  const outbox = await open({ client });
  await outbox.start();
  const tokens = service.orders.map(({ token }) => token);
  for (let count = 0; service.ledger.length === 0; count++) {
    expect(count).toBeLessThan(1_000);
    await outbox.enqueue(tokens[count % tokens.length] ?? '', step(count));
  }
});

onPglite('lets sockets have their turn between the calls of others', async ({ open, token }) => {
  const outbox = await open();
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  turn();
  const ids = await Promise.all(Array.from({ length: 50 }, (_, count) => outbox.enqueue(token, step(count))));
  expect(turns).toBeGreaterThanOrEqual(50);
  for (const id of ids) await outbox.get(id);
  expect(turns).toBeGreaterThanOrEqual(100);
  isOver = true;
});

onPglite('takes up at once what a killed process was sending', async (scene) => {
  const { open, openStore, service, token, sql, schema, reaches } = scene;
  const store = mortalStore(await openStore());
  const killed = await open({ store });
  service.faults.next({ type: 'stalled_headers' }, { token });
  const sent = await killed.enqueue(token, step(1));
  const behind = await killed.enqueue(token, step(2));
  await killed.start();
  await until('the service has it', () => service.ledger.length === 1);
  // Without a heartbeat, it would be given back in a day.
  await sql.query(`update ${schema}_queue.job_common set heartbeat_seconds = 86400`);
  store.kill();
  const outbox = await open();
  expect(await outbox.get(sent)).toMatchObject({ state: 'sending' });
  await outbox.start();
  expect(await reaches(outbox, sent, 'needs_review')).toMatchObject({ code: 'worker_lost' });
  expect(await outbox.get(behind)).toMatchObject({ state: 'queued' });
});

onPglite('probes at once where the process that did so was killed', async (scene) => {
  const { open, sql, schema, token } = scene;
  const killed = await open();
  const id = await killed.enqueue(token, step(1));
  await killed.close();
  const leased = JSON.stringify({ state: 'service_unavailable', owner: randomUUID() });
  await sql.query(
    `update ${schema}.limits set data = $1, until = clock_timestamp() + interval '60 seconds' where name = 'service'`,
    [leased],
  );
  const outbox = await open();
  await outbox.start();
  await scene.reaches(outbox, id, 'applied');
});

onBoth('finds nothing, and deletes nothing, of a token that no database stores', async ({ open }) => {
  const outbox = await open();
  // What PostgreSQL would store instead of half a surrogate pair is the token of another order.
  const other = 'ord_\ufffd';
  const id = await outbox.enqueue(other, step(1));
  for (const token of ['ord_\0', '\0', 'ord_\ud800', '\udfffx', '\ufefford_\ufffd']) {
    expect(await outbox.history(token), JSON.stringify(token)).toEqual([]);
    expect(await outbox.list({ states: ['queued'], token }), JSON.stringify(token)).toEqual([]);
    expect(await outbox.purge({ token }), JSON.stringify(token)).toBe(0);
  }
  expect(await outbox.get(id)).toMatchObject({ token: other, state: 'queued' });
});

onBothInFull('refuses a cursor that no page has', async ({ open }) => {
  const outbox = await open();
  const id = '00000000-0000-0000-0000-000000000000';
  await expect(outbox.changes({ after: `${2n ** 64n - 1n}:${id}` })).resolves.toMatchObject({ updates: [] });
  for (const after of [
    '',
    '0',
    `0:${id.slice(1)}`,
    `-1:${id}`,
    `${2n ** 64n}:${id}`,
    `${'9'.repeat(20)}:${id}`,
  ])
    await expect(outbox.changes({ after }), after).rejects.toThrow(
      new TypeError("changes: pass the cursor of an earlier call as after, or 'now'."),
    );
});

onBothInFull(
  'pages through changes, each update with its latest state',
  async ({ open, service, token }) => {
    const outbox = await open();
    const first = await outbox.enqueue(token, step(1));
    const { updates, cursor } = await outbox.changes();
    expect(updates).toMatchObject([{ id: first, state: 'queued' }]);
    expect(await outbox.changes({ after: cursor })).toEqual({ updates: [], cursor });
    const now = await outbox.changes({ after: 'now' });
    const second = await outbox.enqueue(service.orders[1]?.token ?? '', step(2));
    expect((await outbox.changes({ after: now.cursor })).updates).toMatchObject([{ id: second }]);
    await outbox.drain();
    const page = await outbox.changes({ after: cursor, limit: 1 });
    expect(page.updates).toHaveLength(1);
    const rest = await outbox.changes({ after: page.cursor });
    const seen = [...page.updates, ...rest.updates];
    expect(seen.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted());
    expect(seen.every(({ state }) => state === 'applied')).toBe(true);
    await expect(outbox.changes({ after: 'yesterday' })).rejects.toThrow(TypeError);
  },
  { isAlone: true },
);

onPostgres(
  'passes over no change of a transaction that commits late',
  async (scene) => {
    const { open, service, postgres } = scene;
    const outbox = await open();
    const [one = '', two = ''] = service.orders.map(({ token }) => token);
    await using late = await connect(postgres);
    await late.query('begin');
    const early = await outbox.enqueue(one, step(1), { tx: late });
    const quick = await outbox.enqueue(two, step(2));
    const before = await outbox.changes();
    expect(before.updates).toEqual([]);
    await late.query('commit');
    const { updates } = await outbox.changes({ after: before.cursor });
    expect(updates.map(({ id }) => id)).toEqual([early, quick]);
  },
  // A transaction of another test would hold its changes back, too.
  { isAlone: true },
);

onBothInFull(
  'publishes the trace context of an update when it sends it',
  async ({ open, token }) => {
    const { tracingChannel } = await import('node:diagnostics_channel');
    const channel = tracingChannel<unknown, object>('orders.outbox.send');
    const traces: object[] = [];
    const subscriber = { start: (trace: unknown) => void traces.push({ ...(trace as object) }) };
    channel.start.subscribe(subscriber.start);
    try {
      const outbox = await open();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const id = await outbox.enqueue(token, step(1), { traceparent });
      await outbox.drain();
      expect(traces).toEqual([{ id, attempt: 1, traceparent }]);
      expect(await outbox.get(id)).toMatchObject({ traceparent });
    } finally {
      channel.start.unsubscribe(subscriber.start);
    }
  },
  { isAlone: true },
);
