import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { lockFolder } from '@orders/outbox/pglite';
import { expect, test } from 'vitest';
import { createFolder } from '../../test/run-orders.ts';
import { connectToWorker, nameFlags, openOperations, outboxLine, readLocation } from './operations.ts';

const databaseSchema = 'orders_outbox';

test('reports folder_locked where an application has the folder, also beside a stale address', async () => {
  await using made = await createFolder();
  const folder = made.path;
  const lock = await lockFolder(folder);
  await mkdir(join(folder, 'data'));
  const stale = { port: 1, secret: 'x'.repeat(43), databaseSchema };
  await writeFile(join(folder, 'worker.json'), JSON.stringify(stale));
  await expect(openOperations({ folder, databaseSchema }, () => {})).rejects.toMatchObject({
    name: 'OutboxError',
    code: 'folder_locked',
    message: expect.stringMatching(/ is in use by an application: decide there/),
  });
  await lock.release();
});

test.each(['', 'null', '{}', '{"port":"x"}', '{"port":70000,"secret":"\\n"}', '{"port":1,"secret":"s"}'])(
  'takes an address file with %j for no worker',
  async (content) => {
    await using made = await createFolder();
    const folder = made.path;
    await writeFile(join(folder, 'worker.json'), content);
    expect(await connectToWorker({ folder, databaseSchema })).toBeUndefined();
  },
);

test('the outbox is in a folder, a flag or DATABASE_URL, and never a guess', () => {
  const url = 'postgres://me:hunter2@db.example/orders';
  const find = (given: object, env = {}) => readLocation({ databaseSchema, ...given }, env);
  expect(find({}, { DATABASE_URL: url })).toEqual({ connectionString: url, databaseSchema });
  expect(find({ databaseUrl: url }, { DATABASE_URL: 'other' })).toMatchObject({ connectionString: url });
  expect(find({ folder: 'here' }, { DATABASE_URL: url })).toEqual({ folder: 'here', databaseSchema });
  expect(() => find({})).toThrow(/^Where is the outbox\? .* --database-url .* --folder\.$/);
  expect(() => find({}, { DATABASE_URL: '' })).toThrow(/^DATABASE_URL is empty/);
  expect(() => find({ folder: '' })).toThrow('--folder is empty.');
});

test('a hint names the outbox, and never the password of its URL', () => {
  expect(outboxLine({ folder: 'my box', databaseSchema }, 'list')).toBe(
    process.platform === 'win32'
      ? 'orders outbox list --folder "my box"'
      : "orders outbox list --folder 'my box'",
  );
  expect(outboxLine({ databaseSchema: 'other' }, 'show', 'id')).toBe(
    'orders outbox show id --database-schema other',
  );
  const databaseUrl = 'postgres://me:hunter2@db.example/orders';
  expect(outboxLine({ databaseUrl, databaseSchema }, 'list')).toBe('DATABASE_URL=... orders outbox list');
});

test('errors of the outbox name flags', () => {
  const name = (message: string) => nameFlags(message, { folder: 'here', databaseSchema });
  expect(name('What was settled is deleted after keepSettledMs or keepRejectedMs.')).toBe(
    'What was settled is deleted after --keep-settled or --keep-rejected.',
  );
  expect(name('Choose another databaseSchema.')).toBe('Choose another --database-schema.');
  expect(name('run the command "migrate", call migrate(), or pass migrate: true.')).toBe(
    'run "orders outbox migrate --folder here".',
  );
  expect(name('Raise max_connections, or lower maxConnections.')).toBe('Raise max_connections.');
});
