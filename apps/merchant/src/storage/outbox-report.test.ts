import type { UpdateStatus } from '@orders/outbox';
import { expect, test } from 'vitest';
import { buildReport, describeEnd } from './outbox-report.ts';

const startedAt = new Date('2026-01-01T00:00:01.000Z');
const settledAt = new Date('2026-01-01T00:00:01.250Z');
const now = new Date('2026-01-01T00:01:00.000Z');

const status = (state: UpdateStatus['state'], more: Partial<UpdateStatus> = {}): UpdateStatus => ({
  id: '00000000-0000-4000-8000-000000000001',
  token: 'order-1',
  state,
  attempts: 2,
  createdAt: startedAt,
  sendingAt: startedAt,
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

test.each(['queued', 'sending'] as const)('an attempt before another one is retried, while %s', (state) => {
  const busy = status(state, { code: 'http_error', message: 'Busy', status: 429, receipt });
  expect(describeEnd(busy, startedAt)).toEqual({
    outcome: 'rejected',
    durationMs: 12.5,
    status: 429,
    error: 'http_error',
    isRetried: true,
  });
});

test.each([
  [status('needs_review', { code: 'worker_lost', settledAt }), 'unknown', 250],
  [status('queued', { code: 'worker_lost' }), 'unknown', 0],
  [status('queued', { code: 'connection_error' }), 'not_sent', 0],
  [status('queued', { code: 'http_error', status: 429 }), 'rejected', 0],
  [status('discarded', { code: 'decided', settledAt }), 'unknown', 250],
  [status('rejected', { code: 'validation_error', settledAt }), 'not_sent', 250],
] as const)('an attempt without a receipt has the outcome of its code: %#', (update, outcome, durationMs) => {
  expect(describeEnd(update, startedAt)).toMatchObject({ outcome, durationMs });
});

test('an applied update reports its response and its receipt', () => {
  const applied = status('applied', { status: 200, receipt, settledAt });
  expect(buildReport(applied, { now })).toEqual({
    ok: true,
    outcome: 'applied',
    attempts: 2,
    at: '2026-01-01T00:00:01.250Z',
    status: 200,
    receipt,
  });
  const unread = { ...applied, code: 'invalid_response', message: 'Cut off' };
  expect(buildReport(unread, { now })).toMatchObject({
    ok: false,
    outcome: 'applied',
    error: { code: 'invalid_response', message: 'Cut off' },
  });
});

test('an update that a person resolved is applied without an error; one that was sent again keeps it', () => {
  const unread = { code: 'invalid_response', message: 'Cut off', settledAt };
  const before = status('applied', { ...unread, decision: { at: new Date('2026-01-01') } });
  expect(buildReport(before, { now })).toMatchObject({ ok: false, error: { code: 'invalid_response' } });
  const after = status('applied', { ...unread, code: 'worker_lost', decision: { at: settledAt } });
  expect(buildReport(after, { now })).toMatchObject({ ok: true, outcome: 'applied' });
  expect(buildReport(after, { now })).not.toHaveProperty('error');
});

test('an update that the schema rejects after it was accepted was not sent, with its issues', () => {
  const issues = [{ path: 'cart', code: 'invalid_type', message: 'Expected an object' }];
  const wrong = status('rejected', { code: 'validation_error', message: 'Not valid', issues });
  expect(buildReport(wrong, { now })).toMatchObject({
    ok: false,
    outcome: 'not_sent',
    at: now.toISOString(),
    error: { code: 'validation_error', message: 'Not valid', issues },
  });
});

test('a discarded update was not sent, unless it may have been applied', () => {
  const discarded = status('discarded', { code: 'decided', message: 'Of the last attempt', settledAt });
  expect(buildReport(discarded, { now })).toMatchObject({
    outcome: 'not_sent',
    error: { code: 'decided', message: 'It was discarded before it was sent.' },
  });
  expect(buildReport(discarded, { now, mayBeApplied: true })).toMatchObject({ outcome: 'unknown' });
});
