import process from 'node:process';
import { expect, test } from 'vitest';
import { cpuOf, cpuOfFamily, readProcessStat } from './cpu-of.ts';

test('reads the times of a process, whatever its program is called', () => {
  const text = '42 (a) b) (c) S 7 42 42 0 -1 4194304 100 0 0 0 150 50 20 5 20 0 1 0 9999 0 0';
  expect(readProcessStat(text)).toEqual({ parent: 7, cpuMs: 2_000, endedMs: 250 });
});

test('a process that is not there took nothing that could be told', async () => {
  expect([await cpuOf(2 ** 30), await cpuOfFamily(2 ** 30)]).toEqual([undefined, undefined]);
});

test.runIf(process.platform === 'linux')('a process has used at least what it used alone', async () => {
  const alone = (await cpuOf(process.pid)) ?? Number.NaN;
  expect(alone).toBeGreaterThan(0);
  expect(await cpuOfFamily(process.pid)).toBeGreaterThanOrEqual(alone);
});
