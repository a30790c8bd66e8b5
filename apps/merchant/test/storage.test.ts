import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, postgresStore } from '@orders/outbox';
import { afterEach, expect, test } from 'vitest';
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

test('a folder that holds other files is refused, and left as it is', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, 'photo.jpg'), '');
  await expect(openDatabase({ folder })).rejects.toThrow('holds other files');
  expect(await readdir(folder)).toEqual(['photo.jpg']);
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
    await tx.query('set local idle_in_transaction_session_timeout = 0');
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
