import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Advice, adviceIn, between } from '../../../.ci/advice.ts';
import { runHere } from './run-here.ts';
import { createFolder } from './run-orders.ts';

await using folder = await createFolder({
  'a.csv': 'token,order_id\nord_1,A-1\n',
  'both.json': '{"token":"ord_1","update":{"cart":{}}}',
  'config.json': '[1]',
  'config.mjs': 'export default 1;',
  'schema.mjs': 'export default 1;',
});
const env = { ORDERS_BASE_URL: 'http://127.0.0.1:1', ORDERS_API_KEY: 'sk_test_4f1b9c27' };
/** What the command prints about a mistake, in one line. */
const messageOf = async (
  words: readonly string[],
  own: Readonly<Record<string, string>> = env,
): Promise<string> => (await runHere(words, { env: own, folder })).stderr.replace(/\s+/g, ' ').trim();
const send = (...options: string[]): Promise<string> => messageOf(['send', './a.csv', ...options]);

const table: readonly Advice[] = [
  {
    mistake: 'a shell that is not known',
    message: await messageOf(['completion', 'tcsh']),
    follow: (message) => between('orders completion ', '.')(message),
    means: 'bash',
  },
  {
    mistake: 'a command that is misspelled',
    message: await messageOf(['sned']),
    follow: between('(Did you mean ', '?'),
    means: 'send',
  },
  {
    mistake: 'no count',
    message: await send('--concurrency', '0'),
    choice: 'Write a whole number from 1 to 1000.',
  },
  {
    mistake: 'no rate',
    message: await send('--rate', '-1'),
    choice: 'Write a number above 0, such as 50 or 0.5.',
  },
  { mistake: 'no unit', message: await send('--timeout', '5'), choice: 'such as 500ms, 30s, 5m, 2h or 7d.' },
  { mistake: 'no rows', message: await send('--resolve', 'x'), choice: 'Write the numbers of rows' },
  {
    mistake: 'no JSON',
    message: await messageOf(['conformance', 'http://127.0.0.1:1', '--names', 'total']),
    choice: 'Write an object in JSON.',
  },
  {
    mistake: 'no service',
    message: await messageOf(['conformance'], {}),
    choice: 'Write its URL, or set ORDERS_BASE_URL.',
  },
  {
    mistake: 'a key in place of its file',
    message: await messageOf(['check', '--api-key-file', 'sk_test_1'], {
      ORDERS_BASE_URL: env.ORDERS_BASE_URL,
    }),
    choice: 'Write its name, never the key itself',
  },
  {
    mistake: 'a key in place of its command',
    message: await messageOf(['check', '--api-key-command', 'sk_test_1'], {
      ORDERS_BASE_URL: env.ORDERS_BASE_URL,
    }),
    choice: 'Write a command that prints the key, never the key itself',
  },
  {
    mistake: 'a list of options',
    message: await messageOf(['check', '--config', './config.json']),
    choice: 'Write an object.',
  },
  {
    mistake: 'a module without options',
    message: await messageOf(['check', '--config', './config.mjs']),
    choice: 'Write export default {',
  },
  {
    mistake: 'a module without a schema',
    message: await messageOf(['validate', './a.csv', '--schema', './schema.mjs']),
    choice: 'write export default defineOrderUpdate({ ... }).',
  },
  {
    mistake: 'ids beside all',
    message: await messageOf(['outbox', 'retry', '--folder', './none', 'x', '--all']),
    choice: 'Write either ids or --all.',
  },
  {
    mistake: 'no ids',
    message: await messageOf(['outbox', 'retry', '--folder', './none']),
    choice: 'Write the ids of updates, or --all.',
  },
  {
    mistake: 'no database',
    message: await messageOf(['outbox', 'status'], { DATABASE_URL: '' }),
    choice: 'write a URL, or pass --folder.',
  },
];

test.each(table)(
  'the advice about $mistake keeps what was meant, or names the choice',
  ({ message, follow, means, choice }) => {
    if (follow) expect(follow(message)).toEqual(means);
    else expect(message).toContain(choice);
    // What was given in place of a name may be a key.
    expect(message).not.toContain('sk_test');
  },
);

test('a duration, a rate and a shell are accepted as the advice writes them', async () => {
  const said = async (word: string, option: string): Promise<boolean> =>
    /Write a (duration|number)/.test(await send(option, word, '--review'));
  for (const text of ['500ms', '30s', '5m', '2h', '7d'])
    expect([text, await said(text, '--timeout')]).toEqual([text, false]);
  for (const text of ['50', '0.5']) expect([text, await said(text, '--rate')]).toEqual([text, false]);
  for (const shell of ['bash', 'zsh', 'fish']) expect((await runHere(['completion', shell])).code).toBe(0);
});

/** Of what is read from files, the tests of those readers follow the advice; settings of a folder are tested beside them. */
const elsewhere = ['**/read-file.ts', '**/send.ts', '**/program.ts', '**/operations.ts', '**/commands.ts'];

test('every advice in the sources has its row in this table', () => {
  const open = adviceIn(join(import.meta.dirname, '../src'), elsewhere).filter(
    (advice) => !table.some(({ message }) => advice.test(message)),
  );
  expect(open).toEqual([]);
});
