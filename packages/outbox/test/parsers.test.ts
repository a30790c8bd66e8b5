import { createOutbox, type OutboxStore, postgresStore, type Sql } from '@orders/outbox';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { connect, onPglite, onPostgres, openPool, type Scene, step, stepsApplied } from './scene.ts';

type Parser = (text: string) => unknown;
type Transaction = (run: (tx: Sql) => Promise<unknown>) => Promise<unknown>;

/** What others in the process may have the values of a database parsed to. */
const parsers: Readonly<Record<string, Parser>> = {
  throws: () => {
    throw new Error('no parser');
  },
  text: (text) => text,
  undefined: () => undefined,
  null: () => null,
  BigInt: (text) => (/^-?\d+$/.test(text) ? BigInt(text) : text),
  Date: (text) => new Date(text),
  'an object': (text) => ({ text }),
};

/** Accepts, sends, rejects, lists and erases updates, and expects of each what it would be without odd parsers. */
async function useOutbox(
  { service, client, newSchema: databaseSchema, warnings }: Scene,
  store: OutboxStore,
  inTransaction: Transaction,
): Promise<void> {
  warnings.length = 0;
  const warn = (message: string): void => void warnings.push(message);
  const outbox = await createOutbox({ client, store, databaseSchema, rate: { perSecond: 1_000 }, warn });
  const [token = '', other = ''] = service.orders.map((order) => order.token);
  const before = stepsApplied(service, token).length;
  service.faults.next({ type: 'status', status: 422 }, { token: other });
  const ids = [await outbox.enqueue(token, step(1))];
  await inTransaction(async (tx) => ids.push(await outbox.enqueue(token, step(2), { tx })));
  const rejected = await outbox.enqueue(other, step(3));
  expect((await outbox.status()).held).toMatchObject([{ reason: 'no_worker', orders: 2, updates: 3 }]);
  expect(await outbox.drain()).toEqual({ problem: undefined });
  expect(stepsApplied(service, token).slice(before)).toEqual([1, 2]);
  for (const id of ids)
    expect(await outbox.get(id)).toMatchObject({ id, token, state: 'applied', attempts: 1, status: 200 });
  expect(await outbox.list()).toMatchObject([
    { id: rejected, state: 'rejected', status: 422, createdAt: expect.any(Date) },
  ]);
  expect(await outbox.history(token)).toHaveLength(2);
  expect((await outbox.changes()).updates).toHaveLength(3);
  expect(await outbox.retry(rejected, { by: 'Ada' })).toMatchObject({ state: 'queued' });
  await outbox.drain();
  expect(await outbox.counts()).toMatchObject({ applied: 3, queued: 0 });
  expect(await outbox.status()).toMatchObject({
    updates: { queued: 0, sending: 0, needsReview: 0, rejected: 0 },
    held: [],
  });
  expect(await outbox.purge({ token })).toBe(2);
  expect(await outbox.purge({ token: other })).toBe(1);
  await outbox.close();
  expect(warnings).toEqual([]);
}

/** Has every type of the database parsed otherwise, in the whole process, until the test ends. */
function replaceParsers(parse: Parser): void {
  const formats = ['text', 'binary'] as const;
  const types = Object.values(pg.types.builtins).flatMap((type) =>
    formats.map((format) => ({ type, format, parser: pg.types.getTypeParser(type, format) })),
  );
  const replace = pg.types.setTypeParser as (type: number, format: string, parser: unknown) => void;
  for (const { type, format } of types) replace(type, format, parse);
  onTestFinished(() => {
    for (const { type, format, parser } of types) replace(type, format, parser);
  });
}

/** The ways to a PostgreSQL, each of which parses for itself. */
const stores = {
  async 'a connection string'(scene: Scene, _: Parser, inTransaction: Transaction) {
    const { connectionString } = scene.postgres;
    await useOutbox(scene, postgresStore({ connectionString }), inTransaction);
  },
  async 'a pool'(scene: Scene, _: Parser, inTransaction: Transaction) {
    const { connectionString } = scene.postgres;
    const pool = openPool({ connectionString, max: 4 });
    await useOutbox(scene, postgresStore({ pool }), inTransaction);
    await pool.end();
  },
  async 'a pool with types of its own'(scene: Scene, parse: Parser, inTransaction: Transaction) {
    const { connectionString } = scene.postgres;
    const types = { getTypeParser: () => parse } as unknown as pg.CustomTypesConfig;
    const pool = openPool({ connectionString, max: 4, types });
    await useOutbox(scene, postgresStore({ pool }), inTransaction);
    await pool.end();
  },
};

for (const [place, [name, parse]] of Object.entries(parsers).entries()) {
  const all = Object.entries(stores);
  // Each parser meets one way, in turn, and all of them in full.
  for (const [way, use] of inFull ? all : all.slice(place % 3, (place % 3) + 1)) {
    onPostgres(
      `works through ${way} where every parser of pg gives ${name}`,
      async (scene) => {
        replaceParsers(parse);
        await using client = await connect(scene.postgres);
        await use(scene, parse, async (run) => {
          await client.query('begin');
          await run(client);
          await client.query('commit');
        });
      },
      { isAlone: true },
    );
  }
}

onPostgres(
  'refuses a client of pg that reads binary results, before it stores anything',
  async (scene) => {
    const { open, token, postgres, sql, schema } = scene;
    const outbox = await open();
    const config = { connectionString: postgres.connectionString, binary: true };
    const refused = 'leave pg.defaults.binary, or binary, false';
    const client = new pg.Client(config);
    await client.connect();
    await client.query('begin');
    await expect(outbox.enqueue(token, step(1), { tx: client })).rejects.toThrow(refused);
    await client.query('commit');
    await client.end();
    expect((await sql.query(`select from ${schema}.updates`)).rows).toEqual([]);
    const pool = openPool({ ...config, max: 4 });
    await expect(open({ store: postgresStore({ pool }) })).rejects.toThrow(refused);
    await pool.end();
  },
  { isAlone: true },
);

onPglite('works in a PGlite whose every parser was replaced', async (scene) => {
  const { pglite } = scene;
  const own = pglite.parsers;
  onTestFinished(() => {
    pglite.parsers = own;
  });
  for (const [name, parse] of Object.entries(parsers)) {
    // In brief, one that shows any use, and one that leaves nothing to read.
    if (!inFull && name !== 'throws' && name !== 'undefined') continue;
    pglite.parsers = Object.fromEntries(Object.values(pg.types.builtins).map((type) => [type, parse]));
    await useOutbox(scene, await scene.openStore(), (run) => pglite.transaction(run));
  }
});
