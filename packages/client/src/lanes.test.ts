import { expect, test } from 'vitest';
import { Lanes } from './lanes.ts';

async function isSettled(promise: Promise<unknown> | undefined): Promise<boolean> {
  const pending = Symbol('pending');
  // Enough turns of the microtask queue for every promise in a chain to settle.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

test('lets the first through at once and the others one after another', async () => {
  const lanes = new Lanes();
  const [first, second, third] = [lanes.enter('a'), lanes.enter('a'), lanes.enter('a')];
  expect(first.ready).toBeUndefined();
  expect(await isSettled(second.ready)).toBe(false);
  first.leave();
  expect(await isSettled(second.ready)).toBe(true);
  expect(await isSettled(third.ready)).toBe(false);
  second.leave();
  expect(await isSettled(third.ready)).toBe(true);
});

test('who gives up waiting lets nobody overtake', async () => {
  const lanes = new Lanes();
  const [first, impatient, third] = [lanes.enter('a'), lanes.enter('a'), lanes.enter('a')];
  impatient.leave();
  expect(await isSettled(third.ready)).toBe(false);
  first.leave();
  expect(await isSettled(third.ready)).toBe(true);
});

test('lanes do not wait for each other, and an empty lane is forgotten', async () => {
  const lanes = new Lanes();
  const places = [lanes.enter('a'), lanes.enter('b'), lanes.enter('b')];
  expect(places[1]?.ready).toBeUndefined();
  for (const { leave } of places) leave();
  expect(await isSettled(places[2]?.ready)).toBe(true);
  expect(lanes.size).toBe(0);
});
