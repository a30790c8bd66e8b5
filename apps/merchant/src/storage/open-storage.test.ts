import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { buildOrderUpdate } from '@orders/testing';
import { sql } from 'kysely';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { testPassword } from '../../../../.ci/start-postgres.ts';
import { copyTestFolder } from '../../test/copy-test-folder.ts';
import { openTestStorage } from '../../test/open-test-storage.ts';
import { prepareStorageEngines, storageEngines } from '../../test/prepare-storage-engines.ts';
import { openStorage, type StorageOptions } from './open-storage.ts';
import { prepareFolder } from './prepare-folder.ts';
import { StorageProblem } from './storage-problem.ts';

const engines = prepareStorageEngines();

async function findProblem(options: StorageOptions): Promise<string> {
  const error = await openStorage(options).then(
    async (storage) => storage.close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StorageProblem);
  expect(inspect(error)).not.toContain(testPassword);
  const { message } = error as StorageProblem;
  expect(message).toMatch(/^[^\n]+[.]$/);
  return message;
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test.for(storageEngines)(
  '%s: keeps orders, drafts, updates and events over a restart',
  async (engine, context) => {
    const place = await engines.place(engine, context);
    const id = randomUUID();
    const read = async ({ orders, updates, events }: Awaited<ReturnType<typeof openStorage>>) => [
      await orders.list(),
      await orders.find('order-1'),
      await updates.find(id),
      await events.after(0, 100),
    ];

    const first = await openStorage(place);
    await first.orders.add([{ token: 'order-1', body: buildOrderUpdate() }]);
    await first.orders.saveDraft('order-1', { typed: 'half' });
    await first.orders.startQrSession('order-1', 'session-1');
    await first.updates.accept({ id, token: 'order-1', body: buildOrderUpdate({ order_id: 'm-2' }) });
    await first.updates.markSending(id, 1);
    const kept = await read(first);
    await first.close();

    await using second = await openStorage(place);
    expect(await read(second)).toEqual(kept);
    expect(await second.events.lastSeq()).toBe(3);
  },
);

test('makes a database where a kill left one half made, and says where it is', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'lock.sqlite'), '');
  await writeFile(join(folder, 'database.unfinished'), '');
  await using storage = await openStorage({ folder });
  expect(storage.place).toBe(folder);
  expect((await readdir(folder)).sort()).toEqual(['database', 'lock.sqlite']);
  expect(await storage.events.lastSeq()).toBe(0);
});

test('makes a folder that is not there yet', async () => {
  const folder = join(await makeFolder(), 'deep', 'desk');
  await prepareFolder(folder);
  expect(await readdir(folder)).toEqual([]);
});

test('keeps in memory where no place is given', async () => {
  await using storage = await openTestStorage();
  expect(storage.place).toBe('memory');
  expect(await storage.events.lastSeq()).toBe(0);
});

test('refuses a folder that cannot be made', async () => {
  const file = join(await makeFolder(), 'file');
  await writeFile(file, '');
  expect(await findProblem({ folder: file })).toMatch(/cannot be made or read \(EEXIST\): choose .* --data/);
  expect(await findProblem({ folder: join(file, 'desk') })).toMatch(/\(ENOTDIR\): choose .* --data/);
});

test('refuses a folder that holds other files, and leaves it as it is', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'letter.txt'), 'Dear');
  expect(await findProblem({ folder })).toMatch(/holds other files .* choose an empty folder/);
  expect(await readdir(folder)).toEqual(['letter.txt']);
});

test('refuses a database that is damaged or of another version, and frees the folder', async () => {
  await using test = await copyTestFolder();
  await writeFile(join(test.folder, 'database', 'PG_VERSION'), '12\n');
  expect(await findProblem(test)).toMatch(/cannot be opened: it is damaged/);
  expect(await findProblem(test)).toMatch(/cannot be opened: it is damaged/);
  await rm(join(test.folder, 'database', 'PG_VERSION'));
  expect(await findProblem(test)).toMatch(/cannot be opened: it is damaged/);
});

test('refuses a lock file that is something else', async () => {
  await using test = await copyTestFolder();
  await writeFile(join(test.folder, 'lock.sqlite'), 'not a lock\n'.repeat(100));
  expect(await findProblem(test)).toMatch(/lock.sqlite in it cannot be written, or is something else/);
});

test.for(storageEngines)(
  '%s: refuses tables of a newer desk, and frees the place',
  async (engine, context) => {
    const place = await engines.place(engine, context);
    const first = await openStorage(place);
    await sql`insert into kysely_migration values ('9999-later', '2100-01-01T00:00:00Z')`.execute(
      first.database,
    );
    await first.close();
    expect(await findProblem(place)).toMatch(/made by a newer version of the desk: start that one/);
    expect(await findProblem(place)).toMatch(/made by a newer version of the desk: start that one/);
  },
);

test.for([
  ['nothing', ''],
  ['words', 'not an address'],
  ['another database', `mysql://desk:${testPassword}@127.0.0.1/desk`],
  ['a percent sign alone', `postgresql://desk:${testPassword}%@127.0.0.1/desk`],
  ['a port out of range', `postgresql://desk:${testPassword}@127.0.0.1:99999/desk`],
] as const)('refuses a database address of %s without showing it', async ([, databaseUrl]) => {
  expect(await findProblem({ databaseUrl })).toMatch(
    /^DATABASE_URL is not an address of PostgreSQL: write postgresql:/,
  );
});

test('says that no server answers', async () => {
  const databaseUrl = `postgresql://desk:${testPassword}@127.0.0.1:1/desk`;
  expect(await findProblem({ databaseUrl })).toBe(
    'No PostgreSQL answers at 127.0.0.1:1/desk (ECONNREFUSED): start it, or correct DATABASE_URL.',
  );
});

test('says that user, password or database are wrong', async (context) => {
  const { databaseUrl = '' } = await engines.place('PostgreSQL', context);
  const url = (change: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>) =>
    Object.assign(new URL(databaseUrl), change).href;
  const refused = /refuses the user or the password: correct DATABASE_URL/;
  expect(await findProblem({ databaseUrl: url({ username: 'nobody' }) })).toMatch(refused);
  expect(await findProblem({ databaseUrl: url({ password: 'guess' }) })).toMatch(refused);
  expect(await findProblem({ databaseUrl: url({ pathname: '/elsewhere' }) })).toMatch(
    /There is no database at 127.0.0.1:\d+\/elsewhere: create it/,
  );
});

test('PostgreSQL: survives the loss of every connection, and takes hold of the database again', async (context) => {
  const place = await engines.place('PostgreSQL', context);
  await using storage = await openStorage(place);
  await storage.orders.add([{ token: 'order-1', body: buildOrderUpdate() }]);
  await cutConnections(storage.place, context);

  await storage.orders.saveDraft('order-1', { typed: 'half' });
  await expect(openStorage(place)).rejects.toThrow(/in use by another desk/);
});

test('PostgreSQL: changes nothing once another desk has taken the database over', async (context) => {
  const place = await engines.place('PostgreSQL', context);
  await using first = await openStorage(place);
  await first.orders.add([{ token: 'order-1', body: buildOrderUpdate() }]);
  await cutConnections(first.place, context);

  await using second = await openStorage(place);
  await expect(first.orders.saveDraft('order-1', {})).rejects.toThrow(/in use by another desk/);
  expect((await second.orders.find('order-1'))?.draft).toBeNull();
});

/** Ends the server's side of every connection, and waits until it is gone. */
async function cutConnections(place: string, context: TestContext): Promise<void> {
  const server = await engines.postgres(context);
  const name = place.slice(place.indexOf('/') + 1);
  await server.run(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
}
