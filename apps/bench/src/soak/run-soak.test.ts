import { expect, test } from 'vitest';
import { judgeSoak } from './judge-soak.ts';
import { runSoak } from './run-soak.ts';

const silent = { begin() {}, step() {}, end() {} };

test('a small soak against a service that keeps failing ends with both sides agreed', {
  timeout: 60_000,
}, async () => {
  const record = await runSoak({ updates: 2_000, faultEvery: 20, concurrency: 32, seed: 1 }, silent);
  expect(judgeSoak(record).filter(({ holds }) => !holds)).toEqual([]);
  expect(Object.keys(record.faults).length).toBeGreaterThan(5);
});
