import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { onBothInFull, onPostgres, step, until } from '../test/scene.ts';
import { watchStore } from '../test/watch-store.ts';
import { boundRate, freeSlots, readLimits, takeSlots } from './limits.ts';

onBothInFull('takes each slot once, whatever the sizes of the batches', async ({ open, sql, schema }) => {
  await open();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (sizes, burst) => {
        await sql.query(`update ${schema}.limits set until = '-infinity'`);
        const begunAt = performance.now();
        const due: number[] = [];
        // Slots so far apart that the test's own time does not count: one in 10 s.
        for (const size of sizes) {
          const waits = await takeSlots(sql, schema, { perSecond: 0.1, burst }, size);
          due.push(...waits.map((ms) => (ms === 0 ? 0 : ms + performance.now() - begunAt)));
        }
        const slots = due.map((ms) => Math.round(ms / 10_400));
        const count = sizes.reduce((sum, size) => sum + size, 0);
        expect(slots).toEqual(Array.from({ length: count }, (_, slot) => Math.max(0, slot - burst + 1)));
      },
    ),
    { numRuns: 25 },
  );
});

onBothInFull('lets a worker take no slot that is far ahead', async ({ open, sql, schema }) => {
  await open();
  const rate = { perSecond: 10, burst: 2 };
  expect(freeSlots(rate, await readLimits(sql, schema)).count).toBe(6);
  await takeSlots(sql, schema, rate, 20);
  const { count, inMs } = freeSlots(rate, await readLimits(sql, schema));
  expect(count).toBe(0);
  expect(inMs).toBeGreaterThan(1_000);
  await sql.query(`update ${schema}.limits set until = until + interval '1 hour' where name = 'rate'`);
  await boundRate(sql, schema, rate);
  expect(freeSlots(rate, await readLimits(sql, schema)).count).toBeGreaterThan(0);
});

onPostgres('shares one rate between processes', async ({ open, service }) => {
  const rate = { perSecond: 40, burst: 2 };
  const outboxes = [await open({ rate }), await open({ rate }), await open({ rate })];
  for (let number = 0; number < 60; number++)
    await outboxes[0]?.enqueue(service.orders[number % 12]?.token ?? '', step(number));
  await Promise.all(outboxes.map((outbox) => outbox.start()));
  await until('all is applied', () => service.ledger.length === 60);
  const times = service.journal
    .flatMap(({ at, operation }) => (operation === 'update' ? [at] : []))
    .sort((a, b) => a - b);
  // 40 a second, the burst, and as many as may be late by a quarter of a second on a busy machine.
  const inSecond = times.map((at) => times.filter((other) => other >= at && other < at + 1_000).length);
  expect(Math.max(...inSecond)).toBeLessThanOrEqual(40 + 2 + 10);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_100);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(6_000);
});

onBothInFull('takes no more than may leave soon, and loses nothing when it closes', async (scene) => {
  const { open, service } = scene;
  const outbox = await open({ rate: { perSecond: 1 } });
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  await outbox.start();
  await until('the first is sent', () => service.ledger.length > 0);
  const { sending } = await outbox.counts();
  expect(sending).toBeLessThanOrEqual(2);
  const begunAt = performance.now();
  await outbox.close({ graceMs: 30_000 });
  expect(performance.now() - begunAt).toBeLessThan(5_000);
  const again = await open();
  const { applied, queued } = await again.counts();
  expect(applied + queued).toBe(12);
  await again.drain();
  expect(service.ledger).toHaveLength(12);
});

onBothInFull('reaches a slow rate', async ({ open, service }) => {
  const outbox = await open({ rate: { perSecond: 4 } });
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  await outbox.start();
  await until('all is applied', () => service.ledger.length === 12);
  const times = service.journal.flatMap(({ at, operation }) => (operation === 'update' ? [at] : []));
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  // The queue is looked at by itself every five seconds: most of them left at a slot, however long a machine holds up others.
  expect(gaps.toSorted((a, b) => a - b)[5]).toBeLessThan(4_000);
});

onBothInFull('drains all that is due at a slow rate', async ({ open, service }) => {
  // The next slot lies further ahead than any is taken.
  const outbox = await open({ rate: { perSecond: 1.5 } });
  for (const { token } of service.orders.slice(0, 3)) await outbox.enqueue(token, step(1));
  await outbox.drain();
  expect(service.ledger).toHaveLength(3);
});

onPostgres(
  'takes another slot only for an update whose own is over',
  async ({ open, openStore, service }) => {
    const perSecond = 4;
    const retaken: number[] = [];
    const store = watchStore(await openStore(), {
      beforeCommit(turn) {
        if (retaken.length > 0 || turn?.heads.length !== 2) return;
        // As if the first of its two slots were over by now; the second is not, however busy the machine is.
        Object.assign(turn, { slotsAt: turn.slotsAt - 100 });
        for (const [place, head] of turn.heads.entries()) Object.assign(head, { slotMs: place * 2_500 });
      },
    });
    const outbox = await open({
      rate: { perSecond },
      store: {
        ...store,
        executeSql(text, values = []) {
          if (text.includes(`name = 'rate' returning`)) retaken.push((Number(values[1]) * perSecond) / 1_040);
          return store.executeSql(text, values);
        },
      },
    });
    for (const { token } of service.orders.slice(0, 3)) await outbox.enqueue(token, step(1));
    await outbox.start();
    await until('the others are sent', () => service.ledger.length === 3);
    expect(retaken[0]).toBe(1);
  },
);

onBothInFull('makes rows of limits again that were lost', async ({ open, sql, schema }) => {
  const outbox = await open();
  await sql.query(`delete from ${schema}.limits`);
  await outbox.start();
  await until('they are back', async () => {
    const { rows } = await sql.query(`select name from ${schema}.limits where name not like 'worker:%'`);
    return rows.length === 3;
  });
});

onPostgres(
  'lets a burst leave at once though each commit is slow',
  async ({ open, openStore, service }) => {
    const outbox = await open({
      rate: { perSecond: 1, burst: 10 },
      store: watchStore(await openStore(), {
        async afterCommit(turn) {
          if (turn) await delay(60);
        },
      }),
    });
    for (const { token } of service.orders.slice(0, 10)) await outbox.enqueue(token, step(1));
    await outbox.start();
    await until('the first leaves', () => service.ledger.length > 0);
    const begunAt = performance.now();
    await until('the burst is applied', () => service.ledger.length === 10);
    expect(performance.now() - begunAt).toBeLessThan(6_000);
  },
  { isAlone: true },
);

onPostgres('shares one concurrency between processes', async ({ open, service }) => {
  const outboxes = [await open({ concurrency: 4 }), await open({ concurrency: 4 })];
  service.faults.always({ type: 'latency', ms: 60 });
  await Promise.all(outboxes.map((outbox) => outbox.start()));
  for (let number = 0; number < 36; number++)
    await outboxes[number % 2]?.enqueue(service.orders[number % 12]?.token ?? '', step(number));
  // The second joins while the first has all places.
  await until('both work', async () => (await outboxes[0]?.status())?.workers.length === 2);
  await until('all is applied', () => service.ledger.length === 36);
  const updates = service.journal.filter(({ operation }) => operation === 'update');
  const busy = updates.map(
    ({ at }) => updates.filter((other) => other.at <= at && (other.respondedAt ?? 0) > at).length,
  );
  expect(Math.max(...busy)).toBeLessThanOrEqual(4);
});

onPostgres('pauses every process after a 429, and goes on at once when a person says so', async (scene) => {
  const { open, service, token, clientWith } = scene;
  const outboxes = [
    await open({ client: clientWith(2_000) }),
    await open({ client: clientWith(2_000) }),
  ] as const;
  const [first, second] = outboxes;
  // A day: the service is tried again after an hour.
  service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '86400' } }, { token });
  const id = await first.enqueue(token, step(1));
  await first.start();
  const { pausedUntil } = await until('the pause is stored', async () => {
    const status = await second.status();
    return status.pausedUntil && status;
  });
  const inMs = Number(pausedUntil) - Date.now();
  expect(inMs).toBeGreaterThan(3_500_000);
  expect(inMs).toBeLessThanOrEqual(3_600_000);
  expect(await first.get(id)).toMatchObject({ state: 'queued', status: 429 });
  await second.start();
  const other = await second.enqueue(service.orders[1]?.token ?? '', step(2));
  await delay(4_000);
  expect(await second.get(other)).toMatchObject({ state: 'queued', attempts: 0 });
  // By a process that sends nothing itself.
  const desk = await open({ client: undefined as never });
  await desk.resume();
  await until('both are applied', () => service.ledger.length === 2);
  expect((await desk.status()).pausedUntil).toBeUndefined();
});

onBothInFull(
  'bounds a pause that somebody has stored without an end',
  async ({ open, sql, schema, token, service }) => {
    const outbox = await open();
    await sql.query(`update ${schema}.limits set until = 'infinity' where name = 'pause'`);
    await outbox.enqueue(token, step(1));
    expect((await outbox.status()).pausedUntil).toBeInstanceOf(Date);
    await outbox.start();
    await until('it is bounded', async () => {
      const { pausedUntil } = await outbox.status();
      return Number(pausedUntil) - Date.now() <= 3_600_000;
    });
    expect(service.ledger).toEqual([]);
    await outbox.resume();
    await until('it is applied', () => service.ledger.length === 1);
  },
);
