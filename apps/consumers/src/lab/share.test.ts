import { expect, test } from 'vitest';
import { share } from './share.ts';

test('does the work once for each key, for all who ask at the same time', async () => {
  const wishes: string[] = [];
  const shared = share(
    async (wish: string) => {
      wishes.push(wish);
      return { wish };
    },
    (wish) => wish,
  );
  const [first, second, other] = await Promise.all([shared('a'), shared('a'), shared('b')]);
  expect(second).toBe(first);
  expect(other).toEqual({ wish: 'b' });
  expect(wishes).toEqual(['a', 'b']);
});

test('shares a failure', async () => {
  let calls = 0;
  const shared = share(async () => {
    calls += 1;
    throw new Error('no');
  });
  const outcomes = await Promise.allSettled([shared(undefined), shared(undefined)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toBe(1);
});
