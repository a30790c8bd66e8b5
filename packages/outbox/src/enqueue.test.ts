import { randomUUID } from 'node:crypto';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { sql as drizzleSql } from 'drizzle-orm/sql';
import fc from 'fast-check';
import { Kysely, PostgresDialect } from 'kysely';
import { expect } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import {
  connect,
  onBoth,
  onBothInFull,
  onPglite,
  onPostgres,
  openPool,
  type Scene,
  step,
  stepsApplied,
  until,
} from '../test/scene.ts';
import { watchStore } from '../test/watch-store.ts';
import type { EnqueueItem } from './enqueue.ts';
import { fromDrizzle, fromKysely } from './executors.ts';
import { postgresStore } from './postgres-store.ts';
import { rowsOf } from './store.ts';

/** What is stored of updates: by their order, with what came of them. */
async function storedOf({ sql, schema }: Scene, ids: readonly string[]) {
  const rows = await rowsOf<{ id: string; token: string; position: string; body: string; state: string }>(
    sql,
    `select id::text as id, token, position::text as position, body, state from ${schema}.updates where id = any($1::uuid[])`,
    [ids],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

for (const latestWins of [false, true])
  onBothInFull(`enqueueAll stores what as many enqueue would, latestWins ${latestWins}`, async (scene) => {
    const outbox = await scene.open({ latestWins });
    const item = fc.record({ order: fc.nat(4), quantity: fc.integer(), traced: fc.boolean() });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 20 }), async (items) => {
        run++;
        const list = (kind: string) =>
          items.map(({ order, quantity, traced }) => ({
            token: `${kind}_${run}_${order}`,
            update: step(quantity),
            ...(traced && { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
          }));
        const before = ['all', 'each'].map((kind) => outbox.enqueue(`${kind}_${run}_0`, step(1)));
        await Promise.all(before);
        const together = await outbox.enqueueAll(list('all'));
        const each: string[] = [];
        for (const { token, update, ...own } of list('each'))
          each.push(await outbox.enqueue(token, update, own));
        const [one, other] = [await storedOf(scene, together), await storedOf(scene, each)];
        const plain = (rows: typeof one) =>
          rows.map((row) => ({ ...row, id: '', token: row?.token.split('_')[2] }));
        expect(plain(one)).toEqual(plain(other));
        // A person sends again in this order what was rejected.
        const tokens = new Map(together.map((id, index) => [id, list('all')[index]?.token ?? '']));
        for (const token of new Set(tokens.values())) {
          const listed = await outbox.list({ states: ['queued', 'discarded'], token, limit: 1_000 });
          const order = listed.map(({ id }) => id).filter((id) => tokens.has(id));
          expect(order).toEqual(together.filter((id) => tokens.get(id) === token));
        }
      }),
      { numRuns: inFull ? 50 : 10 },
    );
  });

onBothInFull('enqueueAll runs two statements for any number, and sends each in sequence', async (scene) => {
  const statements: string[] = [];
  let isWatching = false;
  const store = watchStore(await scene.openStore(), {
    afterStatement: (text) => void (isWatching && statements.push(text)),
  });
  const outbox = await scene.open({ store });
  const tokens = scene.service.orders.map(({ token }) => token);
  const count = inFull ? 500 : 100;
  const items = Array.from({ length: count }, (_, number) => ({
    token: tokens[(number * 7) % tokens.length] ?? '',
    update: step(number),
  }));
  isWatching = true;
  const ids = await outbox.enqueueAll(items);
  isWatching = false;
  expect(statements).toHaveLength(2);
  expect(new Set(ids).size).toBe(count);
  const stored = await storedOf(scene, ids);
  expect(stored.map((row) => JSON.parse(row?.body ?? ''))).toEqual(items.map(({ update }) => update));
  await until('all is sent', async () => {
    expect(await outbox.drain()).toEqual({ problem: undefined });
    const left = await outbox.list({ states: ['queued'], limit: count });
    // On a busy machine a first byte may be too late: a drain leaves what is tried again later, and what waits behind that.
    const tried = new Set(left.filter(({ code }) => code !== undefined).map(({ token }) => token));
    expect(left.filter(({ token }) => !tried.has(token))).toEqual([]);
    return left.length === 0;
  });
  for (const token of tokens)
    expect(stepsApplied(scene.service, token)).toEqual(
      items.filter((each) => each.token === token).map(({ update }) => update.cart.items[0]?.quantity),
    );
});

onBoth(
  'enqueueAll accepts all or none, names what is there already, and leaves the transaction usable',
  async (scene) => {
    const { open, token, engine, pglite, postgres, sql, schema } = scene;
    const outbox = await open();
    const known = [randomUUID(), randomUUID()];
    for (const id of known) await outbox.enqueue(token, step(1), { id });
    const fresh = randomUUID();
    const items = [
      { token: `${token}_new`, update: step(2), id: fresh },
      { token, update: step(3), id: known[1]?.toUpperCase() ?? '' },
      { token, update: step(4) },
      { token, update: step(5), id: known[0] ?? '' },
    ];
    const duplicate = { name: 'OutboxError', code: 'duplicate_id', ids: [known[1], known[0]] };
    await expect(outbox.enqueueAll(items)).rejects.toMatchObject(duplicate);
    const within = async (tx: Parameters<typeof outbox.enqueueAll>[1] & {}) => {
      await expect(outbox.enqueueAll(items, tx)).rejects.toMatchObject(duplicate);
      expect(await outbox.enqueueAll(items.slice(0, 1), tx)).toEqual([fresh]);
    };
    if (engine === 'PGlite') await pglite.transaction((tx) => within({ tx }));
    else {
      await using client = await connect(postgres);
      await client.query('begin');
      await within({ tx: client });
      await client.query('commit');
    }
    const rows = await rowsOf<{ count: number }>(sql, `select count(*)::int as count from ${schema}.updates`);
    expect(Number(rows[0]?.count)).toBe(3);
  },
);

onPostgres('enqueueAll refuses by its place what it cannot accept', async ({ open, token, sql, schema }) => {
  const outbox = await open();
  const good = { token, update: step(1) };
  const id = randomUUID();
  for (const [items, message] of [
    [
      [good, good, { token, update: { cart: { items: [{ quantity: 1.5 }] } } }],
      /^enqueueAll: updates\[2\]: /,
    ],
    [[good, { token, update: step(1), id: 'mine' }], /^enqueueAll: updates\[1\]: write id as a UUID/],
    [[good, { token, update: step(1), ID: id }], /^enqueueAll: updates\[1\]: unknown option "ID"/],
    [
      [
        { ...good, id },
        { ...good, id: id.toUpperCase() },
      ],
      /updates\[1\]: write another id: updates\[0\] has it too/,
    ],
    [[good, null], /^enqueueAll: updates\[1\]: /],
    [{ token }, /^enqueueAll: pass a list of updates/],
    [Array.from({ length: 17 }, () => ({ token, update: { cart: {}, note: 'x'.repeat(4e6) } })), /64 MiB/],
  ] as const)
    await expect(outbox.enqueueAll(items as unknown as EnqueueItem[])).rejects.toThrow(message);
  expect(await outbox.enqueueAll([])).toEqual([]);
  expect(await rowsOf(sql, `select 1 from ${schema}.updates`)).toEqual([]);
});

onPostgres('enqueueAll takes a transaction of Kysely, and one of Drizzle', async (scene) => {
  const { open, postgres, token } = scene;
  const outbox = await open();
  const pool = openPool({ connectionString: postgres.connectionString });
  const items = [
    { token, update: step(1) },
    { token, update: step(2), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  ];
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
  const ids = await kysely.transaction().execute((trx) => outbox.enqueueAll(items, { tx: fromKysely(trx) }));
  const more = await drizzlePg(pool).transaction((tx) =>
    outbox.enqueueAll(items, { tx: fromDrizzle(tx, drizzleSql) }),
  );
  await pool.end();
  expect((await storedOf(scene, [...ids, ...more])).map((row) => row?.position)).toEqual([
    '1',
    '2',
    '3',
    '4',
  ]);
});

onPglite('enqueueAll takes a transaction of Drizzle', async (scene) => {
  const outbox = await scene.open();
  const items = [
    { token: scene.token, update: step(1) },
    { token: 'ord_2', update: step(2) },
  ];
  const ids = await drizzlePglite(scene.pglite).transaction((tx) =>
    outbox.enqueueAll(items, { tx: fromDrizzle(tx, drizzleSql) }),
  );
  expect((await storedOf(scene, ids)).map((row) => row?.token)).toEqual([scene.token, 'ord_2']);
});

onBothInFull('an id in capitals is the same id everywhere', async ({ open, token }) => {
  const outbox = await open();
  const id = randomUUID();
  expect(await outbox.enqueue(token, step(1), { id: id.toUpperCase() })).toBe(id);
  expect(await outbox.get(id.toUpperCase())).toMatchObject({ id });
  expect(await outbox.list({ states: ['queued'], after: id.toUpperCase() })).toEqual([]);
  expect(await outbox.discard(id.toUpperCase())).toMatchObject({ id, state: 'discarded' });
  await expect(outbox.enqueue(token, step(2), { id })).rejects.toMatchObject({
    code: 'duplicate_id',
    ids: [id],
  });
});

onBoth(
  'refuses an update above 4 MiB of JSON, and stores one below',
  async ({ open, token, sql, schema }) => {
    const outbox = await open();
    // Its letters that take two bytes make the difference.
    const update = (length: number) => ({ cart: {}, note: `${'é'.repeat(100)}${'x'.repeat(length - 200)}` });
    await expect(outbox.enqueue(token, update(4 * 2 ** 20 - 10))).rejects.toThrow(
      /bytes of JSON: write at most 4,194,304/,
    );
    expect(await rowsOf(sql, `select 1 from ${schema}.updates`)).toEqual([]);
    const id = await outbox.enqueue(token, update(4 * 2 ** 20 - 100));
    expect((await outbox.get(id))?.update).toEqual(update(4 * 2 ** 20 - 100));
  },
);

/** Texts that software tends to change: marks, controls, halves of pairs, blanks, forms that look alike. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\ufeff',
        '\ufffe',
        '\uffff',
        '\0',
        '\ud800',
        '\udfff',
        '\u200b',
        '\u0301',
        'é',
        'e\u0301',
        'Å',
      ),
      fc.constantFrom(
        ' ',
        '\t',
        '\n',
        '\r\n',
        '\\',
        '\\u0041',
        '"',
        "'",
        '$1',
        '%',
        '😀',
        '\u2028',
        '\x7f',
        '\x85',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));

onBoth('every text is stored as it is, or refused', async (scene) => {
  const { open, sql, schema } = scene;
  const outbox = await open();
  async function store(token: string, note: string, by: string): Promise<void> {
    const update = { cart: {}, note };
    const id = await outbox.enqueue(token, update).catch((error: unknown) => {
      if (error instanceof TypeError || (error as { code?: string }).code === 'validation_error')
        return undefined;
      throw error;
    });
    if (id === undefined) return;
    // As JSON sends it: half a pair stays half a pair.
    expect(await outbox.get(id)).toMatchObject({ token, update: JSON.parse(JSON.stringify(update)) });
    expect((await outbox.history(token)).map((each) => each.id)).toEqual([id]);
    await sql.query(
      `update ${schema}.updates set state = 'needs_review', needs_decision = true where id = $1`,
      [id],
    );
    expect((await outbox.discard(id, { note, by })).decision).toMatchObject({ note, by });
    expect((await outbox.get(id))?.token).toBe(token);
    await outbox.purge({ token });
  }

  // As examples of fast-check they would cost seconds: it maps every character of Unicode to shrink them.
  await store('\ufefford_1', 'x', 'y');
  await store('ord_1 ', '\ufeff', '\0');
  await store('\ud800', 'x', 'y');
  await store('o\0', 'x', 'y');
  await fc.assert(fc.asyncProperty(text, text, text, store), { numRuns: inFull ? 500 : 60 });
});

onPostgres('accepts a burst at once that takes longer than connecting may', async (scene) => {
  const store = postgresStore({ connectionString: scene.postgres.connectionString });
  const outbox = await scene.open({ store });
  // Only in full it takes that long; that a call waits before the pool is seen of `postgresStore`.
  const count = inFull ? 30_000 : 500;
  const calls = Array.from({ length: count }, (_, number) =>
    outbox.enqueue(`burst_${number % 3_000}`, step(number)),
  );
  const results = await Promise.allSettled(calls);
  expect(results.filter(({ status }) => status === 'rejected').slice(0, 3)).toEqual([]);
  expect(Object.values(await outbox.counts()).reduce((sum, each) => sum + each)).toBe(count);
});

onPostgres(
  'two enqueueAll of the same orders both go on, in whatever order they name them',
  async ({ open }) => {
    const outbox = await open();
    const other = await open();
    const items = Array.from({ length: 20 }, (_, number) => ({
      token: `ord_${number}`,
      update: step(number),
    }));
    for (let round = 0; round < 5; round++) {
      const calls = [outbox.enqueueAll(items), other.enqueueAll(items.toReversed())];
      expect((await Promise.all(calls)).flat()).toHaveLength(40);
    }
  },
  // A PGlite beside it would hold up this process while one call waits for the lock of the other.
  { isAlone: true },
);

onPglite('an option that is undefined counts as left out', async ({ open, token, sql, schema }) => {
  const outbox = await open();
  const own = { id: undefined, traceparent: undefined };
  const id = await outbox.enqueue(token, step(1), { ...own, tx: undefined });
  const [other] = await outbox.enqueueAll([{ token, update: step(2), ...own }], { tx: undefined });
  expect(
    await outbox.list({ states: ['queued'], token: undefined, after: undefined, limit: undefined }),
  ).toMatchObject([{ id }, { id: other }]);
  await sql.query(
    `update ${schema}.updates set state = 'needs_review', needs_decision = true where id = $1`,
    [id],
  );
  expect(await outbox.list({ states: undefined })).toMatchObject([{ id }]);
  expect(await outbox.discard(id, { by: undefined, note: undefined })).toMatchObject({ state: 'discarded' });
});
