import { expect, expectTypeOf, test } from 'vitest';
import type { Decision } from './decide.ts';
import type { EnqueueItem, EnqueueOptions } from './enqueue.ts';
import { createInbox } from './inbox.ts';
import type { Rate } from './limits.ts';
import { type OutboxOptions, resolveOptions } from './options.ts';
import { createOutbox } from './outbox.ts';
import { type PostgresStoreOptions, postgresStore } from './postgres-store.ts';
import type { ChangesOptions, ListOptions } from './read.ts';

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

test.each([Array.prototype, Object.prototype])(
  'refuses to store in a process whose %o has a toJSON',
  async (prototype) => {
    const inbox = { store, verify: 'none', id: 'id', token: 'token', handler: async () => {} } as const;
    Object.defineProperty(prototype, 'toJSON', { value: () => 'changed', configurable: true });
    const refused = [createOutbox({ store }), (async () => createInbox(inbox))()];
    Reflect.deleteProperty(prototype, 'toJSON');
    for (const each of refused)
      await expect(each).rejects.toThrow(/^All arrays of this process have a toJSON/);
  },
);

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

/** What may be left out, as it is after `{ concurrency: env.CONCURRENCY }` and the like. */
type Undefined<Options> = {
  readonly [Name in keyof Options as Record<never, never> extends Pick<Options, Name>
    ? Name
    : never]-?: undefined;
};

test('every option that may be left out may be undefined, and then counts as left out', () => {
  expectTypeOf<Undefined<OutboxOptions>>().toExtend<Partial<OutboxOptions>>();
  expectTypeOf<Undefined<Rate>>().toExtend<Partial<Rate>>();
  expectTypeOf<Undefined<EnqueueOptions>>().toExtend<EnqueueOptions>();
  expectTypeOf<Undefined<EnqueueItem>>().toExtend<Partial<EnqueueItem>>();
  expectTypeOf<Undefined<ListOptions>>().toExtend<ListOptions>();
  expectTypeOf<Undefined<ChangesOptions>>().toExtend<Partial<ChangesOptions>>();
  expectTypeOf<Undefined<Decision>>().toExtend<Decision>();
  expectTypeOf<Undefined<PostgresStoreOptions>>().toExtend<PostgresStoreOptions>();
  const none: Undefined<OutboxOptions> = {
    client: undefined,
    schema: undefined,
    databaseSchema: undefined,
    migrate: undefined,
    onUnknown: undefined,
    onRejected: undefined,
    latestWins: undefined,
    concurrency: undefined,
    localConcurrency: undefined,
    rate: undefined,
    maxRetryDelayMs: undefined,
    keepSettledMs: undefined,
    keepRejectedMs: undefined,
    warn: undefined,
    log: undefined,
    onSettled: undefined,
  };
  expect(resolveOptions({ ...none, store })).toEqual(resolveOptions({ store }));
});
