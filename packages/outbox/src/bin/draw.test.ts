import { expect, test } from 'vitest';
import {
  drawDetails,
  drawHistory,
  drawStatus,
  drawUpdate,
  hideSecrets,
  stripControlChars,
  toJson,
} from './draw.ts';

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
  message: 'PATCH failed',
  issues: [
    { path: 'cart.items[0].quantity', code: 'invalid_type', message: 'must be whole', hint: 'write 2' },
    { path: '', code: 'invalid_type', message: 'must be an object' },
  ],
  decision: { at: new Date('2026-11-21T11:40:00Z'), by: 'ada', note: 'not in the ledger' },
  receipt: {
    id: 'a-receipt',
    operation: 'PATCH /v2/orders/…rd_1',
    host: 'api.example.com',
    calledAt: '2026-11-21T11:29:59.000Z',
    attempts: [
      {
        startedAfterMs: 0.4,
        durationMs: 12.6,
        status: 400,
        requestId: 'r-1',
        outcome: 'rejected',
        error: 'http_error',
      },
    ],
    bodyBytes: 2,
    versions: { client: '1.0.0', runtime: 'node 24' },
  },
} as const;

test('shows what is needed to decide about an update', () => {
  expect(drawUpdate(update, now)).toEqual([
    '0197fcaa-2b7c-7000-8000-000000000000 rejected since 2026-11-21T11:30:00.000Z (30 min)',
    '  order     ord_1',
    '  code      http_error 400',
    '  message   PATCH failed',
    '  issue     cart.items[0].quantity: must be whole (write 2)',
    '  issue     must be an object',
  ]);
});

test('shows an update with its times, decision, receipt and body', () => {
  expect(drawDetails({ ...update, update: { cart: {} } }, now).slice(6)).toEqual([
    '  accepted  2026-11-21T11:00:00.000Z',
    '  sent last 2026-11-21T11:29:59.000Z, 2 attempts',
    '  decided   2026-11-21T11:40:00.000Z by ada: not in the ledger',
    '  receipt   a-receipt: PATCH /v2/orders/…rd_1 to api.example.com at 2026-11-21T11:29:59.000Z, 2 bytes',
    '    attempt 1 after 0 ms, took 13 ms: rejected (400, http_error, request r-1)',
    '  body',
    '    {',
    '      "cart": {}',
    '    }',
  ]);
});

test('marks what an earlier attempt left on an update in flight', () => {
  const { settledAt: _, ...open } = update;
  const lines = drawDetails({ ...open, state: 'sending' }, now).join('\n');
  expect(lines).toContain('http_error 400, of the last attempt\n');
  expect(lines).not.toContain('receipt');
});

test('aligns a history in columns', () => {
  expect(drawHistory([update, { ...update, state: 'needs_review', attempts: 12 }]).slice(1)).toEqual([
    `${update.id}  rejected      2026-11-21T11:00:00.000Z         2  http_error 400`,
    `${update.id}  needs_review  2026-11-21T11:00:00.000Z        12  http_error 400`,
  ]);
  expect(drawHistory([])).toEqual(['The outbox does not know an update of this order, or no longer.']);
});

test('shows each part of the status, and why nothing is sent', () => {
  const lines = drawStatus({
    at: now,
    place: './outbox',
    note: 'A note.',
    status: {
      updates: {
        queued: 12,
        sending: 3,
        needsReview: 0,
        rejected: 2,
        oldestQueuedAt: new Date(+now - 150_000),
      },
      orders: { waiting: 9, active: 3, held: 1 },
      pausedUntil: new Date(+now + 12_000),
      service: {
        state: 'key_refused',
        since: new Date(+now - 5_000),
        message: 'It responded 401.',
        nextProbeAt: new Date(+now + 8_000),
      },
      workers: [{ id: 'w1', problem: 'no echo' }, { id: 'w2' }],
    },
  });
  expect(lines).toEqual([
    'The outbox in ./outbox, 2026-11-21 12:00:00 UTC',
    'updates queued                   12  oldest 2 min ago',
    'updates sending                   3',
    'updates needing review            0',
    'updates rejected                  2  decide: orders-outbox list',
    'orders waiting                    9',
    'orders active                     3',
    'orders held                       1  by an update that waits for a decision',
    'workers                           2',
    'service                 key_refused  for 5 s',
    'The service: It responded 401.',
    'It is probed next in 8 s.',
    'Paused for 12 s after a 429; "orders-outbox resume" ends it.',
    'Worker w1 sends nothing: no echo',
    'A note.',
  ]);
});

test('hides sessions, paths of URLs and undocumented fields of a body, at every level', () => {
  const cart = { items: [{ sku: 'mug', quantity: 2, engraving: 'sekret' }], gift: 'sekret' };
  expect(
    hideSecrets({
      order_id: 'A-1',
      shipping_address: { city: 'Oslo' },
      user_session_id: 'sekret',
      qr_session: { id: 'sekret' },
      constructor: 'sekret',
      hooks: {
        webhook_url: 'https://me:sekret@shop.example:8443/hooks/sekret?t=sekret#sekret',
        terms_url: 'sekret',
        other_url: 'https://sekret.example',
      },
      cart,
    }),
  ).toEqual({
    order_id: 'A-1',
    shipping_address: { city: 'Oslo' },
    user_session_id: '[hidden]',
    qr_session: '[hidden]',
    constructor: '[hidden]',
    hooks: { webhook_url: 'https://shop.example:8443/…', terms_url: '[hidden]', other_url: '[hidden]' },
    cart: { items: [{ sku: 'mug', quantity: 2, engraving: '[hidden]' }], gift: '[hidden]' },
  });
  expect(hideSecrets('sekret')).toBe('[hidden]');
});

test('prints nothing that a terminal obeys, and JSON without a change', () => {
  const text = 'a\u001b[31m\u009b31m\u202e\n\u2028b';
  expect(stripControlChars(text)).toBe('a [31m 31m   b');
  const json = toJson({ text });
  expect(stripControlChars(json)).toBe(json);
  expect(JSON.parse(json)).toEqual({ text });
});
