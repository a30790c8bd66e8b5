import { expect, test } from 'vitest';
import { drawDecisions, drawHistory, drawUpdate } from './draw-updates.ts';

const plain = (text: string): string => text;
const now = new Date('2026-11-21T12:00:00Z');
const update = {
  id: '0197fcaa-2b7c-7000-8000-000000000000',
  token: 'ord_1',
  state: 'rejected',
  attempts: 2,
  createdAt: new Date('2026-11-21T11:00:00Z'),
  sendingAt: new Date('2026-11-21T11:29:59Z'),
  settledAt: new Date('2026-11-21T11:30:00Z'),
  code: 'http_error',
  status: 400,
  message: 'PATCH failed\u001b]0;owned\u0007\nreally',
  issues: [
    { path: 'cart.items[0].quantity', code: 'not_whole', message: 'must be whole', hint: 'write 2' },
    { path: '', code: 'wrong', message: 'must be an object' },
  ],
  receipt: {
    id: 'a-receipt',
    operation: 'PATCH /v2/orders/…rd_1',
    host: 'api.example.com',
    calledAt: '2026-11-21T11:29:59.000Z',
    attempts: [],
    bodyBytes: 2,
    versions: { client: '1.0.0', runtime: 'node 24' },
  },
} as const;

test('lists what waits with all that helps to decide', () => {
  expect(
    drawDecisions([update], now, plain),
  ).toBe(`0197fcaa-2b7c-7000-8000-000000000000 rejected since 2026-11-21T11:30:00.000Z (30 min)
  order     ord_1
  code      http_error 400
  message   PATCH failed ]0;owned really
  issue     cart.items[0].quantity: must be whole (write 2)
  issue     must be an object

Send again with "orders-outbox retry", or give up with "orders-outbox discard".
`);
});

test('says so when an order is not known', () => {
  expect(drawHistory([])).toMatch(/knows no update/);
});

test('draws one update with its times and its receipt', () => {
  const drawing = drawUpdate(update, plain);
  expect(drawing).toContain('  accepted  2026-11-21T11:00:00.000Z\n');
  expect(drawing).toContain('  tried     2026-11-21T11:29:59.000Z, 2 times in all\n');
  expect(drawing).toContain('  receipt   {"id":"a-receipt","operation":"PATCH /v2/orders/…rd_1"');
});

test('says of an update on its way what an earlier try left', () => {
  const { settledAt: _, ...open } = update;
  const drawing = drawUpdate({ ...open, state: 'sending' }, plain);
  expect(drawing).toContain('  code      http_error 400, of the try before\n');
  expect(drawing).not.toContain('receipt');
});

test('draws a history as a table', () => {
  const applied = { ...update, state: 'applied', code: undefined, status: 200 };
  const { code: _, ...bare } = applied;
  expect(drawHistory([update, { ...bare, state: 'applied' }])).toMatch(
    /rejected │ 2026-11-21T11:00:00\.000Z │ +2 │ http_error 400 │\n.*applied +│ 2026-11-21T11:00:00\.000Z │ +2 │ 200/,
  );
});
