import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { serialize } from 'node:v8';
import { lockFolder } from '@orders/outbox/pglite';
import { expect, test } from 'vitest';
import { onPglite, step } from '../../../outbox/test/scene.ts';
import { createFolder } from '../../test/run-orders.ts';
import {
  connectToWorker,
  nameFlags,
  openOperations,
  outboxLine,
  readPlace,
  serveOperations,
} from './operations.ts';

const databaseSchema = 'orders_outbox';

onPglite('a worker responds to another process as the outbox does', async ({ open, service, token }) => {
  await using folder = await createFolder();
  const place = { folder: folder.path, databaseSchema };
  const outbox = await open();
  const stopServing = await serveOperations(place, outbox);
  const remote = await connectToWorker(place);
  service.faults.next({ type: 'status', status: 500 }, { token });
  await outbox.enqueue(token, step(1));
  await outbox.drain();
  const listed = await outbox.list();
  expect(listed).toHaveLength(1);
  expect(await remote?.list()).toEqual(listed);
  await expect(remote?.list({ limit: 0 })).rejects.toThrow(/^list: limit: write a whole number/);
  await stopServing();
  await expect(remote?.status()).rejects.toThrow(/^The worker on .* did not respond: /);
  expect(await connectToWorker(place)).toBeUndefined();
});

onPglite(
  'a worker does nothing without the secret, nor what commands do not need',
  async ({ open, token }) => {
    await using made = await createFolder();
    const folder = made.path;
    const outbox = await open();
    const id = await outbox.enqueue(token, step(1));
    const stopServing = await serveOperations({ folder, databaseSchema }, outbox);
    const file = join(folder, 'worker.json');
    const { port, secret } = JSON.parse(await readFile(file, 'utf8'));
    const post = (authorization: string | undefined, body: unknown): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = authorization === undefined ? {} : { authorization };
        request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) =>
          resolve(response.resume().statusCode),
        )
          .once('error', reject)
          .end(Buffer.isBuffer(body) ? body : serialize(body));
      });
    const discard = { method: 'discard', args: [id] };
    expect(await post(undefined, discard)).toBe(401);
    expect(await post(`Bearer ${'x'.repeat(43)}`, discard)).toBe(401);
    expect(await post(`Bearer ${secret}`.slice(0, -1), discard)).toBe(401);
    for (const body of [Buffer.from('{}'), undefined, {}, { method: 'close', args: [] }])
      expect(await post(`Bearer ${secret}`, body)).toBe(400);
    expect(await outbox.get(id)).toMatchObject({ state: 'queued' });
    expect(await post(`Bearer ${secret}`, discard)).toBe(200);
    expect(await outbox.get(id)).toMatchObject({ state: 'discarded' });
    // Windows has no such modes.
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    await stopServing();
    await expect(stat(file)).rejects.toThrow('ENOENT');
  },
);

onPglite('a worker does not serve another schema', async ({ open }) => {
  await using made = await createFolder();
  const folder = made.path;
  const stopServing = await serveOperations({ folder, databaseSchema }, await open());
  await expect(connectToWorker({ folder, databaseSchema: 'other' })).rejects.toThrow(
    /in use by a worker on its schema orders_outbox\. Pass --database-schema orders_outbox\.$/,
  );
  await stopServing();
});

test('reports folder_locked where an application has the folder, also beside a stale address', async () => {
  await using made = await createFolder();
  const folder = made.path;
  const lock = await lockFolder(folder);
  await mkdir(lock.dataFolder);
  const stale = { port: 1, secret: 'x'.repeat(43), databaseSchema };
  await writeFile(join(folder, 'worker.json'), JSON.stringify(stale));
  await expect(openOperations({ folder, databaseSchema })).rejects.toMatchObject({
    name: 'OutboxError',
    code: 'folder_locked',
    message: expect.stringMatching(/ is in use by an application: decide there/),
  });
  lock.release();
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
  const find = (given: object, env = {}) => readPlace({ databaseSchema, ...given }, env);
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
