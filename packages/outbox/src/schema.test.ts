import { expect } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { connect, onBothInFull, onPostgres, step, stepsApplied, until } from '../test/scene.ts';
import { requiredGrants } from './errors.ts';
import { createInbox } from './inbox.ts';
import { migrate } from './outbox.ts';
import { postgresStore } from './postgres-store.ts';
import { rowsOf } from './store.ts';

onPostgres('makes its tables once, though many processes start at once', async (scene) => {
  const { open, service, token, newSchema: databaseSchema } = scene;
  const outboxes = await Promise.all(
    Array.from({ length: 8 }, () => open({ databaseSchema, migrate: true })),
  );
  for (const [place, outbox] of outboxes.entries()) await outbox.enqueue(token, step(place));
  await outboxes[0]?.drain();
  expect(stepsApplied(service, token)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

onPostgres('makes its tables once, though one store does so many times at once', async (scene) => {
  const { openStore, newSchema } = scene;
  const store = await openStore();
  // They share the connections of a store: one that waited with a connection could keep the others from going on.
  for (let round = 1; round <= 5; round++) {
    const databaseSchema = `${newSchema}_${round}`;
    await Promise.all(Array.from({ length: 6 }, () => migrate(store, { databaseSchema })));
  }
  await store.close();
});

onPostgres('waits for no lock where the tables are there', async (scene) => {
  const { open, postgres, schema } = scene;
  await open();
  await using client = await connect(postgres);
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtext($1))', [`orders-outbox:${schema}`]);
  const outboxes = await Promise.all(
    Array.from({ length: 4 }, (_, place) => open({ migrate: place % 2 === 0 })),
  );
  await Promise.all(outboxes.map((outbox) => outbox.close()));
});

onBothInFull('refuses a schema without tables unless it may make them', async (scene) => {
  const { open, openStore, newSchema: databaseSchema } = scene;
  await expect(open({ migrate: false })).rejects.toMatchObject({
    code: 'not_migrated',
    message: expect.stringContaining('pass migrate: true'),
  });
  const store = await openStore();
  await migrate(store, { databaseSchema });
  await migrate(store, { databaseSchema });
  await store.close();
  await open({ migrate: false });
});

onBothInFull(
  'refuses tables that a newer release made, unless it can read them',
  async ({ open, sql, schema }) => {
    const outbox = await open();
    await outbox.close();
    await sql.query(`insert into ${schema}.migrations (version, readable_from) values (98, 1)`);
    await (await open()).close();
    await sql.query(`insert into ${schema}.migrations (version, readable_from) values (99, 99)`);
    await expect(open()).rejects.toMatchObject({ code: 'database_too_new' });
  },
);

onBothInFull('refuses a database of the first version, and leaves it as it is', async (scene) => {
  const { open, sql, newSchema: schema } = scene;
  await sql.query(`create schema ${schema}`);
  for (const table of ['version', 'lanes', 'updates', 'events', 'limits'])
    await sql.query(`create table ${schema}.${table} (version integer)`);
  await expect(open()).rejects.toMatchObject({
    code: 'old_database',
    message: expect.stringContaining(`The schema ${schema} holds an outbox of the first version`),
  });
  await expect(open({ migrate: true })).rejects.toMatchObject({ code: 'old_database' });
  const tables = await rowsOf(
    sql,
    `select from pg_tables where schemaname in ('${schema}', '${schema}_queue')`,
  );
  expect(tables).toHaveLength(5);
});

onPostgres(
  'refuses to open where row security hides rows of any table, and names what opens it',
  async (scene) => {
    const { open, postgres, newSchema: schema, sql, token, reaches } = scene;
    const owner = await open();
    const waiting = await owner.enqueue(token, step(1));
    const role = `hidden_${schema}`;
    await sql.query(`create role ${role} login password 'plain'`);
    for (const statement of requiredGrants(schema, role)) await sql.query(statement);
    const url = new URL(postgres.connectionString);
    Object.assign(url, { username: role, password: 'plain' });
    const openHidden = (migrate: boolean) =>
      open({ store: postgresStore({ connectionString: url.href }), migrate });
    const tables = await rowsOf<{ name: string }>(
      sql,
      `select oid::regclass::text as name from pg_class where relnamespace::regnamespace::text in ('${schema}', '${schema}_queue') and relkind in ('r', 'p')`,
    );
    expect(tables.length).toBeGreaterThan(5);
    for (const [place, { name }] of tables.entries()) {
      await sql.query(`alter table ${name} enable row level security`);
      const refused = await openHidden(place % 2 === 0).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'database_unusable' });
      expect(String(refused)).toContain(`Row security may hide rows of ${name} from this role`);
      const [, advised = ''] = /As the owner: (.+?);/.exec(String(refused)) ?? [];
      await sql.query(advised);
    }
    await sql.query(`alter table ${tables[0]?.name} enable row level security`);
    await sql.query(`alter role ${role} bypassrls`);
    await (await openHidden(false)).start();
    await reaches(owner, waiting, 'applied');
  },
);

/** Words that PostgreSQL reads as something else where no quotes are around them: in a syntax error, or in silence. */
const reservedWords = ['select', 'user', ...(inFull ? ['order', 'authorization'] : [])];

onBothInFull('works in a schema, and with a role, that has a reserved word as its name', async (scene) => {
  const { engine, open, openStore, postgres, service, sql, reaches } = scene;
  const [first = '', second = ''] = service.orders.map(({ token }) => token);

  for (const [place, word] of reservedWords.entries()) {
    const owners = await openStore();
    await migrate(owners, { databaseSchema: word });
    await owners.close();
    const options = { databaseSchema: word, migrate: false, latestWins: true, rate: { perSecond: 1_000 } };
    if (engine === 'PostgreSQL') {
      await sql.query(`create role "${word}" login password 'plain'`);
      for (const statement of requiredGrants(word, word)) await sql.query(statement);
      const url = Object.assign(new URL(postgres.connectionString), { username: word, password: 'plain' });
      Object.assign(options, { store: postgresStore({ connectionString: url.href }) });
    }
    const outbox = await open(options);
    const before = service.appliedUpdates(first).length;

    for (const status of [409, 500]) service.faults.next({ type: 'status', status }, { token: first });
    await outbox.start();
    const rejected = await outbox.enqueue(first, step(0));
    await reaches(outbox, rejected, 'rejected');
    await outbox.discard(rejected);
    const unknown = await outbox.enqueue(first, step(place));
    await reaches(outbox, unknown, 'needs_review');
    const superseded = await outbox.enqueue(first, step(1));
    const behind = await outbox.enqueue(first, step(2));
    expect(await outbox.get(superseded), word).toMatchObject({ code: 'superseded' });
    expect(await outbox.get(behind), word).toMatchObject({
      heldBy: { reason: 'behind_review', id: unknown },
    });
    expect((await outbox.status()).held, word).toHaveLength(1);
    expect(await outbox.list(), word).toMatchObject([{ id: unknown }]);
    await outbox.retry(unknown);
    await reaches(outbox, behind, 'applied');
    expect(stepsApplied(service, first).slice(before), word).toEqual([place, 2]);

    service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '30' } }, { token: second });
    const [paused = ''] = await outbox.enqueueAll([{ token: second, update: step(3) }]);
    await until('a 429 pauses all', async () => (await outbox.status()).pausedUntil !== undefined);
    await outbox.resume();
    await outbox.drain();
    expect(await outbox.history(second), word).toMatchObject([{ id: paused, state: 'applied' }]);
    // What it lists depends on transactions of other tests.
    await outbox.changes();
    expect(await outbox.purge({ token: first }), word).toBe(4);
    await outbox.close();
    await sql.query(`drop schema "${word}" cascade`);
    await sql.query(`drop schema ${word}_queue cascade`);
    if (engine === 'PostgreSQL') await sql.query(`drop role "${word}"`);
  }
});

onPostgres('refuses a setting that changes what is stored or read, and names it', async (scene) => {
  const { postgres, newSchema: databaseSchema, open } = scene;
  for (const setting of [
    'extra_float_digits = -15',
    'array_nulls = off',
    'standard_conforming_strings = off',
  ]) {
    const url = new URL(postgres.connectionString);
    url.searchParams.set('options', `-c ${setting.replaceAll(' ', '')}`);
    const openStore = () => postgresStore({ connectionString: url.href });
    const store = openStore();
    const refused = {
      code: 'database_unusable',
      message: expect.stringContaining(`The setting ${setting} `),
    };
    await expect(migrate(store, { databaseSchema })).rejects.toMatchObject(refused);
    await expect(open({ store, databaseSchema })).rejects.toMatchObject(refused);
    const other = openStore();
    const inbox = createInbox({
      store: other,
      databaseSchema,
      verify: () => undefined,
      id: 'id',
      token: 'token',
      handler() {},
      warn() {},
    });
    await expect(inbox.start()).rejects.toMatchObject(refused);
    await inbox.close();
    await other.close();
  }
});

onPostgres('works in a database of another encoding, dates, time zone and isolation', async (scene) => {
  const { open, postgres, service, token } = scene;
  const name = 'shop_of_others';
  for (const statement of [
    `create database ${name} encoding 'LATIN1' locale 'C' template template0`,
    `alter database ${name} set datestyle = 'German'`,
    `alter database ${name} set timezone = 'Pacific/Kiritimati'`,
    `alter database ${name} set default_transaction_isolation = 'serializable'`,
    `alter database ${name} set synchronous_commit = off`,
  ])
    await postgres.query(statement);
  const url = new URL(postgres.connectionString);
  url.pathname = `/${name}`;
  const store = postgresStore({ connectionString: url.href });
  const settings = await store.transaction(async (tx) => {
    const shown = async (setting: string) =>
      Object.values((await rowsOf<object>(tx, `show ${setting}`))[0] ?? {})[0];
    return [await shown('synchronous_commit'), await shown('transaction_isolation')];
  });
  expect(settings).toEqual(['on', 'read committed']);
  const begunAt = Date.now();
  const outbox = await open({ store });
  const update = { cart: { items: [{ name: 'Ωmega 🍮 “…”', quantity: 1 }] } };
  service.faults.next({ type: 'status', status: 422, body: '{"error":"…漢字"}' }, { token });
  const ids = await Promise.all(Array.from({ length: 20 }, () => outbox.enqueue(token, update)));
  await outbox.drain();
  const [rejected] = await outbox.list();
  expect(rejected).toMatchObject({ state: 'rejected' });
  const id = rejected?.id ?? '';
  expect(await outbox.get(id)).toMatchObject({ update });
  await outbox.retry(id, { by: '漢字', note: '…' });
  await outbox.drain();
  expect(await outbox.get(id)).toMatchObject({ state: 'applied', decision: { by: '漢字', note: '…' } });
  expect(service.appliedUpdates(token)).toEqual(ids.map(() => update));
  for (const { createdAt, sendingAt, settledAt } of await outbox.history(token))
    for (const time of [createdAt, sendingAt, settledAt]) {
      expect(Number(time)).toBeGreaterThanOrEqual(begunAt);
      expect(Number(time)).toBeLessThanOrEqual(Date.now());
    }
  await expect(outbox.enqueue('Ωmega', update)).rejects.toThrow('Its encoding does not hold this text');
  const inbox = createInbox({
    store,
    databaseSchema: scene.schema,
    verify: (body) => JSON.parse(String(Buffer.from(body))),
    id: 'id',
    token: 'token',
    handler() {},
  });
  const deliver = async (event: object) =>
    inbox.receive(new Request('https://shop', { method: 'POST', body: JSON.stringify(event) }));
  expect((await deliver({ id: 'Ω', token })).status).toBe(422);
  expect((await deliver({ id: '1', token: 'Ω' })).status).toBe(422);
  expect((await deliver({ id: '1', token, text: 'Ω' })).status).toBe(204);
  await inbox.close();
  // It is not dropped: PostgreSQL 15 to 18.4 may wait without an end for that while others connect.
  await outbox.close();
});

onPostgres('says what is wrong with a database, and no password', async ({ open, postgres }) => {
  const url = new URL(postgres.connectionString);
  const cases: readonly [(wrong: URL) => void, RegExp][] = [
    [(wrong) => Object.assign(wrong, { port: '1' }), /ECONNREFUSED.*Check its host and port\.$/],
    [(wrong) => Object.assign(wrong, { password: 'wrong-secret' }), /Check the user and the password\.$/],
    [(wrong) => Object.assign(wrong, { pathname: '/nothing' }), /Create the database, or check its name\.$/],
  ];
  for (const [change, message] of cases) {
    const wrong = new URL(url);
    change(wrong);
    const error = await open({ store: postgresStore({ connectionString: wrong.href }) }).catch(
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'database_unusable', message: expect.stringMatching(message) });
    expect(String(error)).not.toContain(wrong.password);
  }
});

onPostgres('fails where another session holds an order', async ({ open, postgres, token }) => {
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  const client = await connect(postgres);
  await client.query('begin');
  await outbox.enqueue(token, step(2), { tx: client });
  // The other session holds it for longer than any call waits.
  await expect(outbox.enqueue(token, step(3))).rejects.toMatchObject({
    code: 'order_locked',
    message: expect.stringContaining('nothing was changed. Repeat the call'),
  });
  await client.end();
  await until('the order is free', () => outbox.enqueue(token, step(4)));
});

onPostgres(
  'works with the rights that its error names',
  async (scene) => {
    const { open, postgres, newSchema: schema, sql, token, reaches } = scene;
    await open();
    const user = `plain_${schema}`;
    await sql.query(`create role ${user} login password 'plain'`);
    const url = new URL(postgres.connectionString);
    Object.assign(url, { username: user, password: 'plain' });
    const openPlain = () => open({ store: postgresStore({ connectionString: url.href }) });
    const refused = await openPlain().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'database_unusable' });
    expect(String(refused)).toContain(`permission denied for schema ${schema}`);
    expect(String(refused)).toContain(requiredGrants(schema, 'this_role').join('; '));
    for (const statement of requiredGrants(schema, user)) await sql.query(statement);
    const plain = await openPlain();
    await plain.start();
    await reaches(plain, await plain.enqueue(token, step(1)), 'applied');
    await plain.purge({ token });
  },
  { isAlone: true },
);
