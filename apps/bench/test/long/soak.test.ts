import { expect, test } from 'vitest';
import { holds } from '../../src/report.ts';
import { judgeSoak, runSoak } from '../../src/soak/run-soak.ts';

test('a small soak against a service that keeps failing ends with both sides agreed', async () => {
  const record = await runSoak({ updates: 2_000, faultEvery: 20, seed: 1 }, () => {});
  expect(judgeSoak(record).filter((target) => !holds(target))).toEqual([]);
  expect(Object.keys(record.faults).length).toBeGreaterThan(5);
});
