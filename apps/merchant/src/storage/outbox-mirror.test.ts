import { randomUUID } from 'node:crypto';
import type { UpdateStatus } from '@orders/outbox';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { openTestStorage } from '../../test/open-test-storage.ts';
import type { NumberedEvent } from '../contract/desk-event.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

const summarise = ({ event }: NumberedEvent) => {
  if (event.kind === 'attempt_started') return `started ${event.attempt}`;
  if (event.kind === 'attempt_ended') return `ended ${event.attempt}: ${event.outcome}`;
  return 'update' in event ? `${event.kind} ${event.update.state}` : event.kind;
};

/** A storage with one update that its outbox sends. */
async function openScene() {
  const storage = await openTestStorage({ now: () => at(59) });
  await storage.orders.add([{ token: 'order-1', body: { cart: {} } }]);
  const id = randomUUID();
  await storage.updates.accept({ id, token: 'order-1', body: buildOrderUpdate() }, async () => {});
  return {
    find: () => storage.updates.find(id),
    cursor: () => storage.mirror.readCursor(),
    /** Mirrors a state of the update. */
    async take(state: UpdateStatus['state'], attempts: number, more: Partial<UpdateStatus> = {}) {
      const status = { id, token: 'order-1', state, attempts, createdAt: at(0), ...more };
      const events = await storage.mirror.take({ updates: [status], cursor: `${state} ${attempts}` });
      return events.map(summarise);
    },
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

test('an update that skipped steps gets the last attempt and its outcome, once', async () => {
  await using scene = await openScene();
  const applied = { sendingAt: at(2), settledAt: at(3), status: 200 };
  const steps = ['started 3', 'ended 3: applied', 'update_settled applied'];
  expect(await scene.take('applied', 3, applied)).toEqual(steps);
  expect(await scene.take('applied', 3, applied)).toEqual([]);
  expect(await scene.find()).toMatchObject({ state: 'applied', report: { ok: true, attempts: 3 } });
  expect(await scene.cursor()).toBe('applied 3');
});

test('the next attempt still describes how the one before it ended, but not an earlier one', async () => {
  await using scene = await openScene();
  expect(await scene.take('queued', 0)).toEqual([]);
  expect(await scene.take('sending', 1, { sendingAt: at(1) })).toEqual(['started 1']);
  const failed = { code: 'http_error', status: 429 };
  expect(await scene.take('sending', 2, { ...failed, sendingAt: at(2) })).toEqual([
    'ended 1: rejected',
    'started 2',
  ]);
  expect(await scene.take('sending', 4, { ...failed, sendingAt: at(4) })).toEqual(['started 4']);
  expect(await scene.take('queued', 4, { code: 'connection_error' })).toEqual(['ended 4: not_sent']);
  expect(await scene.find()).toMatchObject({ state: 'sending', round: 0 });
});

test('a late response settles an update that needs review, or queues it again', async () => {
  await using scene = await openScene();
  const lost = { sendingAt: at(1), settledAt: at(2), code: 'worker_lost' };
  await scene.take('needs_review', 1, lost);
  expect(await scene.find()).toMatchObject({ state: 'unknown', report: { error: { code: 'worker_lost' } } });
  const busy = { code: 'http_error', status: 429, sendingAt: at(1) };
  expect(await scene.take('queued', 1, busy)).toEqual(['update_reopened queued']);
  expect(await scene.take('needs_review', 2, lost)).toEqual([
    'started 2',
    'ended 2: unknown',
    'update_settled unknown',
  ]);
  expect(await scene.take('applied', 2, { sendingAt: at(1), settledAt: at(9), status: 200 })).toEqual([
    'update_settled applied',
  ]);
  expect(await scene.find()).toMatchObject({ state: 'applied', round: 1 });
});

test('a decision that was not seen reopens the update where it was sent since', async () => {
  await using scene = await openScene();
  await scene.take('rejected', 1, { code: 'http_error', status: 409, settledAt: at(1) });
  const decision = { at: at(5), by: 'someone' };
  const again = { decision, sendingAt: at(6), settledAt: at(7), status: 200 };
  expect(await scene.take('applied', 2, again)).toEqual([
    'update_reopened queued',
    'started 2',
    'ended 2: applied',
    'update_settled applied',
  ]);
});

test.each([
  ['was never sent', 0, 'not_sent'],
  ['was sent more often than was seen', 2, 'unknown'],
] as const)('a discarded update that %s is settled with that outcome', async (_, attempts, state) => {
  await using scene = await openScene();
  const steps = ['update_settled', 'update_decided'].map((kind) => `${kind} ${state}`);
  const discarded = { code: 'decided', settledAt: at(3), decision: { at: at(3) } };
  expect((await scene.take('discarded', attempts, discarded)).slice(-2)).toEqual(steps);
  expect(await scene.take('discarded', attempts, discarded)).toEqual([]);
  expect(await scene.find()).toMatchObject({ decision: 'discarded', state });
});
