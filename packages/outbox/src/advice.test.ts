import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { type Advice, adviceIn } from '../../../.ci/advice.ts';
import { makePglite } from '../../../.ci/make-pglite.ts';
import { toNewUpdate } from './enqueue.ts';
import { describeError } from './errors.ts';
import { createInbox, type InboxOptions } from './inbox.ts';
import { type OutboxOptions, resolveOptions } from './options.ts';
import { pgliteStore } from './pglite-store.ts';
import { postgresStore } from './postgres-store.ts';
import { checkSchemaName } from './schema.ts';

const store = { transaction: async () => {} };
const thrownBy = (call: () => unknown): string => {
  try {
    call();
    return 'passed';
  } catch (error) {
    return (error as Error).message;
  }
};
const optionMessage = (options: object): string =>
  thrownBy(() => resolveOptions({ store, ...options } as unknown as OutboxOptions));
const inboxMessage = (options: object): string =>
  thrownBy(() =>
    createInbox({
      store,
      verify() {},
      id: 'id',
      token: 'token',
      handler() {},
      ...options,
    } as unknown as InboxOptions),
  );
/** The error of a store on a PGlite that is open, or `passed`. */
async function openPgliteMessage(): Promise<string> {
  const pglite = await makePglite(PGlite, import.meta.url);
  const message = await pgliteStore(pglite).then(
    async (store) => {
      await store.close();
      return 'passed';
    },
    (error: Error) => error.message,
  );
  await pglite.close();
  return message;
}
/** Whether each of the words in quotes is accepted for an option. */
const eachPasses = (option: string) => (message: string) =>
  [...message.matchAll(/'([^']+)'/g)].every(([, word]) => optionMessage({ [option]: word }) === 'passed');

const table: readonly Advice[] = [
  {
    mistake: 'another word for onUnknown',
    message: optionMessage({ onUnknown: 'ask' }),
    follow: eachPasses('onUnknown'),
    means: true,
  },
  {
    mistake: 'another word for onRejected',
    message: optionMessage({ onRejected: 'stop' }),
    follow: eachPasses('onRejected'),
    means: true,
  },
  {
    mistake: 'no rate',
    message: optionMessage({ rate: { perSecond: 0 } }),
    choice: 'write a number above 0.',
    heeded: optionMessage({ rate: { perSecond: 0.1 } }),
  },
  {
    mistake: 'a rate in another unit',
    message: optionMessage({ rate: { perSecond: 1, perMinute: 60 } }),
    choice: 'Known: perSecond, burst.',
    heeded: optionMessage({ rate: { perSecond: 1, burst: 60 } }),
  },
  {
    mistake: 'no count',
    message: optionMessage({ concurrency: 0 }),
    choice: 'write a whole number from 1 to 100,000.',
    heeded: optionMessage({ concurrency: 100_000 }),
  },
  {
    mistake: 'no duration',
    message: optionMessage({ maxRetryDelayMs: '5s' }),
    choice: 'write a number of milliseconds from 0.',
    heeded: optionMessage({ maxRetryDelayMs: 5_000 }),
  },
  {
    mistake: 'no boolean',
    message: optionMessage({ latestWins: 'yes' }),
    choice: 'write true or false.',
    heeded: optionMessage({ latestWins: true }),
  },
  {
    mistake: 'a schema in capitals',
    message: thrownBy(() => checkSchemaName('Orders')),
    choice: 'write at most 40 lower-case letters, digits and underscores, with a letter first.',
    heeded: thrownBy(() => checkSchemaName('orders_2')),
  },
  {
    mistake: 'an address that is no URL',
    message: thrownBy(() => postgresStore({ connectionString: 'db/shop' })),
    choice: 'as postgres://user:password@host:port/name, with special characters percent-encoded.',
    heeded: thrownBy(() => postgresStore({ connectionString: 'postgres://me:a%40b@db:5432/shop' })),
  },
  {
    mistake: 'listen as text',
    message: thrownBy(() => postgresStore({ connectionString: 'postgres://db/shop', listen: 'no' } as never)),
    choice: 'listen: write true or false.',
    heeded: thrownBy(() => postgresStore({ connectionString: 'postgres://db/shop', listen: false })),
  },
  {
    mistake: 'an id of one’s own',
    message: thrownBy(() => toNewUpdate('t', '{}', { id: 'A-1' })),
    choice: 'write id as a UUID, as crypto.randomUUID() makes it.',
    heeded: thrownBy(() => toNewUpdate('t', '{}', { id: crypto.randomUUID() })),
  },
  {
    mistake: 'a trace of one’s own',
    message: thrownBy(() => toNewUpdate('t', '{}', { traceparent: 'trace-1' })),
    choice: 'such as 00-<trace id>-<span id>-01.',
    heeded: thrownBy(() =>
      toNewUpdate('t', '{}', { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
    ),
  },
  {
    mistake: 'a token behind a byte order mark',
    message: thrownBy(() => toNewUpdate('\ufefft', '{}', {})),
    choice: 'the token begins with a byte order mark (U+FEFF): write it without.',
    heeded: thrownBy(() => toNewUpdate('t', '{}', {})),
  },
  {
    mistake: 'an update that is too long',
    message: thrownBy(() => toNewUpdate('t', ' '.repeat(2 ** 23), {})),
    choice: 'write at most 4,194,304 (4 MiB).',
    heeded: thrownBy(() => toNewUpdate('t', ' '.repeat(4_194_304), {})),
  },
  {
    mistake: 'options for a folder',
    message: await pgliteStore({ folder: './orders' } as never).then(
      () => 'passed',
      (error: Error) => error.message,
    ),
    choice: 'or pass a PGlite that is open; options are not taken.',
    heeded: await openPgliteMessage(),
  },
  {
    mistake: 'no way to verify',
    message: inboxMessage({ verify: undefined }),
    choice: "or write 'none', with which anybody may send events.",
    heeded: inboxMessage({ verify: 'none', token: () => 'ord_1' }),
  },
  {
    mistake: 'no id of an event',
    message: inboxMessage({ id: undefined }),
    choice: "or write 'none', with which repeated events are handled again.",
    heeded: inboxMessage({ id: 'none' }),
  },
  {
    mistake: 'a path with an empty part',
    message: inboxMessage({ token: 'data..order' }),
    choice: "write the path of a field, such as 'data.order_token', or pass a function.",
    heeded: inboxMessage({ token: 'data.order_token' }),
  },
  {
    mistake: 'a token from a body that anybody may send',
    message: inboxMessage({ verify: 'none' }),
    choice: 'pass a function that takes it from the request.',
    heeded: inboxMessage({ verify: 'none', token: () => 'ord_1' }),
  },
  {
    mistake: 'no password',
    message: describeError(new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string')),
    choice: 'write it into the connection string, or set PGPASSWORD or a passfile',
    heeded: thrownBy(() => postgresStore({ connectionString: 'postgres://me:secret@db/shop' })),
  },
];

test.each(table)(
  'the advice about $mistake keeps what was meant, or names the choice',
  ({ message, follow, means, choice, heeded }) => {
    expect(message).not.toBe('passed');
    if (follow) expect(follow(message)).toEqual(means);
    else expect([message.slice(-(choice?.length ?? 0)), heeded]).toEqual([choice, 'passed']);
  },
);

/** These name every value that can be written, or none, and need a running outbox to be seen. */
const namesAll = [
  /resolve: write 'applied'/,
  /list: write states as some of/,
  /list: write the id of an update/,
  /write another id: updates/,
];

test('every advice in the sources has its row in this table, or names all that can be written', () => {
  const open = adviceIn(import.meta.dirname).filter(
    (advice) =>
      !table.some(({ message }) => advice.test(message)) &&
      !namesAll.some((known) => known.test(advice.source)),
  );
  expect(open).toEqual([]);
});
