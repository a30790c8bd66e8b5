import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMetrics } from '../../test/bin/read-metrics.ts';
import type { Backlog } from '../backlog.ts';
import { createMetrics } from './metrics.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const backlog: Backlog = {
  queued: 7,
  sending: 2,
  parked: 3,
  rejected: 1,
  oldestQueuedAt: new Date(now - 90_500),
  lanes: { waiting: 4, active: 2, held: 3 },
  pausedUntil: new Date(now + 1_500),
};
const settled = { id: 'an-id', token: 'ord_token', ageMs: 1_200 } as const;

test('shows what is before the outbox', async () => {
  const series = readMetrics(
    await createMetrics(
      async () => backlog,
      () => now,
    ).read(),
  );
  expect(series.get('orders_outbox_updates{state="queued"}')).toBe(7);
  expect(series.get('orders_outbox_updates{state="sending"}')).toBe(2);
  expect(series.get('orders_outbox_updates{state="parked"}')).toBe(3);
  expect(series.get('orders_outbox_updates{state="rejected"}')).toBe(1);
  expect(series.get('orders_outbox_lanes{state="waiting"}')).toBe(4);
  expect(series.get('orders_outbox_lanes{state="active"}')).toBe(2);
  expect(series.get('orders_outbox_lanes{state="held"}')).toBe(3);
  expect(series.get('orders_outbox_oldest_queued_age_seconds')).toBe(90.5);
  expect(series.get('orders_outbox_pause_seconds')).toBe(1.5);
  expect(series.get('orders_outbox_database_up')).toBe(1);
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(0);
});

test('shows 0 where nothing is queued or paused, whatever was before', async () => {
  let seen = backlog;
  const metrics = createMetrics(async () => seen);
  await metrics.read();
  seen = { queued: 0, sending: 0, parked: 0, rejected: 0, lanes: { waiting: 0, active: 0, held: 0 } };
  const series = readMetrics(await metrics.read());
  expect(series.get('orders_outbox_oldest_queued_age_seconds')).toBe(0);
  expect(series.get('orders_outbox_pause_seconds')).toBe(0);
  expect(series.get('orders_outbox_updates{state="parked"}')).toBe(0);
});

test('leaves out what it cannot know while the database is away, and shows it again', async () => {
  let isAway = false;
  const metrics = createMetrics(async () => {
    if (isAway) throw new Error('away');
    return backlog;
  });
  await metrics.read();
  isAway = true;
  metrics.note({ ...settled, state: 'applied' });
  const text = await metrics.read();
  const series = readMetrics(text);
  expect(series.get('orders_outbox_database_up')).toBe(0);
  expect([...series.keys()].filter((key) => /^orders_outbox_(updates|lanes|oldest|pause)/.test(key))).toEqual(
    [],
  );
  expect(series.get('orders_outbox_results_total{state="applied",code="none"}')).toBe(1);
  isAway = false;
  expect(readMetrics(await metrics.read()).get('orders_outbox_updates{state="queued"}')).toBe(7);
});

test('counts what became of updates, and how long those took that were applied', async () => {
  const metrics = createMetrics(async () => backlog);
  metrics.note({ ...settled, state: 'applied' });
  metrics.note({ ...settled, state: 'applied', ageMs: 20 });
  metrics.note({ ...settled, state: 'parked', code: 'timeout', ageMs: 9e9 });
  metrics.note({ ...settled, state: 'queued', code: 'connection_error' });
  const series = readMetrics(await metrics.read());
  expect(series.get('orders_outbox_results_total{state="applied",code="none"}')).toBe(2);
  expect(series.get('orders_outbox_results_total{state="parked",code="timeout"}')).toBe(1);
  expect(series.get('orders_outbox_results_total{state="queued",code="connection_error"}')).toBe(1);
  // There from the beginning, so that the first one is an increase.
  expect(series.get('orders_outbox_results_total{state="rejected",code="http_error"}')).toBe(0);
  expect(series.get('orders_outbox_time_to_apply_seconds_count')).toBe(2);
  expect(series.get('orders_outbox_time_to_apply_seconds_sum')).toBeCloseTo(1.22);
  expect(series.get('orders_outbox_time_to_apply_seconds_bucket{le="0.025"}')).toBe(1);
});

test('holds no id, no token, and no code that it does not know', async () => {
  const metrics = createMetrics(async () => backlog);
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 6 }), async (text) => {
      const secret = `zq${text}`;
      metrics.note({ ...settled, id: secret, token: secret, state: 'parked', code: secret });
      const read = await metrics.read();
      expect(read).not.toContain(secret);
      expect(read).not.toContain(settled.token);
    }),
    { numRuns: 20 },
  );
  const series = readMetrics(await metrics.read());
  expect(series.get('orders_outbox_results_total{state="parked",code="other"}')).toBe(20);
});
