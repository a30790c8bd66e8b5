import { expect, test } from 'vitest';
import { type OutboxOptions, resolveOptions } from './options.ts';
import { createOutbox } from './outbox.ts';
import { postgresStore } from './postgres-store.ts';

const client = {
  safeUpdateOrder() {},
  prepareUpdateOrder() {},
  echo() {},
} as unknown as OutboxOptions['client'] & {};
const store = { transaction() {} } as unknown as OutboxOptions['store'];

test.for<[string, unknown]>([
  ['client', {}],
  ['client', { ...client, echo: undefined }],
  ['store', undefined],
  ['store', './outbox'],
  ['store', Promise.resolve(store)],
  ['databaseSchema', 'Orders'],
  ['databaseSchema', 'pg_orders'],
  ['concurrency', 0],
  ['concurrency', 1.5],
  ['concurrency', Number.NaN],
  ['localConcurrency', -1],
  ['localConcurrency', 1e9],
  ['rate', { perSecond: 0 }],
  ['rate', { perSecond: Number.POSITIVE_INFINITY }],
  ['rate', { perSecond: 1, burst: 0 }],
  ['rate', null],
  ['maxRetryDelayMs', -1],
  ['maxRetryDelayMs', Number.POSITIVE_INFINITY],
  ['keepSettledMs', Number.NaN],
  ['keepRejectedMs', '7d'],
  ['latestWins', 'yes'],
  ['migrate', 1],
  ['onUnknown', 'park'],
  ['onRejected', 'drop'],
  ['onSettled', {}],
  ['warn', 'loudly'],
  ['log', console],
])('refuses %s: %o by its name', async ([name, value]) => {
  const creating = createOutbox({ client, store, [name]: value });
  await expect(creating).rejects.toThrow(TypeError);
  await expect(creating).rejects.toThrow(new RegExp(`^${name}`));
});

test.for<[object, string]>([
  [{ concurency: 3 }, 'createOutbox: unknown option "concurency". Did you mean "concurrency"?'],
  [
    { rate: { perSecond: 1, perMinute: 60 } },
    'createOutbox: rate: unknown option "perMinute". Known: perSecond, burst.',
  ],
  [{ rate: 3 }, 'createOutbox: rate: expected an object of options. Known: perSecond, burst.'],
])('refuses %o and says what is meant', async ([own, message]) => {
  const creating = createOutbox({ client, store, ...own } as OutboxOptions);
  await expect(creating).rejects.toThrow(new TypeError(message));
});

test('says what to pass where nothing is passed', async () => {
  await expect(createOutbox(undefined as never)).rejects.toThrow('createOutbox: pass { client, store }.');
});

test('adds the defaults', () => {
  expect(resolveOptions({ store, concurrency: 4 })).toMatchObject({
    databaseSchema: 'orders_outbox',
    onUnknown: 'review',
    onRejected: 'continue',
    latestWins: false,
    concurrency: 4,
    localConcurrency: 4,
    maxRetryDelayMs: 60_000,
    keepSettledMs: 604_800_000,
    keepRejectedMs: 2_592_000_000,
  });
});

test('postgresStore refuses unknown options, too few connections, and two ways to connect', () => {
  const connectionString = 'postgres://shop:sekret@db/shop';
  expect(() => postgresStore({ connectionString, maxConections: 3 } as object)).toThrow(
    'Did you mean "maxConnections"?',
  );
  expect(() => postgresStore({ connectionString, maxConnections: 2 })).toThrow('a whole number from 3');
  expect(() => postgresStore({})).toThrow('either connectionString or pool');
  expect(() => postgresStore(undefined as never)).toThrow('either connectionString or pool');
});
