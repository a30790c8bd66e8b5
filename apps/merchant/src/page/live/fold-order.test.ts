import { expect, test } from 'vitest';
import type { NumberedEvent, StoredEvent } from '../../contract/desk-event.ts';
import type { OrderView } from '../../contract/order-view.ts';
import type { UpdateReport } from '../../contract/update-report.ts';
import type { UpdateView } from '../../contract/update-view.ts';
import { foldOrder, foldOrders, foldUndecided, settleOrder } from './fold-order.ts';

const report: UpdateReport = { ok: false, outcome: 'unknown', attempts: 1, at: '2026-01-01T00:00:03.000Z' };

function buildUpdate(number: number, change: Partial<UpdateView> = {}): UpdateView {
  return {
    id: `00000000-0000-4000-8000-00000000000${number}`,
    token: 'order-1',
    state: 'queued',
    bodyBytes: 20,
    createdAt: `2026-01-01T00:00:0${number}.000Z`,
    report: null,
    decision: null,
    repeats: null,
    sentThrough: 'client',
    round: 0,
    ...change,
  };
}

function buildOrder(change: Partial<OrderView> = {}): OrderView {
  return {
    token: 'order-1',
    orderId: null,
    currency: null,
    lines: 0,
    hasDraft: false,
    lastUpdate: null,
    undecided: 0,
    body: { cart: {} },
    draft: null,
    qrSession: null,
    webhookUrl: 'http://127.0.0.1/hooks/order-1/secret',
    updates: [],
    events: [],
    ...change,
  };
}

const heard = (seq: number, event: StoredEvent): NumberedEvent => ({
  seq,
  at: `2026-01-01T00:00:${seq}.000Z`,
  event,
});
const queued = (update: UpdateView) =>
  ({ kind: 'update_queued', token: update.token, updateId: update.id, update }) as const;
const settled = (update: UpdateView) =>
  ({ kind: 'update_settled', token: update.token, updateId: update.id, update }) as const;
const unknown = (number: number) => buildUpdate(number, { state: 'unknown', report });

test('puts a new update before those known, and takes its steps in', () => {
  const one = buildOrder({ updates: [buildUpdate(1)] });
  const two = foldOrder(one, heard(11, queued(buildUpdate(2))));
  expect(two.updates.map(({ id }) => id.at(-1))).toEqual(['2', '1']);
  const started = {
    kind: 'attempt_started',
    token: 'order-1',
    updateId: buildUpdate(2).id,
    attempt: 1,
  } as const;
  const sending = foldOrder(two, heard(12, started));
  expect(sending.lastUpdate).toMatchObject({ id: buildUpdate(2).id, state: 'sending' });
  expect(sending.events.map(({ seq }) => seq)).toEqual([11, 12]);
});

test('knows an event that it was told of before, and puts a late one in its place', () => {
  const first = heard(11, queued(buildUpdate(1)));
  const second = heard(12, settled(unknown(1)));
  const order = [second, first, second].reduce(foldOrder, buildOrder());
  expect(order.events.map(({ seq }) => seq)).toEqual([11, 12]);
  expect(order.updates).toEqual([unknown(1)]);
});

test('leaves the events of another order alone', () => {
  const order = buildOrder();
  expect(foldOrder(order, heard(11, queued(buildUpdate(1, { token: 'order-2' }))))).toBe(order);
});

test('notes the newest QR session alone', () => {
  const scan = (seq: number) => heard(seq, { kind: 'qr_session', token: 'order-1', sessionId: `qr-${seq}` });
  const order = [scan(12), scan(11)].reduce(foldOrder, buildOrder());
  expect(order.qrSession).toEqual({ id: 'qr-12', at: '2026-01-01T00:00:12.000Z' });
});

test('brings updates up to the events that were read after them', () => {
  const order = buildOrder({ updates: [buildUpdate(1)], events: [heard(12, settled(unknown(1)))] });
  expect(settleOrder(order).lastUpdate).toEqual(unknown(1));
});

test('tells each order its last update, whatever becomes of an earlier one later', () => {
  const list = { orders: [buildOrder(), buildOrder({ token: 'order-2' })] };
  const after = [
    heard(11, queued(buildUpdate(1))),
    heard(12, queued(buildUpdate(2))),
    heard(13, settled(unknown(1))),
  ].reduce(foldOrders, list);
  expect(after.orders.map(({ lastUpdate }) => lastUpdate)).toEqual([buildUpdate(2), null]);
});

test('lists what waits for a person as it waits now, also when it was sent off anew meanwhile', () => {
  const first: UpdateView = { ...unknown(1), sentThrough: 'outbox' };
  const again: UpdateView = { ...first, round: 1 };
  const open: UpdateView = { ...again, state: 'queued', report: null };
  const reopened = {
    kind: 'update_reopened',
    token: 'order-1',
    updateId: open.id,
    after: 1,
    update: open,
  } as const;
  const list = foldUndecided({ updates: [first] }, heard(12, settled(again)));
  expect(list).toEqual({ updates: [again] });
  expect(foldUndecided(list, heard(11, reopened))).toEqual({ updates: [again] });
  expect(foldUndecided({ updates: [first] }, heard(11, reopened))).toEqual({ updates: [] });
  const refused: UpdateView = { ...first, state: 'rejected' };
  expect(foldUndecided({ updates: [] }, heard(12, settled(refused)))).toEqual({ updates: [refused] });
  expect(foldUndecided({ updates: [] }, heard(12, settled({ ...refused, sentThrough: 'client' })))).toEqual({
    updates: [],
  });
});

test('lists what waits for a person once, until it is decided', () => {
  const waiting = [heard(11, settled(unknown(1))), heard(11, settled(unknown(1)))].reduce(foldUndecided, {
    updates: [],
  });
  expect(waiting.updates).toEqual([unknown(1)]);
  const decided: UpdateView = { ...unknown(1), decision: 'discarded' };
  const event = {
    kind: 'update_decided',
    token: 'order-1',
    updateId: decided.id,
    decision: 'discarded',
  } as const;
  expect(foldUndecided(waiting, heard(12, { ...event, update: decided }))).toEqual({ updates: [] });
});
