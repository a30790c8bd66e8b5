import { expect, test, vi } from 'vitest';
import { retryOnDeadlock, sqlState } from './errors.ts';

const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });

test('runs again after each deadlock, with a pause, until there were too many', async () => {
  const run = vi.fn(async () => 'done');
  run.mockRejectedValueOnce(deadlock).mockRejectedValueOnce(new Error('wrapped', { cause: deadlock }));
  const startedAt = performance.now();
  expect(await retryOnDeadlock(2, run)).toBe('done');
  // Two pauses of 50 ms at least; timers may fire a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(98);
  expect(run).toHaveBeenCalledTimes(3);

  run.mockClear().mockRejectedValue(deadlock);
  await expect(retryOnDeadlock(2, run)).rejects.toBe(deadlock);
  expect(run).toHaveBeenCalledTimes(3);
});

test('takes no code of the system for a SQLSTATE', () => {
  const coded = (code: string) => Object.assign(new Error('away'), { code });
  for (const code of ['EPIPE', 'ECONN', 'EHOST', 'ESRCH', 'ABORT'])
    expect(sqlState(coded(code))).toBe(undefined);
  for (const code of ['25P03', '0A000', 'XX000', 'HV00B'])
    expect(sqlState(new Error('wrapped', { cause: coded(code) }))).toBe(code);
});

test('runs nothing again that failed otherwise', async () => {
  const failure = Object.assign(new Error('duplicate key'), { code: '23505' });
  const run = vi.fn().mockRejectedValue(failure);
  await expect(retryOnDeadlock(2, run)).rejects.toBe(failure);
  expect(run).toHaveBeenCalledTimes(1);
});
