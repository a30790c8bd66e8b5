import { expect, test } from 'vitest';
import { inTime } from './in-time.ts';

const never = new Promise<never>(() => {});

test('gives what a promise gives', async () => {
  const { signal } = new AbortController();
  expect(await inTime(Promise.resolve('yes'), 1_000, signal)).toBe('yes');
  await expect(inTime(Promise.reject(new Error('no')), 1_000, signal)).rejects.toThrow('no');
});

test('gives up one that takes too long, or when the signal fires or has fired', async () => {
  const ending = new AbortController();
  await expect(inTime(never, 20, ending.signal)).rejects.toThrow('did not choose within 0.02 s');
  const waiting = inTime(never, 60_000, ending.signal);
  ending.abort();
  await expect(waiting).rejects.toThrow('closed before it chose');
  await expect(inTime(never, 60_000, ending.signal)).rejects.toThrow('closed before it chose');
});
