import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import fc from 'fast-check';
import { expect } from 'vitest';
import { onBothInFull, onPostgres, step, until } from '../test/scene.ts';
import { watchStore } from '../test/watch-store.ts';
import { boundRate, freePlaces, observeOutcomes, readLimits, takeSlots } from './limits.ts';

/** The next slot lies further ahead than any is taken. */
const slowRate = { perSecond: 1.9 };

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
        // Slots so far apart that the test's own time does not count: one in a quarter of an hour.
        for (const size of sizes) {
          const { waitsMs } = await takeSlots(sql, schema, { perSecond: 0.001, burst }, size);
          due.push(...waitsMs.map((ms) => (ms === 0 ? 0 : ms + performance.now() - begunAt)));
        }
        const slots = due.map((ms) => Math.round(ms / 1_040_000));
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
  const limits = await readLimits(sql, schema);
  expect(freePlaces(limits, rate, false).count).toBe(6);
  expect(freePlaces({ ...limits, rateMs: 2_000 }, rate, false)).toEqual({ count: 0, inMs: 1_500 });
  await takeSlots(sql, schema, rate, 1_000);
  const { count, inMs } = freePlaces(await readLimits(sql, schema), rate, false);
  expect(count).toBe(0);
  expect(inMs).toBeGreaterThan(60_000);
  await sql.query(`update ${schema}.limits set until = until + interval '1 hour' where name = 'rate'`);
  await boundRate(sql, schema, rate);
  expect(freePlaces(await readLimits(sql, schema), rate, false).count).toBeGreaterThan(0);
});

onPostgres('shares one rate between processes', async ({ open, client, service, sql, schema }) => {
  // Together they may send these at once, and none for a quarter of an hour.
  const rate = { perSecond: 0.001, burst: service.orders.length };
  const senders = new Set<number>();
  const everyoneSent = Promise.withResolvers<void>();
  const openAs = (sender: number) =>
    open({
      rate,
      localConcurrency: 1,
      client: {
        prepareUpdateOrder: client.prepareUpdateOrder,
        echo: client.echo,
        async safeUpdateOrder(...call) {
          const result = await client.safeUpdateOrder(...call);
          senders.add(sender);
          if (senders.size === 3) everyoneSent.resolve();
          // The one that is first would take all, and has its only place taken until then.
          await everyoneSent.promise;
          return result;
        },
      },
    });
  const outboxes = [await openAs(0), await openAs(1), await openAs(2)];
  for (const { token } of service.orders) await outboxes[0]?.enqueue(token, step(1));
  await Promise.all(outboxes.map((outbox) => outbox.start()));
  await until('all is applied', () => service.ledger.length === 12);
  expect(freePlaces(await readLimits(sql, schema), rate, false).count).toBe(0);
});

onBothInFull('takes no more than may leave soon, and loses nothing when it closes', async (scene) => {
  const { open, openStore, service } = scene;
  const taken: number[] = [];
  let isClosing = false;
  let isLate = false;
  const store = watchStore(await openStore(), {
    begin(isTurn) {
      if (isTurn) isLate = isClosing;
    },
    beforeCommit(turn) {
      if (turn) taken.push(turn.heads.length);
      if (isLate && turn) expect(turn.heads).toEqual([]);
    },
  });
  // Two slots lie in the half second that is looked ahead.
  const outbox = await open({ store, rate: { perSecond: 2.1 } });
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  await outbox.start();
  await until('the first is sent', () => service.ledger.length > 0);
  isClosing = true;
  await outbox.close({ graceMs: 30_000 });
  expect(Math.max(...taken)).toBe(2);
  const again = await open();
  const { applied, queued } = await again.counts();
  expect(applied + queued).toBe(12);
  await again.drain();
  expect(service.ledger).toHaveLength(12);
});

onBothInFull('sends at a slow rate, whatever its looks at the limits find', async (scene) => {
  const { open, openStore, service } = scene;
  const store = await openStore();
  let mayLook = true;
  const outbox = await open({
    rate: slowRate,
    store: {
      ...store,
      async executeSql(text, values) {
        if (!mayLook && text.includes('.limits')) throw new Error('It looks at the limits.');
        return store.executeSql(text, values);
      },
    },
  });
  for (const { token } of service.orders.slice(0, 3)) await outbox.enqueue(token, step(1));
  await outbox.start();
  await until('the first is applied', () => service.ledger.length > 0);
  mayLook = false;
  await until('all is applied', () => service.ledger.length === 3);
});

onBothInFull('drains all that is due at a slow rate', async ({ open, service }) => {
  const outbox = await open({ rate: slowRate });
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
        for (const [place, head] of turn.heads.entries()) Object.assign(head, { slotMs: place * 60_000 });
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

onPostgres('lets a burst leave at once though each commit is slow', async ({ open, openStore, service }) => {
  const outbox = await open({
    // However late one is on a busy machine, the slot after the burst comes much later.
    rate: { perSecond: 0.01, burst: 10 },
    store: watchStore(await openStore(), {
      async afterCommit(turn) {
        if (turn) await delay(60);
      },
    }),
  });
  for (const { token } of service.orders.slice(0, 10)) await outbox.enqueue(token, step(1));
  await outbox.start();
  await until('the burst is applied', () => service.ledger.length === 10);
});

onPostgres('shares one concurrency between processes', async ({ open, service }) => {
  const outboxes = [await open({ concurrency: 4 }), await open({ concurrency: 4 })];
  await Promise.all(outboxes.map((outbox) => outbox.start()));
  await until('both work', async () => {
    const { workers } = (await outboxes[0]?.status()) ?? { workers: [] };
    return workers.length === 2 && workers.every(({ problem }) => problem === undefined);
  });
  service.faults.always({ type: 'latency', ms: 60 });
  for (let number = 0; number < 36; number++)
    await outboxes[number % 2]?.enqueue(service.orders[number % 12]?.token ?? '', step(number));
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
    await open({ client: clientWith(60_000) }),
    await open({ client: clientWith(60_000) }),
  ] as const;
  const [first, second] = outboxes;
  // A day: the service is tried again after an hour.
  service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '86400' } }, { token });
  const id = await first.enqueue(token, step(1));
  const begunAt = Date.now();
  await first.start();
  const { pausedUntil } = await until('the pause is stored', async () => {
    const status = await second.status();
    return status.pausedUntil && status;
  });
  expect(Number(pausedUntil)).toBeGreaterThanOrEqual(begunAt + 3_600_000);
  expect(Number(pausedUntil)).toBeLessThanOrEqual(Date.now() + 3_600_000);
  expect(await first.get(id)).toMatchObject({ state: 'queued', status: 429 });
  const other = await second.enqueue(service.orders[1]?.token ?? '', step(2));
  await second.start();
  // It resolves once it has looked, and nothing is due.
  expect(await second.drain()).toEqual({ problem: undefined });
  expect(await second.get(other)).toMatchObject({ state: 'queued', attempts: 0 });
  // By a process that sends nothing itself.
  const desk = await open({ client: undefined as never });
  await desk.resume();
  await until('both are applied', () => service.ledger.length === 2);
  expect((await desk.status()).pausedUntil).toBeUndefined();
});

const anHour = { type: 'status', status: 429, headers: { 'retry-after': '3600' } } as const;

onBothInFull('a lifted pause is one of the client no longer, whichever worker met the 429', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open();
  service.faults.next(anHour, { token });
  const id = await outbox.enqueue(token, step(1));
  await outbox.drain();
  expect(await outbox.get(id)).toMatchObject({ state: 'queued', status: 429 });
  const desk = await open({ client: undefined as never });
  await desk.resume();
  await outbox.drain();
  expect(await outbox.get(id)).toMatchObject({ state: 'applied' });
});

onBothInFull('what a pause of the client holds back is due once the pause is lifted', async (scene) => {
  const { open, service, sql, schema } = scene;
  await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key, maxConnections: 1 });
  const outbox = await open({ client });
  const tokens = service.orders.map((order) => order.token);
  service.faults.next(anHour, { token: tokens[0] ?? '' });
  await outbox.enqueueAll(tokens.map((token) => ({ token, update: step(1) })));
  await outbox.drain();
  const delayed = await sql.query(`select id from ${schema}.updates where due_at > clock_timestamp()`);
  expect(delayed).toMatchObject({ rows: [] });
  await outbox.resume();
  await outbox.drain();
  expect(new Set(service.ledger.map((entry) => entry.token)).size).toBe(tokens.length);
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

onBothInFull(
  'queues an outcome again only where it is itself a refusal of the key, whatever the update met before',
  async ({ open, sql, schema }) => {
    await open();
    const outcome = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      signal: fc.constantFrom('success', 'failure', 'refused', 'none'),
      trial: fc.constantFrom(undefined, 'first'),
    });
    const turn = fc.uniqueArray(outcome, { selector: ({ id }) => id, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 6 }), async (turns) => {
        await sql.query(`update ${schema}.limits set data = null where name = 'service'`);
        for (const outcomes of turns) {
          const seen = outcomes.map((each) => ({ ...each, token: `order ${each.id}`, message: '' }));
          await sql.query(
            `update ${schema}.limits set data = (data::jsonb || '{"trial":"first"}')::text
             where name = 'service' and data::jsonb ->> 'state' <> 'ok'`,
          );
          const { health, queueAgain } = await observeOutcomes(sql, schema, seen);
          const refused = seen.filter(({ signal }) => signal === 'refused').map(({ id }) => id);
          expect(refused).toEqual(expect.arrayContaining([...queueAgain]));
          for (const { id } of seen) expect(health.requeue).not.toContain(id);
        }
      }),
    );
  },
);
