import { randomUUID } from 'node:crypto';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { openTestDesk, type TestDesk } from '../../test/open-test-desk.ts';
import type { DeskMessage, NumberedEvent } from '../contract/desk-event.ts';
import type { DeskStorage } from '../storage/desk-storage.ts';
import { createClientDesk } from './client-desk.ts';

const update = (token = 'order-1', body = buildOrderUpdate()) => ({ id: randomUUID(), token, body });

const summarise = ({ event }: NumberedEvent) => {
  if (event.kind === 'attempt_started') return `started ${event.attempt}`;
  if (event.kind === 'attempt_ended') return `ended ${event.attempt}: ${event.outcome}`;
  return 'update' in event ? `${event.kind} ${event.update.state}` : event.kind;
};

/** A desk beside the one of the test, over a storage of which some changes fail. */
function openFailing({ storage, hub, orders }: TestDesk, failing: Partial<DeskStorage['updates']>) {
  const warnings: string[] = [];
  const updates = { ...storage.updates, ...failing };
  const warn = (line: string) => warnings.push(line);
  return { warnings, desk: createClientDesk({ storage: { ...storage, updates }, hub, orders, warn }) };
}

test('stores and tells every step in the order in which it happened', async () => {
  await using open = await openTestDesk({ retry: { maxAttempts: 3 } });
  const told: DeskMessage[] = [];
  open.hub.subscribe((message) => told.push(message));
  open.service.faults.next([{ type: 'status', status: 429, headers: { 'retry-after': '0' } }]);
  const { id } = await open.updates.submit(update());
  expect(await open.updates.settled(id)).toMatchObject({ state: 'applied', report: { attempts: 2 } });
  const stored = await open.storage.events.after(0, 100);
  expect(stored.map(summarise)).toEqual([
    'update_queued queued',
    'started 1',
    'ended 1: rejected',
    'started 2',
    'ended 2: applied',
    'update_settled applied',
  ]);
  expect(stored[2]?.event).toMatchObject({
    status: 429,
    error: 'http_error',
    durationMs: expect.any(Number),
    retryDelayMs: expect.any(Number),
  });
  expect(told).toEqual(stored.map((event) => ({ type: 'stored', ...event })));
});

test('stores that bytes may leave before a byte leaves', async () => {
  await using open = await openTestDesk();
  const marking = Promise.withResolvers<void>();
  const { desk } = openFailing(open, {
    async markSending(id, attempt) {
      const marked = await open.storage.updates.markSending(id, attempt);
      await marking.promise;
      return marked;
    },
  });
  const { id } = await desk.submit(update());
  // A call that was made later has come and gone by now.
  await open.orders.echo();
  expect(open.service.requests({ method: 'PATCH' })).toEqual([]);
  marking.resolve();
  await desk.settled(id);
  expect(open.service.requests({ method: 'PATCH' })).toHaveLength(1);
  await desk.close();
});

test('sends an update once that is submitted twice', async () => {
  await using open = await openTestDesk();
  const once = update();
  const [first, second] = await Promise.all([open.updates.submit(once), open.updates.submit(once)]);
  expect(second.id).toBe(first.id);
  await open.updates.settled(once.id);
  expect(await open.updates.submit(once)).toMatchObject({ state: 'applied' });
  expect(open.service.ledger).toHaveLength(1);
});

test('sends updates of one order in the order in which they were submitted', async () => {
  await using open = await openTestDesk();
  const bodies = Array.from({ length: 8 }, (_, index) => buildOrderUpdate({ order_id: `mine-${index}` }));
  const accepted = await Promise.all(bodies.map((body) => open.updates.submit(update('order-1', body))));
  await Promise.all(accepted.map(({ id }) => open.updates.settled(id)));
  expect(open.service.appliedUpdates('order-1')).toEqual(bodies);
});

test('sends nothing while storage cannot be told, and says that nothing was sent', async () => {
  await using open = await openTestDesk();
  const { desk } = openFailing(open, {
    markSending: () => Promise.reject(Object.assign(new Error('body: {}'), { code: 'ECONNRESET' })),
  });
  const { id } = await desk.submit(update());
  expect(await desk.settled(id)).toMatchObject({ state: 'not_sent', report: { ok: false, attempts: 0 } });
  expect(open.service.journal).toEqual([]);
  await desk.close();
});

test('tries to store an outcome until storage is back, and warns once without what was to be stored', async () => {
  await using open = await openTestDesk();
  let failures = 0;
  const { desk, warnings } = openFailing(open, {
    settle(id, report) {
      failures += 1;
      if (failures <= 2) return Promise.reject(Object.assign(new Error('SKU-1'), { code: '57P01' }));
      return open.storage.updates.settle(id, report);
    },
  });
  const { id } = await desk.submit(update());
  expect(await desk.settled(id)).toMatchObject({ state: 'applied' });
  expect(warnings).toEqual(['What became of an update could not be stored (57P01).']);
  await desk.close();
});

test('ends although an outcome cannot be stored, which the next start then finds as unknown', async () => {
  await using open = await openTestDesk();
  const failed = Promise.withResolvers<void>();
  const { desk, warnings } = openFailing(open, {
    settle() {
      failed.resolve();
      return Promise.reject(new Error('gone'));
    },
  });
  const { id } = await desk.submit(update());
  await failed.promise;
  await desk.close();
  expect(warnings).toHaveLength(2);
  expect(await open.storage.updates.find(id)).toMatchObject({ state: 'sending' });
  await open.storage.updates.recover();
  expect(await open.storage.updates.find(id)).toMatchObject({ state: 'unknown', decision: null });
});

test('stores what became of what was on its way when it closes, and what never left', async () => {
  await using open = await openTestDesk();
  open.service.faults.next({ type: 'stalled_headers' });
  const away = await open.updates.submit(update());
  const behind = await open.updates.submit(update());
  await open.service.waitForRequests(1);
  await open.updates.close();
  expect(await open.storage.updates.find(away.id)).toMatchObject({
    state: 'unknown',
    report: { attempts: 1 },
  });
  expect(await open.storage.updates.find(behind.id)).toMatchObject({ state: 'not_sent' });
  expect(open.service.ledger).toHaveLength(1);
  await expect(open.updates.submit(update())).rejects.toThrow();
});

test('sends an unknown update again once, however often it is asked to, and tells which one it repeats', async () => {
  await using open = await openTestDesk();
  open.service.faults.next({ type: 'reset_before_applying' });
  const { id, body } = update('order-1', buildOrderUpdate({ order_id: 'again' }));
  await open.updates.submit({ id, token: 'order-1', body });
  expect(await open.updates.settled(id)).toMatchObject({ state: 'unknown' });
  const decided = await Promise.all([
    open.updates.decide(id, 'sent_again'),
    open.updates.decide(id, 'sent_again'),
    open.updates.decide(id, 'discarded'),
  ]);
  expect(decided).toMatchObject([{ id, decision: 'sent_again', state: 'unknown' }, undefined, undefined]);
  const [again, first] = await open.storage.updates.listOf('order-1', 10);
  expect(first).toMatchObject({ id, decision: 'sent_again' });
  expect(again).toMatchObject({ repeats: id });
  expect(await open.updates.settled(again?.id ?? '')).toMatchObject({ state: 'applied' });
  expect(open.service.appliedUpdates('order-1')).toEqual([body]);
});

test('only marks what is discarded', async () => {
  await using open = await openTestDesk();
  open.service.faults.next({ type: 'reset_after_applying' });
  const { id } = await open.updates.submit(update());
  await open.updates.settled(id);
  expect(await open.updates.decide(id, 'discarded')).toMatchObject({
    state: 'unknown',
    decision: 'discarded',
  });
  expect(await open.storage.updates.listOf('order-1', 10)).toHaveLength(1);
  expect(await open.updates.decide(randomUUID(), 'sent_again')).toBeUndefined();
});

test('tells who asks for an update that nobody sends', async () => {
  await using open = await openTestDesk();
  await expect(open.updates.settled(randomUUID())).rejects.toThrow('not being sent');
});
