import { expect, test } from 'vitest';
import { measureScale } from '../../src/outbox/measure.ts';
import { buildReport } from '../../src/outbox/report.ts';

test('a tiny run drains, watches and measures the outbox, and loses nothing', {
  timeout: 600_000,
}, async () => {
  const measured = await measureScale(
    {
      only: ['drain', 'depth', 'latency', 'rate'],
      rounds: 1,
      updates: 40,
      orders: 8,
      inFlight: 8,
      processes: [1],
      depths: [20],
      window: 20,
      windowMs: 30_000,
      samples: 3,
      seconds: 1,
      fsync: false,
    },
    () => {},
  );
  expect([...measured.drain.values()]).toMatchObject([
    [{ lost: 0, repeated: 0, outOfSequence: 0 }],
    [{ lost: 0, repeated: 0, outOfSequence: 0 }],
  ]);
  expect([...measured.depth.values()].flat()[0]?.measured).toBeGreaterThanOrEqual(20);
  expect([...measured.rate.values()].flat()[0]?.most).toBeGreaterThan(25);
  expect(buildReport(measured).tables.map(({ rows }) => rows.length)).toEqual([3, 3, 4, 3]);
});
