import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { rowsOf } from '../src/store.ts';
import { onPostgres, type Scene, step, until } from './scene.ts';

/** Makes the service echo its key in each part of a response, for each state that an update can end in. */
async function echoKey({ open, service }: Scene): Promise<void> {
  const outbox = await open();
  const authorization = `Basic ${btoa(`${service.key}:`)}`;
  const body = JSON.stringify({
    error: `${service.key} ${authorization} ${encodeURIComponent(service.key)}`,
  });
  const statuses = [200, 400, 401, 422, 500, 503];
  for (const [place, { token }] of service.orders.entries()) {
    const headers = { 'x-echo': service.key, 'retry-after': '0', 'www-authenticate': authorization };
    const status = statuses[place % statuses.length] ?? 400;
    service.faults.next({ type: 'status', status, headers, body }, { token });
    await outbox.enqueue(token, step(1));
  }
  await outbox.start();
  await until('all are settled', async () => {
    const { queued, sending } = await outbox.counts();
    return queued + sending === 0;
  });
}

function findKey(key: string, bytes: Buffer): readonly string[] {
  return [key, btoa(`${key}:`), btoa(key)].filter((secret) => bytes.includes(secret));
}

/** A server that runs deletes some of its files; what it deletes is not kept. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

onPostgres('no file of the database holds a key, nor its log, nor a table', async (scene) => {
  await echoKey(scene);
  const { sql, schema, service } = scene;
  const tables = await rowsOf<{ name: string }>(
    sql,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema in ($1, $2)`,
    [schema, `${schema}_queue`],
  );
  // A file may hold a long value compressed.
  const lines: string[] = [];
  for (const { name } of tables) {
    const rows = await rowsOf<{ line: string }>(sql, `select row_to_json(t)::text as line from ${name} as t`);
    lines.push(...rows.map(({ line }) => line));
  }
  expect(lines.join()).toContain('http_error');
  expect(findKey(service.key, Buffer.from(lines.join()))).toEqual([]);

  await scene.sql.query('checkpoint');
  const [place] = await rowsOf<{ folder: string }>(
    scene.sql,
    `select current_setting('data_directory') as folder`,
  );
  const folder = place?.folder ?? '';
  const found: string[] = [];
  let errors = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(unlessGone);
    if (!bytes) continue;
    if (bytes.includes('http_error')) errors++;
    for (const _ of findKey(scene.service.key, bytes)) found.push(entry.name);
  }
  expect(found).toEqual([]);
  expect(errors).toBeGreaterThan(1);
});
