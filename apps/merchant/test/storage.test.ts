import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, postgresStore } from '@orders/outbox';
import { afterEach, expect, inject, test } from 'vitest';
import { openDatabase, rowsOf } from '../server/database.ts';
import { createDatabase, needPostgres } from './open-test-postgres.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-'));
  folders.push(folder);
  return folder;
}

test('a folder of the first version is refused by name, and left as it is', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, 'database'));
  await writeFile(join(folder, 'lock.sqlite'), '');
  await expect(openDatabase({ folder })).rejects.toThrow(
    `${folder} holds data of an earlier version of this app, which this one cannot read: choose another folder with --data.`,
  );
  expect((await readdir(folder)).sort()).toEqual(['database', 'lock.sqlite']);
  expect((await stat(join(folder, 'lock.sqlite'))).size).toBe(0);
});

test('a folder that holds other files is refused, and left as it is', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'photo.jpg'), '');
  await expect(openDatabase({ folder })).rejects.toThrow('holds other files');
  expect(await readdir(folder)).toEqual(['photo.jpg']);
});

test.each([
  ['first', 'create table bulk_rows (a int); create table kysely_migration (a int)', []],
  ['second', 'create schema merchant; create table merchant.sent (a int)', [{ schema_name: 'merchant' }]],
])('a database of the %s version is refused by name, and left as it is', async (_, tables, left) => {
  if (!inject('postgres')) return;
  const databaseUrl = await createDatabase();
  const store = postgresStore({ connectionString: databaseUrl });
  await store.executeSql(tables);
  await expect(openDatabase({ databaseUrl })).rejects.toThrow(
    /an earlier version of this app.*use another database/,
  );
  expect(
    await rowsOf(
      store,
      `select schema_name from information_schema.schemata where schema_name ~ 'merchant|outbox'`,
    ),
  ).toEqual(left);
  await store.close();
});

test('a database may be opened for the first time by several processes at once', async (context) => {
  needPostgres(context);
  const databaseUrl = await createDatabase();
  const outbox = postgresStore({ connectionString: databaseUrl });
  await migrate(outbox);
  const count = 3;
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  // Each comes as far as it can before any makes a schema, so that those who do not wait for each other meet there.
  const stores = await outbox.transaction(async (tx) => {
    await tx.query('lock table pg_namespace in share mode');
    const opening = Array.from({ length: count }, () => openDatabase({ databaseUrl }));
    await expect.poll(() => rowsOf(outbox, waiting)).toHaveLength(count);
    return opening;
  });
  const opened = await Promise.all(stores);
  const read = `select value from merchant.settings where name = 'webhook_key'`;
  const keys = await Promise.all(opened.map((store) => rowsOf<{ value: string }>(store, read)));
  expect(keys[0]?.[0]?.value).toMatch(/^[\w-]{43}$/);
  for (const key of keys) expect(key).toEqual(keys[0]);
  for (const store of [outbox, ...opened]) await store.close();
});

test('a database that cannot be reached is an error that says where it is, without the password', async () => {
  const opening = openDatabase({ databaseUrl: 'postgres://shop:swordfish@127.0.0.1:1/shop' });
  await expect(opening).rejects.toThrow(/127\.0\.0\.1:1/);
  await expect(opening).rejects.not.toThrow(/swordfish/);
});
