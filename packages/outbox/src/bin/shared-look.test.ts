import { expect, test } from 'vitest';
import { sharedLook } from './shared-look.ts';

test('asks once for all who ask at the same time, and again afterwards', async () => {
  let asked = 0;
  const look = sharedLook(async () => ++asked, 1_000);
  expect(await Promise.all([look(), look(), look()])).toEqual([1, 1, 1]);
  expect(await look()).toBe(2);
});

test('gives up after its bound, and begins no other look behind one that hangs', async () => {
  let asked = 0;
  let { promise, resolve } = Promise.withResolvers<string>();
  const look = sharedLook(() => {
    asked++;
    return promise;
  }, 5);
  await expect(Promise.all([look(), look()])).rejects.toThrow('no answer within 0.005 s');
  await expect(look()).rejects.toThrow('no answer');
  expect(asked).toBe(1);
  resolve('late');
  await promise;
  ({ promise, resolve } = Promise.withResolvers<string>());
  resolve('again');
  expect(await look()).toBe('again');
});

test('passes a failure on to all', async () => {
  const look = sharedLook(() => Promise.reject(new Error('away')), 1_000);
  const [one, other] = await Promise.allSettled([look(), look()]);
  expect([one.status, other.status]).toEqual(['rejected', 'rejected']);
});
