import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { type Advice, adviceIn, between } from '../../../.ci/advice.ts';
import { runHere, runIn } from './run-here.ts';
import { createFolder } from './run-orders.ts';

await using folder = await createFolder({
  'a.csv': 'token,order_id\nord_1,A-1\n',
  'amount.csv': 'token,cart.items[0].unit_price\nord_1,129.00\n',
  'both.json': '{"token":"ord_1","update":{"cart":{}}}',
  'config.json': '[1]',
  'config.mjs': 'export default 1;',
  'schema.mjs': 'export default 1;',
  'no-schema.mjs': 'export default { schema: 1 };',
  // Of several blocks, and a schema that changes it while it is checked.
  'long.csv': `token,user_identifier,cart.items[0].sku\n${`ord_1,${' '.repeat(100_000)},mug\n`.repeat(2)}`,
  'changes.mjs': `import { appendFileSync } from 'node:fs';
import { OrderUpdate } from ${JSON.stringify(import.meta.resolve('@orders/schema'))};
const file = new URL('long.csv', import.meta.url);
export default OrderUpdate.check(() => appendFileSync(file, 'ord_1,'));`,
});
const env = { ORDERS_BASE_URL: 'http://127.0.0.1:1', ORDERS_API_KEY: 'sk_test_4f1b9c27' };
/** What the command prints about a mistake, in one line. */
const messageOf = async (
  words: readonly string[],
  own: Readonly<Record<string, string>> = env,
): Promise<string> => {
  const { stdout, stderr } = await runHere(words, { env: own, folder });
  return (stderr || stdout).replace(/\s+/g, ' ').trim();
};
const send = (...options: string[]): Promise<string> => messageOf(['send', './a.csv', ...options]);

/** What the command prints in a folder with these settings. */
const messageWith = async (settings: Readonly<Record<string, unknown>>): Promise<string> => {
  await using own = await createFolder({ 'orders.json': JSON.stringify(settings), 'a.csv': 'token\n' });
  const { stdout, stderr } = await runIn(own, ['send', 'a.csv'], env);
  return (stderr || stdout).replace(/\s+/g, ' ').trim();
};

const header = 'token,order_id,cart.items[0].quantity\n';
const sentRows = `${header}ord_1,A-1,1\n`;
/** Changes a file of which a part was sent, and sends it again; then does what the command advises. */
async function changeSentFile(before: string, after: string, ofTheirOwn: string) {
  await using service = await startMockOrderService({
    keys: [env.ORDERS_API_KEY],
    orders: ['ord_1', 'ord_2'],
  });
  await using own = await createFolder({ 'a.csv': before, 'new.csv': ofTheirOwn });
  const sendFile = (file: string) =>
    runHere(['send', file, '--skip-invalid', '--base-url', service.url], { env, folder: own });
  await sendFile('./a.csv');
  writeFileSync(own.file('a.csv'), after);
  const message = (await sendFile('./a.csv')).stderr.replace(/\s+/g, ' ').trim();
  writeFileSync(own.file('a.csv'), before);
  const restored = await sendFile('./a.csv');
  const apart = await sendFile('./new.csv');
  const refused = [restored, apart].map(({ stderr }) => stderr).join('');
  return { message, refused, sent: service.ledger.map(({ body }) => body.order_id) };
}
const grown = await changeSentFile(sentRows, `${sentRows}ord_2,A-2,1\n`, `${header}ord_2,A-2,1\n`);
const fixed = await changeSentFile(
  `${sentRows}ord_2,A-2,two\n`,
  `${sentRows}ord_2,A-2,2\n`,
  `${header}ord_2,A-2,2\n`,
);

const table: readonly Advice[] = [
  {
    mistake: 'a row that is new in a file that was sent',
    message: grown.message,
    choice: 'Restore the file, and write new and fixed rows to a file of their own.',
  },
  {
    mistake: 'a file that changes while it is read',
    message: await messageOf(['send', './long.csv', '--schema', './changes.mjs']),
    choice: 'Restore it, and write new and fixed rows to a file of their own.',
  },
  {
    mistake: 'a list as a setting',
    message: await messageWith({ decimals: [2] }),
    choice: 'Write a text or a number.',
  },
  {
    mistake: 'a text as a switch',
    message: await messageWith({ stopOnRejected: 'true' }),
    choice: 'Write true or false.',
  },
  {
    mistake: 'an update with its token around it',
    message: await messageOf(['update', 'ord_1', './both.json', '--dry-run']),
    choice: 'Write the update alone: { "cart": ... }.',
  },
  {
    mistake: 'a list as an update',
    message: await messageOf(['update', 'ord_1', './config.json', '--dry-run']),
    choice: 'such as { "cart": { "items": [{ ... }] } }.',
  },
  {
    mistake: 'an amount with decimals',
    message: await messageOf(['validate', './amount.csv']),
    choice: 'Write the integer that is sent, or declare with --decimals how many decimals amounts have',
  },
  {
    mistake: 'a URL that cannot be read',
    message: await messageOf(['outbox', 'status'], { DATABASE_URL: 'postgres://me:sk_test/@[' }),
    follow: between('DATABASE_URL: write it as ', ', with'),
    means: 'postgres://user:password@host:port/name',
  },
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
    mistake: 'options of the client with no schema in its place',
    message: await messageOf(['send', './a.csv', '--config', './no-schema.mjs']),
    choice: 'schema: write defineOrderUpdate({ ... }).',
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
    mistake: 'no program to judge',
    message: await messageOf(['judge']),
    choice: 'Write its command after "--".',
  },
  {
    mistake: 'an option of the program to judge as one of the judge',
    message: await messageOf(['judge', 'node', 'client.js', '--fast']),
    choice: 'Write the program\'s command after "--".',
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

test('a command is accepted as the advice writes it', async () => {
  const schema = `defineOrderUpdate({ metadata: ['note'] })`;
  const module = `import { defineOrderUpdate } from ${JSON.stringify(import.meta.resolve('@orders/schema'))};`;
  await using own = await createFolder({
    'a.csv': 'token,order_id\nord_1,A-1\n',
    key: env.ORDERS_API_KEY,
    'config.json': '{}',
    'config.mjs': 'export default { maxPauseMs: 1_000 };',
    'schema.mjs': `${module} export default ${schema};`,
    'with-schema.mjs': `${module} export default { schema: ${schema} };`,
  });
  const there = `--base-url ${env.ORDERS_BASE_URL}`;
  const cases: readonly (readonly [words: string, own?: Readonly<Record<string, string>>])[] = [
    [`send ./a.csv ${there} --concurrency 1000`],
    ['send ./a.csv --resolve 1'],
    ['conformance http://127.0.0.1:1 --names {"totalAmount":"total"}'],
    [`check ${there} --api-key-file ${own.file('key')}`, {}],
    [`check ${there} --api-key-command cat\u00a0${own.file('key')}`, {}],
    [`check ${there} --config ./config.json`],
    [`check ${there} --config ./config.mjs`],
    ['validate ./a.csv --schema ./schema.mjs'],
    [`send ./a.csv ${there} --config ./with-schema.mjs`],
    ['outbox retry --folder ./none x'],
    ['outbox retry --folder ./none --all --yes'],
    ['judge -- ./none'],
  ];
  for (const [words, ownEnv = env] of cases) {
    const split = words.split(' ').map((word) => word.replace('\u00a0', ' '));
    const { stdout, stderr } = await runHere(split, { env: ownEnv, folder: own });
    expect([words, `${stdout}${stderr}`]).toEqual([words, expect.not.stringMatching(/\bwrite /i)]);
  }
});

test('rows that are new or fixed are sent once from a file of their own, beside the restored file', () => {
  for (const { refused, sent } of [grown, fixed]) expect([refused, sent]).toEqual(['', ['A-1', 'A-2']]);
});

test('settings of a folder are accepted as the advice writes them', async () => {
  const withoutSettings = await messageWith({});
  for (const settings of [
    { decimals: '2' },
    { decimals: 2 },
    { stopOnRejected: true },
    { stopOnRejected: false },
  ])
    expect([settings, await messageWith(settings)]).toEqual([settings, withoutSettings]);
});

test('a file is accepted as the advice writes it', async () => {
  await using folder = await createFolder({
    'alone.json': '{"cart":{}}',
    'items.json': '{ "cart": { "items": [{ "sku": "mug" }] } }',
    'amount.csv': 'token,cart.items[0].unit_price\nord_1,129.00\n',
    'integer.csv': 'token,cart.items[0].unit_price\nord_1,12900\n',
  });
  const dryRun = ['update', '--dry-run', '--base-url', env.ORDERS_BASE_URL, 'ord_1'];
  for (const words of [
    [...dryRun, './alone.json'],
    [...dryRun, './items.json'],
    ['validate', './integer.csv'],
    ['validate', './amount.csv', '--decimals', '2'],
  ])
    expect(await runHere(words, { env, folder })).toMatchObject({ code: 0, stderr: '' });
});

test('the place of an outbox is accepted as the advice writes it', async () => {
  const url = 'postgres://me:sk%2Ftest%40%5B@127.0.0.1:1/none';
  expect(await messageOf(['outbox', 'status'], { DATABASE_URL: url })).toContain(
    'PostgreSQL at 127.0.0.1:1, database none cannot be used',
  );
  expect(await messageOf(['outbox', 'status', '--folder', './none'], { DATABASE_URL: '' })).toContain(
    'There is no outbox in',
  );
});

test('every advice in the sources has its row in this table', () => {
  const open = adviceIn(join(import.meta.dirname, '../src')).filter(
    (advice) => !table.some(({ message }) => advice.test(message)),
  );
  expect(open).toEqual([]);
});
