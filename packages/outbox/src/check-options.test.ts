import { expect, test } from 'vitest';
import { checkOptions } from './check-options.ts';
import type { OutboxOptions } from './outbox-options.ts';

const client = { safeUpdateOrder() {}, prepareUpdateOrder() {} } as unknown as OutboxOptions['client'];
const store = { transaction() {} } as unknown as OutboxOptions['store'];

test.for<[string, unknown]>([
  ['client', undefined],
  ['client', {}],
  ['store', undefined],
  ['store', './outbox'],
  ['store', Promise.resolve(store)],
  ['concurency', 3],
  ['concurrency', 0],
  ['concurrency', 1.5],
  ['concurrency', Number.NaN],
  ['localConcurrency', -1],
  ['localConcurrency', 1e9],
  ['rate', 3],
  ['rate', null],
  ['rate', { perSecond: 0 }],
  ['rate', { perSecond: Number.POSITIVE_INFINITY }],
  ['rate', { perSecond: 1, burst: 0 }],
  ['rate', { perSecond: 1, brust: 2 }],
  ['maxRetryDelayMs', -1],
  ['maxRetryDelayMs', Number.POSITIVE_INFINITY],
  ['keepSettledMs', Number.NaN],
  ['latestWins', 'yes'],
  ['onUnknown', 'retry'],
  ['onRejected', 'drop'],
  ['warn', 'loudly'],
])('refuses %s: %o by its name', ([name, value]) => {
  const check = () => checkOptions({ client, store, [name]: value });
  expect(check).toThrow(TypeError);
  expect(check).toThrow(new RegExp(`^${name}`));
});

test('says what to give where nothing is given', () => {
  expect(() => checkOptions(undefined as never)).toThrow('createOutbox: give { client, store }.');
});

test('takes what is right', () => {
  expect(() =>
    checkOptions({
      client,
      store,
      rate: { perSecond: 0.1 },
      concurrency: 1,
      keepSettledMs: Number.POSITIVE_INFINITY,
      onUnknown: () => 'park',
    }),
  ).not.toThrow();
});
