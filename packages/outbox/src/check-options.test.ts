import { expect, test } from 'vitest';
import { checkOutboxOptions } from './check-options.ts';
import { createOutbox } from './create-outbox.ts';
import type { OutboxOptions } from './outbox-options.ts';
import { postgresStore } from './store/postgres-store.ts';

const client = { safeUpdateOrder() {}, prepareUpdateOrder() {} } as unknown as OutboxOptions['client'];
const store = { transaction() {} } as unknown as OutboxOptions['store'];

test.for<[string, unknown]>([
  ['client', undefined],
  ['client', {}],
  ['store', undefined],
  ['store', './outbox'],
  ['store', Promise.resolve(store)],
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
  ['maxRetryDelayMs', -1],
  ['maxRetryDelayMs', Number.POSITIVE_INFINITY],
  ['keepSettledMs', Number.NaN],
  ['latestWins', 'yes'],
  ['onUnknown', 'retry'],
  ['onRejected', 'drop'],
  ['warn', 'loudly'],
])('refuses %s: %o by its name', ([name, value]) => {
  const check = () => checkOutboxOptions({ client, store, [name]: value });
  expect(check).toThrow(TypeError);
  expect(check).toThrow(new RegExp(`^${name}`));
});

test.for<[unknown: string, open: () => unknown, message: string]>([
  [
    'concurency',
    () => createOutbox({ client, store, concurency: 3 } as OutboxOptions),
    'createOutbox: unknown option "concurency". Did you mean "concurrency"?',
  ],
  [
    'rate.perMinute',
    () =>
      createOutbox({ client, store, rate: { perSecond: 1, perMinute: 60 } as OutboxOptions['rate'] & {} }),
    'createOutbox: rate: unknown option "perMinute". Did you mean "perSecond"?',
  ],
  [
    'maxConections',
    async () => postgresStore({ connectionString: 'postgres://shop:sekret@db', maxConections: 3 } as object),
    'postgresStore: unknown option "maxConections". Did you mean "maxConnections"?',
  ],
])('refuses the unknown option %s and names the one meant', async ([, open, message]) => {
  await expect(open()).rejects.toThrow(new TypeError(message));
});

test('says what to give where nothing is given', () => {
  expect(() => checkOutboxOptions(undefined as never)).toThrow('createOutbox: give { client, store }.');
});

test('takes what is right', () => {
  expect(() =>
    checkOutboxOptions({
      client,
      store,
      rate: { perSecond: 0.1 },
      concurrency: 1,
      keepSettledMs: Number.POSITIVE_INFINITY,
      onUnknown: () => 'park',
    }),
  ).not.toThrow();
});
