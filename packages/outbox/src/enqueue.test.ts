import { randomUUID } from 'node:crypto';
import { isOrdersError } from '@orders/client';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { sql as drizzleSql } from 'drizzle-orm/sql';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { expect } from 'vitest';
import { onBoth, onPglite, onPostgres, type Scene, step, stepsApplied } from '../test/scene.ts';
import { fromDrizzle } from './store/from-drizzle.ts';
import { fromKysely } from './store/from-kysely.ts';
import { rowsOf, type Sql } from './store/sql.ts';

async function countRows({ sql, schema }: Scene, table: string): Promise<number> {
  const [row] = await rowsOf<{ count: string }>(sql, `select count(*) as count from ${schema}.${table}`);
  return Number(row?.count);
}

/** Runs `work` in a transaction of the caller's, and undoes it when it rejects. */
async function inTransaction(
  { engine, pglite, postgres }: Scene,
  work: (tx: Sql) => Promise<void>,
): Promise<void> {
  if (engine === 'PGlite') return pglite.transaction(work);
  const client = new pg.Client(postgres.connectionString);
  await client.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

onBoth('refuses a bad update with the issues of the client, and stores nothing', async (scene) => {
  const { open, client, service } = scene;
  const outbox = await open();
  const bad = { cart: { items: [{ quantity: 1.5 }] }, orderId: 'x' };
  const byClient = await client.safeUpdateOrder(service.token, bad);
  const byOutbox = await outbox.enqueue(service.token, bad).catch((error: unknown) => error);
  if (byClient.ok || !isOrdersError(byOutbox)) throw new Error('neither may take it');
  expect(byOutbox).toMatchObject({ code: 'validation_error', outcome: 'not_sent' });
  expect('issues' in byOutbox && byOutbox.issues).toEqual(
    'issues' in byClient.error && byClient.error.issues,
  );
  await expect(outbox.enqueue('..', step(1))).rejects.toMatchObject({ code: 'validation_error' });
  for (const table of ['updates', 'lanes', 'events']) expect(await countRows(scene, table)).toBe(0);
});

onBoth('accepts an update with a transaction that commits, and sends it', async (scene) => {
  const { open, service, sql, schema, reaches } = scene;
  const outbox = await open();
  await outbox.work();
  await sql.query(`create table ${schema}.shop (note text)`);
  let id = '';
  await inTransaction(scene, async (tx) => {
    await tx.query(`insert into ${schema}.shop values ('saved')`);
    id = await outbox.enqueue(service.token, step(1), { tx });
  });
  await reaches(outbox, id, 'applied');
  expect(stepsApplied(service, service.token)).toEqual([1]);
  expect(await countRows(scene, 'shop')).toBe(1);
});

onBoth('leaves nothing of an update whose transaction is undone', async (scene) => {
  const { open, service } = scene;
  const outbox = await open();
  const undone = inTransaction(scene, async (tx) => {
    await outbox.enqueue(service.token, step(1), { tx });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  for (const table of ['updates', 'lanes', 'events']) expect(await countRows(scene, table)).toBe(0);
  await outbox.work();
  await outbox.drain();
  expect(service.journal).toEqual([]);
});

onBoth('refuses an id that it has, and one that is no UUID', async ({ open, service }) => {
  const outbox = await open();
  const id = randomUUID();
  expect(await outbox.enqueue(service.token, step(1), { id })).toBe(id);
  await expect(outbox.enqueue(service.token, step(2), { id })).rejects.toMatchObject({
    code: 'duplicate_id',
  });
  await expect(outbox.enqueue(service.token, step(2), { id: 'mine' })).rejects.toThrow(TypeError);
  expect(await outbox.counts()).toMatchObject({ queued: 1 });
  await outbox.work();
  await outbox.drain();
  expect(stepsApplied(service, service.token)).toEqual([1]);
});

onBoth('keeps the exact body', async ({ open, service, client }) => {
  const outbox = await open();
  const update = {
    cart: { items: [{ name: 'Crème “brûlée” \u0000 \ud83c\udf6e', quantity: 2 }] },
    extra: { 10: 1, 2: [null] },
  };
  await outbox.enqueue(service.token, update);
  await outbox.work();
  await outbox.drain();
  expect(String(service.journal[0]?.body)).toBe(client.prepareUpdateOrder(service.token, update).body);
});

onBoth('knows nothing of ids that are none', async ({ open }) => {
  const outbox = await open();
  expect(await outbox.status('nonsense')).toBeUndefined();
  expect(await outbox.status(randomUUID())).toBeUndefined();
  await expect(outbox.retry('nonsense')).rejects.toMatchObject({ code: 'unknown_update' });
  await expect(outbox.discard(randomUUID())).rejects.toMatchObject({ code: 'unknown_update' });
});

onPostgres('joins a transaction of Kysely', async ({ open, service, postgres, reaches }) => {
  const outbox = await open();
  await outbox.work();
  const pool = new pg.Pool(postgres);
  const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
  try {
    const undone = kysely.transaction().execute(async (trx) => {
      await outbox.enqueue(service.token, step(1), { tx: fromKysely(trx) });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const id = await kysely
      .transaction()
      .execute((trx) => outbox.enqueue(service.token, step(2), { tx: fromKysely(trx) }));
    await reaches(outbox, id, 'applied');
    await expect(
      kysely
        .transaction()
        .execute((trx) => outbox.enqueue(service.token, step(3), { id, tx: fromKysely(trx) })),
    ).rejects.toMatchObject({ code: 'duplicate_id' });
    expect(stepsApplied(service, service.token)).toEqual([2]);
  } finally {
    await kysely.destroy();
  }
});

onPostgres('joins a transaction of Drizzle', async ({ open, service, postgres, reaches }) => {
  const outbox = await open({ latestWins: true });
  const pool = new pg.Pool(postgres);
  const database = drizzlePg({ client: pool });
  try {
    const undone = database.transaction(async (tx) => {
      await outbox.enqueue(service.token, step(1), { tx: fromDrizzle(tx, drizzleSql) });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const id = await database.transaction((tx) =>
      outbox.enqueue(service.token, step(2), { tx: fromDrizzle(tx, drizzleSql) }),
    );
    await expect(
      database.transaction((tx) =>
        outbox.enqueue(service.token, step(3), { id, tx: fromDrizzle(tx, drizzleSql) }),
      ),
    ).rejects.toMatchObject({ code: 'duplicate_id' });
    await outbox.work();
    await reaches(outbox, id, 'applied');
    expect(stepsApplied(service, service.token)).toEqual([2]);
  } finally {
    await pool.end();
  }
});

onPglite('joins a transaction of Drizzle', async ({ open, service, pglite, reaches }) => {
  const outbox = await open();
  await outbox.work();
  const database = drizzlePglite({ client: pglite });
  const id = await database.transaction((tx) =>
    outbox.enqueue(service.token, step(2), { tx: fromDrizzle(tx, drizzleSql) }),
  );
  await reaches(outbox, id, 'applied');
});
