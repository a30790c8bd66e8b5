import type { OutboxEvent, UpdateStatus } from '@orders/outbox';
import { expect, test } from 'vitest';
import { tellEnd, tellReport } from './tell-outbox-event.ts';

const startedAt = new Date('2026-01-01T00:00:01.000Z');
const known = { attempts: 2, startedAt };
const of = { id: '00000000-0000-4000-8000-000000000001', token: 'order-1' };

const event = (kind: OutboxEvent['kind'], detail?: string): OutboxEvent => ({
  seq: 7,
  at: new Date('2026-01-01T00:00:01.250Z'),
  updateId: of.id,
  token: of.token,
  kind,
  ...(detail === undefined ? {} : { detail }),
});
const status = (state: UpdateStatus['state'], more: Partial<UpdateStatus> = {}): UpdateStatus => ({
  ...of,
  state,
  attempts: 2,
  createdAt: startedAt,
  ...more,
});
const receipt = {
  id: 'a-receipt',
  operation: 'PATCH /v2/orders/…er-1',
  host: 'api.example.com',
  calledAt: '2026-01-01T00:00:01.000Z',
  attempts: [{ startedAfterMs: 0, durationMs: 12.5, outcome: 'rejected', status: 429 }],
  bodyBytes: 2,
  versions: { client: '1.0.0', runtime: 'node 24' },
} as const;

test('tells an attempt that will be made again with all that was said of it', () => {
  const busy = status('queued', { code: 'http_error', message: 'Busy', status: 429, receipt });
  expect(tellEnd({ event: event('queued', 'http_error'), status: busy }, known)).toEqual({
    outcome: 'rejected',
    durationMs: 12.5,
    status: 429,
    error: 'http_error',
    isRetried: true,
  });
});

test.each([
  ['http_error', 'rejected'],
  ['connection_error', 'not_sent'],
])('tells an attempt by its event alone, %s, once more has happened since', (code, outcome) => {
  for (const later of [undefined, status('sending'), status('queued', { attempts: 3, code: 'timeout' })])
    expect(tellEnd({ event: event('queued', code), status: later }, known)).toEqual({
      outcome,
      durationMs: 250,
      error: code,
      isRetried: true,
    });
});

test('tells what was applied, with its answer and its receipt', () => {
  const applied = status('applied', { status: 200, receipt });
  expect(tellReport({ event: event('applied'), status: applied }, known)).toEqual({
    ok: true,
    outcome: 'applied',
    attempts: 2,
    at: '2026-01-01T00:00:01.250Z',
    status: 200,
    receipt,
  });
  const unread = status('applied', { status: 200, code: 'invalid_response', message: 'Cut off' });
  expect(tellReport({ event: event('applied', 'invalid_response'), status: unread }, known)).toMatchObject({
    ok: false,
    outcome: 'applied',
    error: { code: 'invalid_response', message: 'Cut off' },
  });
});

test('tells what the schema refused in between as not sent, with its issues', () => {
  const issues = [{ path: 'cart', code: 'invalid_type', message: 'Expected an object' }];
  const wrong = status('rejected', { code: 'validation_error', message: 'Not valid', issues });
  expect(tellReport({ event: event('rejected', 'validation_error'), status: wrong }, known)).toMatchObject({
    ok: false,
    outcome: 'not_sent',
    error: { code: 'validation_error', message: 'Not valid', issues },
  });
});

test.each([
  ['parked', 'left_behind', 'unknown', /^More has happened/],
  ['discarded', 'decided', 'not_sent', /discarded before it was sent/],
] as const)(
  'tells what was %s when its status has gone on, or is not kept',
  (kind, code, outcome, message) => {
    const report = tellReport({ event: event(kind, code), status: undefined }, known);
    expect(report).toMatchObject({
      ok: false,
      outcome,
      attempts: 2,
      error: { code, message: expect.stringMatching(message) },
    });
  },
);
