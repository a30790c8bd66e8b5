import { expect, test } from 'vitest';
import { watchReach } from './reach.ts';

test('tells once that nothing gets through, and once that something does', () => {
  let now = 0;
  const told: string[] = [];
  const reach = watchReach(
    (message) => told.push(message),
    () => now,
  );
  reach.works();
  // Others were answered a moment ago.
  now = 9_999;
  reach.fails('ECONNRESET');
  expect(told).toEqual([]);
  now = 10_000;
  reach.fails('ECONNREFUSED');
  reach.fails('ECONNREFUSED');
  expect(told).toEqual(['The order service cannot be reached, and the outbox goes on trying: ECONNREFUSED']);
  reach.works();
  reach.works();
  reach.fails('ECONNREFUSED');
  expect(told.slice(1)).toEqual(['The order service can be reached again.']);
});

test('tells at once where nothing was ever answered', () => {
  const told: string[] = [];
  watchReach(
    (message) => told.push(message),
    () => 0,
  ).fails('ENOTFOUND');
  expect(told).toHaveLength(1);
});
