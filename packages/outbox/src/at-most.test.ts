import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { atMost } from './at-most.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Things to run that end when they are told to. */
function runs(places: number) {
  const limited = atMost(() => places);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (key: string, name: string): Promise<string> =>
    limited(key, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await nextTurn();
  };
  return { begin, begun, end };
}

test('runs one of each key at a time, in order, and no more at once than there are places', async () => {
  const { begin, begun, end } = runs(2);
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => begin(name.charAt(0), name));
  await nextTurn();
  expect(begun).toEqual(['a1', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  await end('a2');
  expect(begun.at(-1)).toBe('b2');
  for (const name of ['c1', 'b2', 'a3']) await end(name);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
});

test('lets nothing wait where there is no end of places', async () => {
  const { begin, begun, end } = runs(Number.POSITIVE_INFINITY);
  const both = ['a1', 'a2'].map((name) => begin('a', name));
  expect(begun).toEqual(['a1', 'a2']);
  for (const name of begun) await end(name);
  expect(await Promise.all(both)).toEqual(['a1', 'a2']);
});

test('gives a place back when something fails', async () => {
  const limited = atMost(() => 1);
  await expect(limited('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limited('b', async () => 'well')).toBe('well');
});

test('tells who waits for too long, and runs the others', async () => {
  vi.useFakeTimers();
  const { begin, begun, end } = runs(1);
  const first = begin('a', 'a1');
  const refused = expect(begin('b', 'b1')).rejects.toMatchObject({ code: 'database_unusable' });
  await vi.advanceTimersByTimeAsync(9_000);
  const later = begin('b', 'b2');
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
  vi.useRealTimers();
  await end('a1');
  await end('b2');
  expect(await Promise.all([first, later])).toEqual(['a1', 'b2']);
  expect(begun).toEqual(['a1', 'b2']);
});
