import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { OutboxStatus } from '@orders/outbox';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMetrics } from '../../test/read-metrics.ts';
import { createMetrics, serveMetrics } from './metrics.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const status: OutboxStatus = {
  updates: {
    queued: 7,
    sending: 2,
    needsReview: 3,
    rejected: 1,
    oldestQueuedAt: new Date(now - 90_500),
  },
  orders: { waiting: 4, active: 2, held: 3 },
  held: [],
  pausedUntil: new Date(now + 1_500),
  service: { state: 'ok' },
  workers: [{ id: 'a-worker' }],
};
const settled = { id: 'an-id', token: 'ord_token', ageMs: 1_200 } as const;

test('shows the backlog', async () => {
  const series = readMetrics(
    await createMetrics(
      async () => status,
      () => now,
    ).read(),
  );
  expect(series.get('orders_outbox_updates{state="queued"}')).toBe(7);
  expect(series.get('orders_outbox_updates{state="sending"}')).toBe(2);
  expect(series.get('orders_outbox_updates{state="needs_review"}')).toBe(3);
  expect(series.get('orders_outbox_updates{state="rejected"}')).toBe(1);
  expect(series.get('orders_outbox_orders{state="waiting"}')).toBe(4);
  expect(series.get('orders_outbox_orders{state="active"}')).toBe(2);
  expect(series.get('orders_outbox_orders{state="held"}')).toBe(3);
  expect(series.get('orders_outbox_oldest_queued_age_seconds')).toBe(90.5);
  expect(series.get('orders_outbox_pause_seconds')).toBe(1.5);
  expect(series.get('orders_outbox_database_up')).toBe(1);
  expect(series.get('orders_outbox_service_up')).toBe(1);
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(0);
});

test('shows 0 where nothing is queued or paused any more', async () => {
  let seen = status;
  const metrics = createMetrics(async () => seen);
  await metrics.read();
  const { pausedUntil: _, ...rest } = status;
  seen = { ...rest, updates: { queued: 0, sending: 0, needsReview: 0, rejected: 0 } };
  const series = readMetrics(await metrics.read());
  expect(series.get('orders_outbox_oldest_queued_age_seconds')).toBe(0);
  expect(series.get('orders_outbox_pause_seconds')).toBe(0);
  expect(series.get('orders_outbox_updates{state="needs_review"}')).toBe(0);
});

test('counts outcomes, and measures how long applied updates took', async () => {
  const metrics = createMetrics(async () => status);
  metrics.record({ ...settled, state: 'applied' });
  metrics.record({ ...settled, state: 'applied', ageMs: 20 });
  metrics.record({ ...settled, state: 'needs_review', code: 'timeout', ageMs: 9e9 });
  metrics.record({ ...settled, state: 'queued', code: 'connection_error' });
  const series = readMetrics(await metrics.read());
  expect(series.get('orders_outbox_results_total{state="applied",code="none"}')).toBe(2);
  expect(series.get('orders_outbox_results_total{state="needs_review",code="timeout"}')).toBe(1);
  expect(series.get('orders_outbox_results_total{state="queued",code="connection_error"}')).toBe(1);
  // There from the beginning, so that the first one is an increase.
  expect(series.get('orders_outbox_results_total{state="rejected",code="http_error"}')).toBe(0);
  expect(series.get('orders_outbox_time_to_apply_seconds_count')).toBe(2);
  expect(series.get('orders_outbox_time_to_apply_seconds_sum')).toBeCloseTo(1.22);
  expect(series.get('orders_outbox_time_to_apply_seconds_bucket{le="0.025"}')).toBe(1);
});

test('contains no id, no token and no unknown code', async () => {
  const metrics = createMetrics(async () => status);
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 6 }), async (text) => {
      const secret = `zq${text}`;
      metrics.record({ ...settled, id: secret, token: secret, state: 'needs_review', code: secret });
      const read = await metrics.read();
      expect(read).not.toContain(secret);
      expect(read).not.toContain(settled.token);
    }),
    { numRuns: 20 },
  );
  const series = readMetrics(await metrics.read());
  expect(series.get('orders_outbox_results_total{state="needs_review",code="other"}')).toBe(20);
});

test.each([
  { service: { state: 'key_refused' } },
  { workers: [{ id: 'a-worker', problem: 'no echo' }] },
] as const)('shows that the service is down for %j', async (other) => {
  const series = readMetrics(await createMetrics(async () => ({ ...status, ...other })).read());
  expect(series.get('orders_outbox_service_up')).toBe(0);
});

test('reports an address of another machine', async () => {
  const metrics = createMetrics(async () => status);
  const noProblem = async () => undefined;
  await expect(serveMetrics({ host: '203.0.113.1', port: 0 }, metrics, noProblem)).rejects.toThrow(
    /^Cannot listen on port 0 of 203\.0\.113\.1: /,
  );
});

test('accepts any Host where it was bound to all addresses', async () => {
  const url = await serveMetrics(
    { host: '0.0.0.0', port: 0 },
    createMetrics(async () => status),
    async () => 'stopping\nnow',
  );
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/readyz`, { headers: { host: 'worker.internal' } }, resolve).once('error', reject);
  });
  expect([response.statusCode, await text(response)]).toEqual([503, 'stopping now\n']);
});
