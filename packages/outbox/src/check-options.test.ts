import { expect, test } from 'vitest';
import { checkOptions } from './check-options.ts';
import type { OutboxOptions } from './outbox-options.ts';

const store = {} as OutboxOptions['store'];

test.for<[string, unknown]>([
  ['concurrency', 0],
  ['concurrency', 1.5],
  ['concurrency', Number.NaN],
  ['localConcurrency', -1],
  ['localConcurrency', 1e9],
  ['rate', { perSecond: 0 }],
  ['rate', { perSecond: Number.POSITIVE_INFINITY }],
  ['rate', { perSecond: 1, burst: 0 }],
  ['maxRetryDelayMs', -1],
  ['maxRetryDelayMs', Number.POSITIVE_INFINITY],
  ['keepSettledMs', Number.NaN],
  ['latestWins', 'yes'],
  ['onUnknown', 'retry'],
  ['onRejected', 'drop'],
  ['warn', 'loudly'],
])('refuses %s: %o by its name', ([name, value]) => {
  expect(() => checkOptions({ store, [name]: value })).toThrow(TypeError);
  expect(() => checkOptions({ store, [name]: value })).toThrow(name);
});

test('takes what is right', () => {
  expect(() =>
    checkOptions({
      store,
      rate: { perSecond: 0.1 },
      concurrency: 1,
      keepSettledMs: Number.POSITIVE_INFINITY,
      onUnknown: () => 'park',
    }),
  ).not.toThrow();
});
