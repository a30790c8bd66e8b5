import { expect, test } from 'vitest';
import { inBatches } from './in-batches.ts';

test('gives what is there together, at most so many, and does not wait for more', async () => {
  const more = Promise.withResolvers<void>();
  async function* source() {
    yield* [1, 2, 3, 4, 5];
    await more.promise;
    yield 6;
  }
  const batches = inBatches(source(), 3);
  expect((await batches.next()).value).toEqual([1, 2, 3]);
  expect((await batches.next()).value).toEqual([4, 5]);
  more.resolve();
  expect((await batches.next()).value).toEqual([6]);
  expect(await batches.next()).toEqual({ done: true, value: undefined });
});

test('tells its source when nobody wants more', async () => {
  let isLeft = false;
  async function* source() {
    try {
      for (let number = 1; ; number++) yield number;
    } finally {
      isLeft = true;
    }
  }
  for await (const batch of inBatches(source(), 2)) if (batch.includes(4)) break;
  expect(isLeft).toBe(true);
});
