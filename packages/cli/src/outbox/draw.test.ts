import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createTerminal } from '../terminal.ts';
import { drawHistory, drawStatus, drawUpdate, hideSecrets } from './draw.ts';

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
const terminal = createTerminal(streams as unknown as NodeJS.Process);
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

test('shows what is needed to decide about an update', async () => {
  expect(await drawUpdate(update, { now }, terminal)).toEqual([
    '0197fcaa-2b7c-7000-8000-000000000000  rejected, 30 min ago',
    '  order    ord_1',
    '  code     http_error 400',
    '  message  PATCH failed',
    '  issue    cart.items[0].quantity: must be whole (write 2)',
    '  issue    must be an object',
  ]);
});

test('shows an update with its times, decision, receipt and body, in 80 columns', async () => {
  const lines = await drawUpdate({ ...update, update: { cart: {} } }, { now, isWhole: true }, terminal);
  expect(lines.slice(6)).toEqual([
    '  accepted   2026-11-21 11:00:00 UTC',
    '  sent last  2026-11-21 11:29:59 UTC, 2 attempts',
    '  decided    2026-11-21 11:40:00 UTC by ada: not in the ledger',
    '  receipt    PATCH /v2/orders/…rd_1 to api.example.com, 2 bytes',
    '  attempt 1  rejected (400, http_error, request r-1), after 0 ms, took 13 ms',
    '  body',
    '    {',
    '      "cart": {}',
    '    }',
  ]);
  const applied = await drawUpdate({ ...update, state: 'applied' }, { now, isWhole: true }, terminal);
  expect(applied.at(-1)).toBe('  body       deleted, since nothing is left to send');
  const long = { ...update, token: 'ord_'.repeat(60), message: 'It failed. '.repeat(30) };
  for (const line of await drawUpdate(long, { now, isWhole: true }, terminal))
    expect(line.length).toBeLessThanOrEqual(80);
});

test('marks what an earlier attempt left on an update in flight', async () => {
  const { settledAt: _, ...open } = update;
  const lines = await drawUpdate({ ...open, state: 'sending' }, { now, isWhole: true }, terminal);
  expect(lines.join('\n')).toContain('http_error 400, of the last attempt\n');
  expect(lines.join('\n')).not.toContain('receipt');
});

test('aligns a history in columns', async () => {
  const other = { ...update, state: 'needs_review' } as const;
  const lines = await drawHistory([update, other], now, terminal);
  expect(lines).toEqual([
    'update                                state         accepted',
    `${update.id}  rejected      1 h ago   http_error 400`,
    `${update.id}  needs_review  1 h ago   http_error 400`,
  ]);
  expect(await drawHistory([], now, terminal)).toEqual([
    'The outbox does not know an update of this order, or no longer.',
  ]);
});

test('shows each part of the status, and why nothing is sent', async () => {
  const lines = await drawStatus(
    {
      events: { queued: 0, needsReview: 0 },
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
        held: [
          { reason: 'paused', message: 'It ends by itself.', id: 'u1', orders: 3, updates: 4 },
          { reason: 'backing_off', message: 'It is tried again.', id: 'u2', orders: 1, updates: 2 },
        ],
        pausedUntil: new Date(+now + 12_000),
        service: {
          state: 'key_refused',
          since: new Date(+now - 5_000),
          message: 'It responded 401.',
          nextProbeAt: new Date(+now + 8_000),
        },
        workers: [{ id: 'w1', problem: 'no echo' }, { id: 'w2' }],
      },
    },
    (command) => `orders outbox ${command} --folder ./outbox`,
    terminal,
  );
  expect(lines).toEqual([
    'The outbox in ./outbox, 2026-11-21 12:00:00 UTC',
    'updates queued                     12  oldest 2 min ago',
    'updates sending                     3',
    'updates needing review              0',
    'updates rejected                    2  wait for a decision',
    'orders waiting                      9',
    'orders active                       3',
    'orders behind a decision            1',
    'workers                             2',
    'service                   key_refused  for 5 s',
    '4 held: paused. It ends by itself.',
    '2 held: backing_off. It is tried again.',
    'The service: It responded 401.',
    'It is probed next in 8 s.',
    'Paused for 12 s after a 429.',
    'Worker w1: no echo',
    'A note.',
    'To see the first of them: orders outbox show u2 --folder ./outbox',
    'To end the pause: orders outbox resume --folder ./outbox',
    'To decide: orders outbox list --folder ./outbox',
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
