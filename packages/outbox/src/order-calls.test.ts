import { expect, test, vi } from 'vitest';
import { OrderCalls } from './order-calls.ts';

const lockTimeout = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
const turns = async (count = 50): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

/** Calls by a clock of their own, and an order that somebody else has locked until `free`. */
function setScene() {
  let now = 0;
  let isLocked = true;
  let attempts = 0;
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number): Promise<void> =>
    new Promise((wake) => void sleepers.push({ at: now + ms, wake }));
  const calls = new OrderCalls({ now: () => now, sleep });
  const settledAt: (readonly [call: number, result: string, at: number])[] = [];
  return {
    calls,
    settledAt,
    attempts: () => attempts,
    free: () => {
      isLocked = false;
    },
    call(number: number, token = 'ord_1'): void {
      const work = async (): Promise<string> => {
        attempts++;
        if (isLocked) {
          await sleep(100);
          // A migration of pg-boss takes its locks in another order than callers.
          throw attempts % 3 === 2 ? deadlock : lockTimeout;
        }
        return 'done';
      };
      calls.run(new Set([token]), work).then(
        (result) => settledAt.push([number, result, now]),
        (error: { readonly code: string }) => settledAt.push([number, error.code, now]),
      );
    },
    /** Lets time pass. */
    async pass(ms: number): Promise<void> {
      const end = now + ms;
      await turns();
      for (;;) {
        const next = sleepers.toSorted((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        sleepers.splice(sleepers.indexOf(next), 1);
        now = next.at;
        next.wake();
        await turns();
      }
      now = end;
    },
  };
}

test('each call for a locked order fails 3 s after it was made, however many there are', async () => {
  const { call, pass, settledAt, attempts } = setScene();
  for (let number = 0; number < 1_000; number++) call(number);
  await pass(1_000);
  call(1_000);
  await pass(2_000);
  await turns(20_000);
  expect(settledAt).toHaveLength(1_000);
  expect(new Set(settledAt.map(([, code, at]) => `${code} ${at}`))).toEqual(new Set(['55P03 3000']));
  await pass(1_000);
  expect(settledAt.at(-1)).toEqual([1_000, '55P03', 4_000]);
  // Each takes 100 ms on a connection: calls whose time is over make none.
  expect(attempts()).toBe(20);
});

test('calls that wait behind one without a response fail with it', async () => {
  let now = 0;
  const calls = new OrderCalls({ now: () => now });
  const silence = new Error('connecting took too long');
  const fail = vi.fn(async () => {
    now += 10_000;
    throw silence;
  });
  const run = () => calls.run(new Set(['ord_1']), fail);
  const settled = await Promise.allSettled(Array.from({ length: 1_000 }, run));
  expect(settled).toEqual(settled.map(() => ({ status: 'rejected', reason: silence })));
  expect(fail).toHaveBeenCalledTimes(1);
  // A later call looks for itself.
  await expect(run()).rejects.toBe(silence);
  expect(fail).toHaveBeenCalledTimes(2);
});

test('calls go on in sequence once the order is free', async () => {
  const { call, pass, free, settledAt } = setScene();
  for (let number = 0; number < 5; number++) call(number);
  await pass(2_000);
  free();
  await pass(500);
  expect(settledAt.map(([number, result]) => [number, result])).toEqual(
    [0, 1, 2, 3, 4].map((number) => [number, 'done']),
  );
});

test('time in which the calls before went on does not count', async () => {
  let now = 0;
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  const calls = new OrderCalls({ now: () => now, sleep });
  const results = Array.from({ length: 100 }, (_, number) => {
    let isFirst = true;
    return calls.run(new Set(['ord_1']), async () => {
      now += 1_000;
      const mustRepeat = isFirst && number > 0;
      isFirst = false;
      if (mustRepeat) throw lockTimeout;
      return number;
    });
  });
  expect(await Promise.all(results)).toEqual(results.map((_, number) => number));
});

test('a call for several orders waits for those before it on each, and none waits for itself', async () => {
  const calls = new OrderCalls();
  const log: string[] = [];
  const run = (name: string, ...tokens: string[]) =>
    calls.run(new Set(tokens), async () => void log.push(name));
  await Promise.all([run('a', 'x'), run('ab', 'x', 'y'), run('b', 'y', 'x', 'y'), run('c', 'z')]);
  await calls.whenSettled();
  expect(log.filter((name) => name !== 'c')).toEqual(['a', 'ab', 'b']);
});
