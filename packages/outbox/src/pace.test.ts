import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { onBoth, onPglite, onPostgres, step, until } from '../test/scene.ts';
import { markSending } from './claim.ts';
import { intervalOf, reservePlaces } from './pace.ts';
import type { Sql } from './store/sql.ts';

async function pauseAll(sql: Sql, schema: string, ms: number): Promise<void> {
  await sql.query(
    `update ${schema}.limits set paused_until = clock_timestamp() + $1 * interval '1 millisecond' where name = 'feed'`,
    [ms],
  );
}

onBoth('lets the burst leave at once, and the others evenly', async ({ open, sql, schema }) => {
  await open();
  const waits = await reservePlaces(sql, schema, { perSecond: 10, burst: 3, concurrency: 32 }, 6);
  expect(waits.slice(0, 3)).toEqual([0, 0, 0]);
  const rounded = waits.slice(3).map((ms) => Math.round(ms / 50) * 50);
  expect(rounded).toEqual([100, 200, 300]);
});

onBoth('gives each place once, whatever the sizes of the requests for it', async ({ open, sql, schema }) => {
  await open();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (sizes, burst) => {
        await sql.query(`update ${schema}.limits set next_at = '-infinity'`);
        const begun = performance.now();
        const due: number[] = [];
        // A place far enough apart that the test's own time does not count: one in 10 s.
        for (const size of sizes) {
          const waits = await reservePlaces(sql, schema, { perSecond: 0.1, burst, concurrency: 60 }, size);
          due.push(...waits.map((ms) => (ms === 0 ? 0 : ms + performance.now() - begun)));
        }
        const places = due.map((ms) => Math.round(ms / intervalOf({ perSecond: 0.1 })));
        const count = sizes.reduce((sum, size) => sum + size, 0);
        expect(places).toEqual(Array.from({ length: count }, (_, place) => Math.max(0, place - burst + 1)));
      },
    ),
    { numRuns: 25 },
  );
});

onBoth('gives no place before the pause ends that the service asked for', async ({ open, sql, schema }) => {
  await open();
  await pauseAll(sql, schema, 60_000);
  const [first = 0, second = 0] = await reservePlaces(sql, schema, { perSecond: 100, concurrency: 32 }, 2);
  expect(first).toBeGreaterThan(55_000);
  // Somewhat wider apart than the 10 ms of the rate.
  expect(second - first).toBeCloseTo(10.4, 5);
});

onBoth('marks nothing as being sent before that pause ends', async ({ open, sql, schema, token }) => {
  const outbox = await open();
  const id = await outbox.enqueue(token, step(1));
  const marks = [{ head: { id, passed: 0 }, claim: 'mine' }];
  await pauseAll(sql, schema, 60_000);
  expect([...(await markSending(sql, schema, marks))]).toEqual([]);
  await sql.query(`update ${schema}.limits set paused_until = clock_timestamp()`);
  expect([...(await markSending(sql, schema, marks))]).toEqual([id]);
});

onPostgres('shares one rate between processes', async ({ open, service }) => {
  const rate = { perSecond: 40, burst: 2 };
  const outboxes = [await open({ rate }), await open({ rate }), await open({ rate })];
  for (let number = 0; number < 60; number++) {
    await outboxes[0]?.enqueue(service.orders[number % 12]?.token ?? '', step(number));
  }
  await Promise.all(outboxes.map((outbox) => outbox.work()));
  await outboxes[0]?.drain();
  const times = service.journal.map(({ at }) => at).sort((a, b) => a - b);
  expect(times).toHaveLength(60);
  // 40 a second, the burst, and as many as may be late by a quarter of a second on a busy machine.
  const inSecond = times.map((at) => times.filter((other) => other >= at && other < at + 1_000).length);
  expect(Math.max(...inSecond)).toBeLessThanOrEqual(40 + 2 + 10);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_100);
});

onBoth('keeps its pace though the database was slow to mark', async ({ open, openStore, service }) => {
  const store = await openStore();
  let marks = 0;
  const outbox = await open({
    rate: { perSecond: 5 },
    store: {
      ...store,
      async query(text, values) {
        if (text.includes('mark.claim') && ++marks === 2) await delay(700);
        return store.query(text, values);
      },
    },
  });
  for (const { token } of service.orders.slice(0, 8)) await outbox.enqueue(token, step(1));
  await outbox.work();
  await outbox.drain();
  const times = service.journal.map(({ at }) => at).sort((a, b) => a - b);
  expect(times).toHaveLength(8);
  // Places are 200 ms apart: those that were missed meanwhile are not made up for at once.
  for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThan(100);
});

onPostgres(
  'lets no burst that was late leave together with the next',
  async ({ open, openStore, service }) => {
    const store = await openStore();
    const slow = delay(2_500);
    const outbox = await open({
      rate: { perSecond: 2, burst: 6 },
      store: {
        ...store,
        async query(text, values) {
          if (text.includes('mark.claim')) await slow;
          return store.query(text, values);
        },
      },
    });
    await outbox.work();
    for (const { token } of service.orders.slice(0, 6)) await outbox.enqueue(token, step(1));
    await delay(2_000);
    for (const { token } of service.orders.slice(6)) await outbox.enqueue(token, step(1));
    await outbox.drain();
    const times = service.journal.map(({ at }) => at);
    expect(times).toHaveLength(12);
    const inSecond = times.map((at) => times.filter((other) => other >= at && other < at + 1_000).length);
    expect(Math.max(...inSecond)).toBeLessThanOrEqual(2 + 6);
  },
);

onPglite('keeps its rate where the database takes long to mark', async ({ open, openStore, service }) => {
  const store = await openStore();
  const outbox = await open({
    rate: { perSecond: 20 },
    store: {
      ...store,
      async query(text, values) {
        if (text.includes('mark.claim')) await delay(60);
        return store.query(text, values);
      },
    },
  });
  for (let number = 0; number < 60; number++) {
    await outbox.enqueue(service.orders[number % 12]?.token ?? '', step(number));
  }
  await outbox.work();
  await outbox.drain();
  const times = service.journal.map(({ at }) => at);
  // At 20 a second that are 3 s; with every second place missed it would be 6.
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(4_800);
});

onBoth(
  'goes on within a minute or so where the clock of the database was set back',
  async ({ open, sql, schema }) => {
    await open();
    const rate = { perSecond: 50, burst: 1, concurrency: 32 };
    await reservePlaces(sql, schema, rate, 1);
    await sql.query(`update ${schema}.limits set next_at = next_at + interval '1 hour' where name = 'rate'`);
    const [first = 0] = await reservePlaces(sql, schema, rate, 1);
    expect(first).toBeGreaterThan(30_000);
    expect(first).toBeLessThan(70_000);
  },
);

onPostgres('shares one concurrency between processes', async ({ open, service }) => {
  const outboxes = [await open({ concurrency: 4 }), await open({ concurrency: 4 })];
  service.faults.always({ type: 'latency', ms: 40 });
  await Promise.all(outboxes.map((outbox) => outbox.work()));
  for (let number = 0; number < 36; number++) {
    await outboxes[number % 2]?.enqueue(service.orders[number % 12]?.token ?? '', step(number));
  }
  await outboxes[0]?.drain();
  expect(service.ledger).toHaveLength(36);
  const busy = service.journal.map(
    ({ at }) => service.journal.filter((other) => other.at <= at && (other.respondedAt ?? 0) > at).length,
  );
  expect(Math.max(...busy)).toBeLessThanOrEqual(4);
});

onPostgres('pauses every process when the service tells one to slow down', async ({ open, service }) => {
  const outboxes = [await open(), await open()];
  const [first = '', ...others] = service.orders.map(({ token }) => token);
  service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '1' } }, { token: first });
  await outboxes[0]?.enqueue(first, step(1));
  await outboxes[0]?.work();
  await until('the pause is stored', async () => (await outboxes[0]?.history(first))?.[0]?.status === 429);
  await outboxes[1]?.work();
  for (const token of others) await outboxes[1]?.enqueue(token, step(2));
  await outboxes[1]?.drain();
  const refusedAt = service.journal[0]?.respondedAt ?? 0;
  for (const { at } of service.journal.slice(1)) expect(at - refusedAt).toBeGreaterThan(900);
  expect(service.ledger).toHaveLength(12);
});

onBoth('takes no more than may leave soon, and gives up their places when it closes', async (scene) => {
  const { open, service } = scene;
  const outbox = await open({ rate: { perSecond: 1 } });
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  await outbox.work();
  await service.waitForRequests(1);
  const begun = performance.now();
  await outbox.close({ graceMs: 30_000 });
  expect(performance.now() - begun).toBeLessThan(5_000);
  const again = await open();
  expect(await again.counts()).toMatchObject({ parked: 0, sending: 0 });
  const { applied, queued } = await again.counts();
  expect(applied + queued).toBe(12);
  await again.work();
  await again.drain();
  expect(service.ledger).toHaveLength(12);
});
