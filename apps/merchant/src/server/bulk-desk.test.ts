import { type Fault, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { openBulkDesk, type TestBulkDesk } from '../../test/open-bulk-desk.ts';
import type { BulkView } from '../contract/bulk-view.ts';
import { DeskUpdate } from '../contract/desk-update.ts';
import type { BulkStore } from '../storage/bulk-store.ts';
import { createBulkDesk } from './bulk-desk.ts';
import { recoverBulks } from './bulk-recover.ts';
import { createEventHub } from './event-hub.ts';

const sku = (row: number) => ({ cart: { items: [{ sku: `SKU-${row}`, quantity: row }] } });

/** Keeps rows that wait, one for each order, or for the order that `tokenOf` names. */
async function keep({ store }: TestBulkDesk, count: number, tokenOf = (row: number) => `order-${row}`) {
  const id = crypto.randomUUID();
  const rows = Array.from({ length: count }, (_, index) => index + 1);
  await store.add(
    { id, name: 'updates.csv' },
    rows.map((row) => ({
      row,
      line: row + 1,
      token: tokenOf(row),
      update: JSON.stringify(sku(row)),
      issues: [],
    })),
  );
  return id;
}

const skusApplied = ({ service }: TestBulkDesk) =>
  service.ledger.map(({ body }) => body.cart.items?.[0]?.sku);

const skusOf = (count: number) => Array.from({ length: count }, (_, index) => `SKU-${index + 1}`);

const isOver = ({ state, counts }: BulkView) => state === 'done' || (state === 'paused' && !counts.sending);

test('sends every row once, and each to its own order', async () => {
  await using desk = await openBulkDesk({ orders: 2_000 });
  const id = await keep(desk, 2_000);
  expect(await desk.bulks.start(id)).toBe(true);
  await desk.bulks.ended(id);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'done', counts: { applied: 2_000 } });
  expect(skusApplied(desk).toSorted()).toEqual(skusOf(2_000).toSorted());
  expect(desk.service.appliedUpdates('order-77')).toEqual([sku(77)]);
}, 60_000);

test('keeps the order of updates to one order', async () => {
  await using desk = await openBulkDesk();
  const id = await keep(desk, 60, (row) => `order-${row % 3}`.replace('order-0', 'order-3'));
  await desk.bulks.start(id);
  await desk.bulks.ended(id);
  const quantities = desk.service.appliedUpdates('order-1').map(({ cart }) => cart.items?.[0]?.quantity);
  expect(quantities).toEqual(Array.from({ length: 20 }, (_, index) => 1 + 3 * index));
});

test('a pause loses nothing and repeats nothing', async () => {
  await using desk = await openBulkDesk({ orders: 600 });
  // Progress is published four times a second: all of it must not be sent within one such interval.
  desk.service.faults.always({ type: 'latency', ms: 30 });
  const id = await keep(desk, 600);
  let rounds = 0;
  for (let state = 'preview'; state !== 'done'; rounds++) {
    const moving = desk.until(
      ({ counts, state }) => state !== 'running' || (counts.applied ?? 0) > 100 * (rounds + 1),
    );
    await desk.bulks.start(id);
    await moving;
    await desk.bulks.pause(id);
    await desk.bulks.ended(id);
    const bulk = await desk.bulks.find(id);
    expect(bulk?.counts.sending).toBeUndefined();
    expect(bulk?.counts.applied).toBe(desk.service.ledger.length);
    expect((bulk?.counts.applied ?? 0) + (bulk?.counts.waiting ?? 0)).toBe(600);
    state = bulk?.state ?? 'missing';
  }
  expect(rounds).toBeGreaterThan(2);
  expect(skusApplied(desk).toSorted()).toEqual(skusOf(600).toSorted());
}, 60_000);

test('tells a pause at once, while what is on its way ends', async () => {
  await using desk = await openBulkDesk();
  desk.service.faults.always({ type: 'latency', ms: 300 });
  const id = await keep(desk, 100);
  await desk.bulks.start(id);
  await desk.service.waitForRequests(16);
  await desk.bulks.pause(id);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'paused', counts: { sending: 16, waiting: 84 } });
  expect(await desk.store.find(id)).toMatchObject({ state: 'paused', counts: { sending: 16, waiting: 84 } });
  expect(await desk.bulks.start(id)).toBe(false);
  await desk.bulks.ended(id);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'paused', counts: { applied: 16, waiting: 84 } });
});

test('lets no byte of a row leave before it is stored that it may', async () => {
  await using desk = await openBulkDesk();
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const store: BulkStore = {
    ...desk.store,
    async write(id, steps) {
      asked.resolve();
      await held.promise;
      await desk.store.write(id, steps);
    },
  };
  const bulks = createBulkDesk({ store, orders: desk.orders, hub: createEventHub() });
  const id = await keep(desk, 40);
  await bulks.start(id);
  await asked.promise;
  // Whatever had left before this call would have arrived before its answer.
  await desk.orders.echo();
  expect(desk.service.requests({ operation: 'update' })).toEqual([]);
  held.resolve();
  await bulks.ended(id);
  expect(desk.service.ledger).toHaveLength(40);
});

test('stores a row as sending while the order service has it', async () => {
  await using desk = await openBulkDesk();
  desk.service.faults.always({ type: 'stalled_headers' });
  const id = await keep(desk, 50);
  await desk.bulks.start(id);
  await desk.service.waitForRequests(16);
  const { rows } = await desk.store.listRows(id, { state: 'sending', limit: 100 });
  expect(rows.map(({ token }) => token).toSorted()).toEqual(
    desk.service
      .requests({ operation: 'update' })
      .map(({ token }) => token)
      .toSorted(),
  );
});

test('what it tells of each row agrees with the order service, whatever goes wrong', async () => {
  await using desk = await openBulkDesk({ orders: 400, maxAttempts: 3 });
  const faults: Fault[] = [
    { type: 'reset_after_applying' },
    { type: 'reset_before_applying' },
    { type: 'status', status: 503 },
    { type: 'status', status: 409, body: '{"error":"locked"}' },
    { type: 'truncation' },
    { type: 'garbage' },
  ];
  for (const [seed, fault] of faults.entries())
    desk.service.faults.sometimes(fault, { probability: 0.08, seed });
  const id = await keep(desk, 400);
  await desk.bulks.start(id);
  await desk.bulks.ended(id);
  const { rows } = await desk.store.listRows(id, { limit: 500 });
  const applied = new Set(skusApplied(desk));
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['applied', 'rejected', 'unknown']));
  for (const { row, state, issues, attempts } of rows) {
    const isApplied = applied.has(`SKU-${row}`);
    if (state !== 'unknown') expect({ row, isApplied }).toEqual({ row, isApplied: state === 'applied' });
    if (state !== 'applied') expect(issues[0]?.message).toBeTruthy();
    expect(attempts).toBeGreaterThan(0);
  }
  expect(skusApplied(desk)).toHaveLength(applied.size);
  expect(rows.find(({ state }) => state === 'rejected')).toMatchObject({
    status: 409,
    issues: [{ code: 'http_error', message: expect.stringContaining('{"error":"locked"}') }],
  });
}, 60_000);

test('sends what is unknown again when a person says so, or discards it', async () => {
  await using desk = await openBulkDesk();
  desk.service.faults.next([{ type: 'reset_before_applying' }], { times: 4 });
  const id = await keep(desk, 40);
  await desk.bulks.start(id);
  await desk.bulks.ended(id);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'done', counts: { applied: 36, unknown: 4 } });

  desk.service.faults.next([{ type: 'reset_before_applying' }]);
  expect(await desk.bulks.decide(id, 'sent_again')).toBe(true);
  await desk.bulks.ended(id);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'done', counts: { applied: 39, unknown: 1 } });

  expect(await desk.bulks.decide(id, 'discarded')).toBe(true);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'done', counts: { applied: 39, discarded: 1 } });
  expect(await desk.bulks.decide(id, 'discarded')).toBe(false);
  expect(desk.service.ledger).toHaveLength(39);
});

test('after a kill, what may have left is unknown, the rest waits, and a person goes on', async () => {
  await using desk = await openBulkDesk();
  const id = await keep(desk, 100);
  // As a process leaves it that is killed with rows on their way.
  await desk.store.start(id);
  await desk.store.write(id, { marked: [1, 2, 3], settled: [] });
  await desk.store.write(id, {
    marked: [4],
    settled: [{ row: 2, state: 'applied', attempts: 1, status: 200, issues: [] }],
  });
  await recoverBulks(desk.storage);
  expect(await desk.bulks.find(id)).toMatchObject({
    state: 'paused',
    counts: { applied: 1, unknown: 3, waiting: 96 },
  });
  await desk.bulks.decide(id, 'sent_again');
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'paused', counts: { waiting: 99 } });
  expect(desk.service.ledger).toEqual([]);
  await desk.bulks.start(id);
  await desk.bulks.ended(id);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'done', counts: { applied: 100 } });
  expect(skusApplied(desk)).toHaveLength(99);
});

test('pauses by itself when the order service is away, and goes on when it is back', async () => {
  await using desk = await openBulkDesk();
  const { url, key } = desk.service;
  const id = await keep(desk, 100);
  await desk.service.close();
  await desk.bulks.start(id);
  await desk.bulks.ended(id);
  const away = await desk.bulks.find(id);
  expect(away).toMatchObject({ state: 'paused', problem: expect.stringContaining('cannot be reached') });
  expect(away?.counts.not_sent).toBeGreaterThanOrEqual(20);
  expect(away?.counts.waiting).toBeGreaterThan(40);

  const orders = Array.from({ length: 100 }, (_, index) => `order-${index + 1}`);
  await using back = await startMockOrderService({
    port: Number(new URL(url).port),
    keys: [key],
    orders,
    schema: DeskUpdate,
  });
  await desk.bulks.start(id);
  await desk.bulks.ended(id);
  const done = await desk.bulks.find(id);
  expect(done).toMatchObject({ state: 'done', counts: { applied: 100 } });
  expect(done).not.toHaveProperty('problem');
  expect(back.ledger).toHaveLength(100);
});

test('can be paused while the order service asks to wait, and what was held back waits', async () => {
  await using desk = await openBulkDesk();
  const busy: Fault = { type: 'status', status: 429, headers: { 'retry-after': '60' } };
  desk.service.faults.always(busy);
  const id = await keep(desk, 100);
  const told = desk.until(({ counts }) => (counts.rejected ?? 0) > 0);
  await desk.bulks.start(id);
  await told;
  await desk.bulks.pause(id);
  await desk.bulks.ended(id);
  const { counts } = (await desk.bulks.find(id)) ?? {};
  expect(counts).toEqual({ rejected: expect.any(Number), waiting: expect.any(Number) });
  expect(counts?.rejected).toBeLessThanOrEqual(16);
  expect(desk.service.journal).toHaveLength(counts?.rejected ?? 0);
});

test('does not let a row that was not sent undo a later one of the same order', async () => {
  await using desk = await openBulkDesk();
  const id = await keep(desk, 4, (row) => (row < 4 ? 'order-1' : 'order-2'));
  await desk.store.start(id);
  const settled = (row: number, state: 'applied' | 'not_sent') => ({ row, state, attempts: 1, issues: [] });
  await desk.store.write(id, {
    marked: [],
    settled: [settled(1, 'not_sent'), settled(2, 'applied'), settled(3, 'not_sent'), settled(4, 'not_sent')],
  });
  await desk.store.end(id);
  await desk.bulks.start(id);
  await desk.bulks.ended(id);
  expect(await desk.bulks.find(id)).toMatchObject({ state: 'done', counts: { applied: 3, not_sent: 1 } });
  expect(skusApplied(desk).toSorted()).toEqual(['SKU-3', 'SKU-4']);
});

test('the end of the desk aborts what is on its way, and what it stores agrees with the order service', async () => {
  await using desk = await openBulkDesk({ orders: 300 });
  desk.service.faults.always({ type: 'latency', ms: 40 });
  const id = await keep(desk, 300);
  await desk.bulks.start(id);
  await desk.service.waitForRequests(60);
  await desk.bulks.close();
  const bulk = await desk.store.find(id);
  expect(bulk).toMatchObject({ state: 'paused' });
  const { applied = 0, unknown = 0, waiting = 0 } = bulk?.counts ?? {};
  expect(applied + unknown + waiting).toBe(300);
  expect(unknown).toBeGreaterThan(0);
  expect(waiting).toBeGreaterThan(200);
  expect(desk.service.ledger.length).toBeGreaterThanOrEqual(applied);
  expect(desk.service.ledger.length).toBeLessThanOrEqual(applied + unknown);
  await expect(desk.bulks.start(id)).rejects.toThrow();
});

test('is told of four times a second at most, and at each change of its state', async () => {
  await using desk = await openBulkDesk({ orders: 1_000 });
  const id = await keep(desk, 1_000);
  const startedAt = performance.now();
  await desk.bulks.start(id);
  await desk.until(isOver);
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(desk.published.at(0)).toMatchObject({ state: 'running', counts: { waiting: 1_000 } });
  await desk.bulks.ended(id);
  expect(desk.published.at(-1)).toMatchObject({ state: 'done', counts: { applied: 1_000 } });
  expect(desk.published.length).toBeLessThanOrEqual(seconds * 4 + 4);
}, 60_000);
