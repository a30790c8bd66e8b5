import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as newest from 'pg-boss';
import * as oldestPgBoss from 'pg-boss-oldest';
import { expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { connect, onBothInFull, onPostgres, type Scene, step, stepsApplied, until } from '../test/scene.ts';
import { createInbox } from './inbox.ts';
import { migrate } from './outbox.ts';
import { postgresStore } from './postgres-store.ts';
import { type LaneJob, LaneQueue } from './queue.ts';
import { migrateSchema } from './schema.ts';
import { type OutboxStore, rowsOf } from './store.ts';

const oldest = oldestPgBoss as unknown as typeof newest;
const releases = { oldest, newest };

async function withQueue(
  { openStore, newSchema }: Scene,
  pgBoss: typeof newest,
  use: (queue: LaneQueue, store: OutboxStore) => Promise<void>,
): Promise<void> {
  const store = await openStore();
  const errors: unknown[] = [];
  const queue = new LaneQueue(store, newSchema, { onError: (error) => errors.push(error), pgBoss });
  try {
    await use(queue, store);
    expect(errors).toEqual([]);
  } finally {
    await queue.stop();
    await store.close();
  }
}

for (const [release, pgBoss] of Object.entries(releases)) {
  onBothInFull(`keeps one job for each order, fenced by its attempt (${release} pg-boss)`, async (scene) => {
    await withQueue(scene, pgBoss, async (queue, store) => {
      expect(await queue.isReady()).toBe(false);
      await queue.migrate();
      expect(await queue.isReady()).toBe(true);
      await queue.start();
      const inTx = store.transaction.bind(store);
      await inTx(async (tx) => {
        await queue.add(tx, 'A');
        await queue.add(tx, 'A');
        await queue.insert(tx, [{ token: 'B' }, { token: 'A' }, { token: 'later', delayMs: 3_600_000 }]);
      });
      const due = (await inTx((tx) => queue.fetch(tx, 10))).toSorted((x, y) => (x.token < y.token ? -1 : 1));
      expect(due.map(({ token }) => token)).toEqual(['A', 'B']);
      const [a, b] = due as [LaneJob, LaneJob];
      // A second job would let two workers send for one order.
      await inTx((tx) => queue.add(tx, 'A'));
      expect(await inTx((tx) => queue.fetch(tx, 10))).toEqual([]);
      expect(await inTx((tx) => queue.withoutJob(tx, ['A', 'later', 'none']))).toEqual(['none']);

      // pg-boss types its response as empty: what is still held is read from it all the same.
      expect(await inTx((tx) => queue.touch(tx, [a, b]))).toEqual(new Set([a, b]));
      const earlier = { ...a, retryCount: a.retryCount - 1 };
      expect(await inTx((tx) => queue.touch(tx, [earlier, a, b]))).toEqual(new Set([a, b]));
      await queue.releaseAll();
      expect(await inTx((tx) => queue.touch(tx, [a, b]))).toEqual(new Set());
      const again = await inTx((tx) => queue.fetch(tx, 10));
      expect(again.map(({ token, retryCount }) => [token, retryCount]).toSorted()).toEqual([
        ['A', 1],
        ['B', 1],
      ]);
      expect(await inTx((tx) => queue.remove(tx, [a]))).toEqual(new Set());
      expect((await inTx((tx) => queue.remove(tx, again))).size).toBe(2);
      expect((await inTx((tx) => queue.remove(tx, again))).size).toBe(0);
      // An hour later.
      await scene.sql.query(
        `update ${scene.newSchema}_queue.job_common set start_after = start_after - interval '1 hour'`,
      );
      const later = await inTx((tx) => queue.fetch(tx, 10));
      expect(later).toMatchObject([{ token: 'later', retryCount: 0 }]);
    });
  });
}

onPostgres('gives back jobs whose heartbeat has stopped, and no other', async (scene) => {
  await withQueue(scene, newest, async (queue, store) => {
    await queue.migrate();
    await queue.start();
    await store.transaction((tx) => queue.insert(tx, [{ token: 'lost' }, { token: 'held' }]));
    const held = (await store.transaction((tx) => queue.fetch(tx, 2))).filter(
      ({ token }) => token === 'held',
    );
    await scene.sql.query(
      `update ${scene.newSchema}_queue.job_common set heartbeat_on = heartbeat_on - interval '11 seconds'`,
    );
    await store.transaction((tx) => queue.touch(tx, held));
    await queue.supervise();
    expect(await store.transaction((tx) => queue.fetch(tx, 2))).toMatchObject([
      { token: 'lost', retryCount: 1 },
    ]);
  });
});

/** Makes the tables as the oldest pg-boss does, long ago: what it builds in the background waits for 10 s after the last time. */
async function migrateLongAgo(scene: Scene): Promise<void> {
  await withQueue(scene, oldest, (queue) => queue.migrate());
  await scene.sql.query(`update ${scene.newSchema}_queue.version set bam_on = null`);
}

onPostgres('goes on with the oldest pg-boss after the newest has migrated', async (scene) => {
  await migrateLongAgo(scene);
  await withQueue(scene, newest, async (queue) => {
    expect(await queue.isReady()).toBe(false);
    await expect(queue.start()).rejects.toThrow();
    await queue.migrate();
    await queue.start();
  });
  await withQueue(scene, oldest, async (queue, store) => {
    expect(await queue.isReady()).toBe(true);
    await queue.start();
    await store.transaction((tx) => queue.add(tx, 'A'));
    expect(await store.transaction((tx) => queue.fetch(tx, 1))).toMatchObject([{ token: 'A' }]);
  });
});

/** A snapshot whose end an index waits for that is built meanwhile. */
const hold = 'begin isolation level repeatable read; select 1';

/** An open snapshot holds up the indexes of every schema. */
const isAlone = { isAlone: true };

onPostgres(
  'migrations wait for each other and for open transactions, say so, and end',
  async (scene) => {
    const { open, postgres, newSchema: databaseSchema, warnings } = scene;
    await migrateLongAgo(scene);
    await using reader = await connect(postgres);
    await reader.query(hold);
    await using rival = await connect(postgres);
    await rival.query(`begin; select pg_advisory_xact_lock(hashtext('orders-outbox:${databaseSchema}'))`);
    // One waits for the other, which builds an index: that waits for each transaction that had a snapshot when it began.
    const opening = Promise.all([1, 2].map(() => open({ databaseSchema, migrate: true }, 50)));
    const said = (reason: string) =>
      until(`a warning of this: ${reason}`, () => warnings.some((message) => message.includes(reason)));
    await said('waits for another migration of it');
    await rival.query('rollback');
    await said('waits for pg-boss');
    await reader.query('rollback');
    await opening;
  },
  isAlone,
);

onPostgres(
  'a migration fails where an index could not be built, and the next one builds it',
  async (scene) => {
    const { openStore, postgres, newSchema: databaseSchema, sql } = scene;
    await migrateLongAgo(scene);
    await using reader = await connect(postgres);
    await reader.query(hold);
    const store = await openStore();
    const migrating = migrate(store, { databaseSchema });
    const canceled = until('an index is being built, and is canceled', async () => {
      const found = `with building as materialized (
        select pid from pg_stat_activity where query ~* 'index concurrently' and state = 'active' and pid <> pg_backend_pid()
      ) select pg_cancel_backend(pid) from building`;
      return (await rowsOf(sql, found)).length > 0;
    });
    await expect(migrating).rejects.toMatchObject({
      code: 'database_unusable',
      message: expect.stringContaining('pg-boss could not build'),
    });
    await canceled;
    await reader.query('rollback');
    // It begins nothing in the background within 10 s after the last time.
    await sql.query(`update ${databaseSchema}_queue.version set bam_on = null`);
    await migrate(store, { databaseSchema });
    await store.close();
    const states = `select distinct status from ${databaseSchema}_queue.bam`;
    expect(await rowsOf(sql, states)).toEqual([{ status: 'completed' }]);
  },
  isAlone,
);

onPostgres(
  'an inbox that is closed while it migrates handles nothing',
  async (scene) => {
    const { openStore, postgres, newSchema: databaseSchema, sql } = scene;
    await withQueue(scene, oldest, (queue, store) =>
      migrateSchema(store, databaseSchema, queue, { warn() {}, stallMs: 30_000 }),
    );
    await sql.query(`update ${databaseSchema}_queue.version set bam_on = null`);
    await sql.query(
      `insert into ${databaseSchema}.events (id, token, position, payload) values ('1', '1', 1, '{}')`,
    );
    await using rival = await connect(postgres);
    await rival.query(`begin; select pg_advisory_xact_lock(hashtext('orders-outbox:${databaseSchema}'))`);
    const store = await openStore();
    const warnings: string[] = [];
    const inbox = createInbox({
      store,
      databaseSchema,
      migrate: true,
      verify: () => undefined,
      id: 'id',
      token: 'token',
      handler() {},
      warn: (message) => void warnings.push(message),
    });
    const closing = inbox.close();
    await rival.query('rollback');
    await closing;
    const states = await rowsOf(sql, `select state from ${databaseSchema}.events`);
    expect([states, warnings]).toEqual([[{ state: 'queued' }], []]);
    await store.close();
  },
  isAlone,
);

if (inFull)
  onPostgres(
    'a migration names the setting that keeps an index from being built',
    async (scene) => {
      const { postgres, newSchema: databaseSchema } = scene;
      await migrateLongAgo(scene);
      await using reader = await connect(postgres);
      await reader.query(hold);
      const url = new URL(postgres.connectionString);
      url.searchParams.set('options', '-c statement_timeout=5000');
      const store = postgresStore({ connectionString: url.href });
      await expect(migrate(store, { databaseSchema })).rejects.toMatchObject({
        message: expect.stringMatching(/could not build .* statement timeout.*"alter role this_role reset/),
      });
      await store.close();
    },
    isAlone,
  );

if (inFull)
  onPostgres(
    'a migration waits for an index for longer than for another statement',
    async (scene) => {
      const { postgres, newSchema: databaseSchema } = scene;
      await migrateLongAgo(scene);
      await using reader = await connect(postgres);
      await reader.query(hold);
      const store = postgresStore({ connectionString: postgres.connectionString });
      let isOver = false;
      const migrating = migrate(store, { databaseSchema }).finally(() => {
        isOver = true;
      });
      await delay(61_000);
      expect(isOver).toBe(false);
      await reader.query('rollback');
      await migrating;
      await store.close();
    },
    isAlone,
  );

/**
 * A store whose statements look for a deadlock once, so many milliseconds after they began to wait, and are rolled back for
 * it: by then the other one must wait, too, also on a busy machine.
 */
function openDeadlocked({ postgres }: Scene, afterMs: number): OutboxStore {
  const url = new URL(postgres.connectionString);
  url.searchParams.set('options', `-c deadlock_timeout=${afterMs}`);
  return postgresStore({ connectionString: url.href });
}
/** For the other one. */
const waitOn = ['deadlock', 'lock', 'idle_in_transaction_session']
  .map((name) => `set local ${name}_timeout = '1min'`)
  .join('; ');

onPostgres('enqueues once a migration of pg-boss has let go of what it locked', async (scene) => {
  const { open, openStore, schema, sql, token } = scene;
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  const store = await openStore();
  let enqueueing: Promise<string> | undefined;
  await store.transaction(async (tx) => {
    await tx.query(waitOn);
    await tx.query(`lock table ${schema}_queue.queue in access exclusive mode`);
    enqueueing = outbox.enqueue(token, step(2));
    await until('the caller waits for a lock', async () => {
      const [row] = await rowsOf<{ count: number }>(
        sql,
        `select count(*)::int from pg_locks where not granted and relation = '${schema}_queue.queue'::regclass`,
      );
      return row?.count;
    });
    await tx.query(`select from ${schema}.lanes for update`);
  });
  await enqueueing;
  await store.close();
  expect(await outbox.counts()).toMatchObject({ queued: 2 });
});

onPostgres('migrates again after a deadlock with a caller', async (scene) => {
  const { newSchema: schema, openStore, sql } = scene;
  const store = openDeadlocked(scene, 10);
  await migrate(store, { databaseSchema: schema });
  await sql.query(`drop schema ${schema}_queue cascade`);
  await migrateLongAgo(scene);
  const another = await openStore();
  let migrating: Promise<void> | undefined;
  await store.transaction(async (tx) => {
    await tx.query(waitOn);
    // What a migration changes last.
    await tx.query(`select from ${schema}_queue.version for update`);
    let waiting: Promise<unknown> | undefined;
    // Until the caller waits for it, the migration waits for another transaction, which is no deadlock.
    await another.transaction(async (gate) => {
      await gate.query(waitOn);
      await gate.query(`select from ${schema}_queue.job_common`);
      migrating = migrate(store, { databaseSchema: schema });
      const locked = await until('the migration waits with a lock', async () => {
        const [row] = await rowsOf<{ name: string }>(
          sql,
          `select held.relation::regclass::text as name from pg_locks as held
           join pg_locks as wanted on wanted.pid = held.pid and not wanted.granted
           join pg_class as class on class.oid = held.relation and class.relkind in ('r', 'p')
           where held.granted and held.mode = 'AccessExclusiveLock' and held.relation <> wanted.relation limit 1`,
        );
        return row?.name;
      });
      waiting = tx.query(`select from ${locked}`);
      await until('the caller waits for that lock', async () => {
        const [row] = await rowsOf<{ count: number }>(
          sql,
          `select count(*)::int from pg_locks where not granted and relation = '${locked}'::regclass`,
        );
        return row?.count;
      });
    });
    await waiting;
  });
  await another.close();
  await migrating;
  await store.close();
  await withQueue(scene, newest, async (queue) => {
    expect(await queue.isReady()).toBe(true);
  });
});

onPostgres('takes tokens up to the longest that is accepted', async ({ open, service }) => {
  // Bytes that compress badly, as an index stores them.
  let longest = '';
  for (let number = 0; longest.length < 2_600; number++) longest += Math.sin(number).toString(36).slice(2);
  longest = longest.slice(0, 2_600);
  service.addOrder({ token: longest } as never);
  const outbox = await open();
  await outbox.enqueue(longest, step(1));
  await outbox.drain();
  expect(stepsApplied(service, longest)).toEqual([1]);
});

test('no statement of ours names a table of pg-boss', async () => {
  for (const name of await readdir(import.meta.dirname)) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const text = await readFile(`${import.meta.dirname}/${name}`, 'utf8');
    expect(text, name).not.toMatch(/_queue\.|job_common|pgboss\./);
  }
});
