import { connect, createServer } from 'node:net';
import process from 'node:process';
import { inspect } from 'node:util';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { testPassword } from '../../../.ci/start-postgres.ts';
import { onPostgres, openPool, step, stepsApplied, until } from '../test/scene.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { postgresStore } from './postgres-store.ts';
import { rowsOf, type Sql } from './store.ts';

test.for([
  `postgres://user:${testPassword}@host:port/name`,
  `postgres://user:${testPassword}@[/name`,
  'postgres://user:secret/word@host/name',
  'hello',
  'mysql://user:secret-word@host/name',
])('shows nothing of a wrong connection string: %s', (connectionString) => {
  let shown: unknown;
  try {
    const store = postgresStore({ connectionString });
    shown = store.place;
    void store.close();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    shown = `${error} ${inspect(error, { depth: 8, showHidden: true })}`;
  }
  expect(shown).not.toMatch(/secret|horse|\/word/);
});

onPostgres('shares a pool of the caller, and leaves it open', async ({ open, service, postgres, token }) => {
  // Its only connection is taken while the outbox works.
  const pool = openPool({ connectionString: postgres.connectionString, max: 1 });
  try {
    const outbox = await open({ store: postgresStore({ pool }) });
    await outbox.start();
    await outbox.enqueue(token, step(1));
    const client = await pool.connect();
    await until('it is applied', () => stepsApplied(service, token).length === 1);
    client.release();
    await outbox.close();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
  }
});

interface Statement {
  readonly text: string;
  readonly query_timeout?: number;
}

/** A class of clients that notes how each is made, and what it is to run. */
function recordClients() {
  const configs: pg.ClientConfig[] = [];
  const statements: Statement[] = [];
  class Client extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      super(config);
      configs.push(config);
    }
    override query(...[statement, ...rest]: unknown[]): never {
      const given = statement as Statement;
      statements.push(given);
      // As a network that has frozen.
      const sent = /pg_sleep/.test(given.text) ? { ...given, query_timeout: 1 } : given;
      return (super.query as (...args: unknown[]) => unknown).call(this, sent, ...rest) as never;
    }
  }
  return { Client, configs, statements };
}

onPostgres('bounds what it waits for, where a pool does not', async ({ postgres: { connectionString } }) => {
  const usual = { query_timeout: 60_000, connectionTimeoutMillis: 10_000 };
  const none = { query_timeout: 0, connectionTimeoutMillis: 0 };
  const own = { query_timeout: 34_567, connectionTimeoutMillis: 12_345 };
  for (const [given, expected] of [[{}, usual] as const, [none, usual] as const, [own, own] as const]) {
    const { Client, configs, statements } = recordClients();
    const pool = openPool({ connectionString, Client, ...given });
    const store = postgresStore({ pool });
    try {
      await store.executeSql('select 1');
      expect(configs).toEqual([expect.objectContaining({ keepAlive: true, ...expected })]);
      statements.length = 0;
      await store.query('select 1', []);
      await expect(store.transaction((tx) => tx.query('no statement'))).rejects.toThrow('syntax error');
      expect(statements.map(({ text }) => text.split(/\s/, 1)[0])).toEqual([
        'begin',
        'select',
        'commit',
        'begin',
        'no',
        'rollback',
      ]);
      for (const each of statements) expect(each.query_timeout).toBe(expected.query_timeout);
    } finally {
      await store.close();
      await pool.end();
    }
  }
});

onPostgres('sends nothing more on a connection whose network has lost a statement', async (scene) => {
  const { connectionString } = scene.postgres;
  const { Client, statements } = recordClients();
  const pool = openPool({ connectionString, Client, max: 1 });
  const store = postgresStore({ pool });
  const lost = 'select pg_sleep(10)';
  try {
    const goesOn = async (tx: Sql) => {
      await tx.query(lost).catch(() => {});
      await tx.query('select 1').catch(() => {});
    };
    const fails = (tx: Sql) => tx.query(lost);
    for (const run of [
      () => store.transaction(goesOn),
      () => store.transaction(fails),
      () => store.query(lost),
    ]) {
      await expect(run()).rejects.toThrow('did not respond to a statement within 60 s');
      expect(pool.totalCount).toBe(0);
    }
    // Neither repeats it on another connection.
    expect(statements.filter(({ text }) => !text.startsWith('begin'))).toMatchObject(
      Array.from({ length: 3 }, () => ({ text: lost })),
    );
  } finally {
    await store.close();
    await pool.end();
  }
});

/** Calls that use a connection each, and that report its failure as it is. */
const callsOf = (outbox: Outbox, id: string, token: string) => ({
  get: () => outbox.get(id),
  list: () => outbox.list(),
  history: () => outbox.history(token),
  counts: () => outbox.counts(),
  changes: () => outbox.changes(),
  resume: () => outbox.resume(),
  discard: () => outbox.discard(id),
  purge: () => outbox.purge({ token }),
});

onPostgres(
  'fails each call within a bound, and says why, where the pool of the caller is used up',
  async (scene) => {
    const { open, postgres, token } = scene;
    const pool = openPool({ connectionString: postgres.connectionString, max: 2 });
    const held: pg.PoolClient[] = [];
    try {
      const outbox = await open({ store: postgresStore({ pool }) });
      const id = await outbox.enqueue(token, step(1));
      for (let count = 0; count < 2; count++) held.push(await pool.connect());
      const enqueue = () => outbox.enqueue(token, step(2));
      const calls = {
        ...callsOf(outbox, id, token),
        restored: () => outbox.restored(),
        'enqueue for one order, many times': () => Promise.all(Array.from({ length: 50 }, enqueue)),
      };
      const settled = Object.entries(calls).map(async ([name, call]) =>
        expect(call(), name).rejects.toMatchObject({
          code: 'database_unusable',
          message: expect.stringMatching(/all 2 connections of its pool are in use/),
        }),
      );
      await Promise.all(settled);
      for (const client of held.splice(0)) client.release();
      expect(await outbox.history(token)).toHaveLength(1);
      expect(pool.waitingCount).toBe(0);
    } finally {
      for (const client of held) client.release();
      await pool.end();
    }
  },
);

onPostgres('queues a burst before the pool, whose timeout is for connecting alone', async (scene) => {
  const pool = openPool({ connectionString: scene.postgres.connectionString, max: 2 });
  const store = postgresStore({ pool });
  try {
    // The pool's timeout applies to a call that waits in it. A pool hands out an idle connection in the next tick.
    const waiting: number[] = [];
    const look = () => setImmediate(() => waiting.push(pool.waitingCount));
    const watched = <Result>(result: Promise<Result>): Promise<Result> => {
      look();
      return result.finally(look);
    };
    const queries = Array.from({ length: 50 }, () => watched(store.query('select pg_sleep(0.01)')));
    const transactions = Array.from({ length: 50 }, (_, number) =>
      watched(store.transaction(async () => number)),
    );
    const many = Array.from({ length: 50 }, () => watched(store.executeSql('select pg_sleep(0.01)')));
    expect(await Promise.all(transactions)).toEqual(Array.from({ length: 50 }, (_, number) => number));
    expect(await Promise.all([...queries, ...many])).toHaveLength(100);
    expect(Math.max(...waiting)).toBe(0);
    expect(pool.totalCount).toBe(2);
  } finally {
    await store.close();
    await pool.end();
  }
});

onPostgres('lets a transaction of the caller wait for an order that another one holds', async (scene) => {
  const { open, openStore, token, schema } = scene;
  const store = await openStore();
  const outbox = await open({ store });
  // PostgreSQL itself ends the first one, while this process may stand still: longer than a call waits that is run again.
  const endOnceAnotherWaits = `do $$ begin
    while not exists (
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%${schema}%' and pid <> pg_backend_pid()
    ) loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop;
    perform pg_sleep(0.3);
  end $$; commit`;
  let second: Promise<unknown> | undefined;
  await store.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
    await outbox.enqueue(token, step(1), { tx });
    second = store.transaction((other) => outbox.enqueue(token, step(1), { tx: other }));
    await tx.query(endOnceAnotherWaits);
  });
  await second;
  expect(await outbox.history(token)).toHaveLength(2);
});

onPostgres('lets no transaction stand still for long, and changes no setting of a session', async (scene) => {
  const pool = openPool({ connectionString: scene.postgres.connectionString, max: 1 });
  const store = postgresStore({ pool });
  try {
    const shown = `select name, setting from pg_settings
      where name in ('idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout', 'enable_seqscan') order by name`;
    const before = (await pool.query(shown)).rows;
    const within = await store.transaction((tx) => tx.query(shown), {
      settings: 'set local enable_seqscan = off',
    });
    expect(within.rows).toEqual([
      { name: 'enable_seqscan', setting: 'off' },
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '3000' },
      { name: 'statement_timeout', setting: '50000' },
    ]);
    expect((await pool.query(shown)).rows).toEqual(before);
    const standStill = async (tx: Sql) => {
      const [session] = await rowsOf<{ pid: number }>(tx, 'select pg_backend_pid() as pid');
      await tx.query("set local idle_in_transaction_session_timeout = '50ms'");
      await until('its session has ended', async () => {
        const alive = 'select from pg_stat_activity where pid = $1';
        return (await rowsOf(scene.sql, alive, [session?.pid])).length === 0;
      });
      await tx.query('select 1');
    };
    const lost = store.transaction(standStill, { worker: true });
    await expect(lost).rejects.toMatchObject({
      code: '25P03',
      message: expect.stringContaining('idle-in-transaction timeout'),
    });
    let attempts = 0;
    const repeated = store.transaction(async (tx) => {
      if (++attempts < 3) await standStill(tx);
      return attempts;
    });
    expect(await repeated).toBe(3);
    attempts = 0;
    const always = store.transaction((tx) => {
      attempts++;
      return standStill(tx);
    });
    await expect(always).rejects.toMatchObject({ code: '25P03' });
    expect(attempts).toBe(3);
    expect((await store.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await store.close();
    await pool.end();
  }
});

/** A statement, and one that brings a transaction of its own, as those of pg-boss do. */
const bothOf = (statement: string) => [statement, `\n  BEGIN;\n ${statement};\n COMMIT;\n`];

onPostgres('takes nothing that a role, a database or a connection sets for its sessions', async (scene) => {
  const { postgres } = scene;
  const hostile = {
    default_transaction_isolation: 'serializable',
    default_transaction_deferrable: 'on',
    statement_timeout: '5s',
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: '5s',
  };
  const names = ['transaction_isolation', ...Object.keys(hostile).slice(2), 'transaction_timeout'];
  const expected = ['read committed', '50s', '10s', '10s', '0'];
  const hasTimeout = await postgres.query(`select from pg_settings where name = 'transaction_timeout'`);
  const given = { ...hostile, ...(hasTimeout.length > 0 && { transaction_timeout: '5s' }) };
  const setBy = {
    async database() {
      const url = await postgres.createDatabase();
      for (const [name, value] of Object.entries(given))
        await postgres.query(`alter database "${new URL(url).pathname.slice(1)}" set ${name} = '${value}'`);
      return url;
    },
    async options() {
      const url = new URL(await postgres.createDatabase());
      const options = Object.entries(given).map(([name, value]) => `-c ${name}=${value}`);
      url.searchParams.set('options', options.join(' '));
      return url.href;
    },
  };
  const shown = `select ${names.map((name) => `coalesce(current_setting('${name}', true), '0') as ${name}`).join(', ')}`;
  const valuesOf = ({ rows }: { readonly rows: unknown[] }) =>
    rows.flatMap((row) => Object.values(row ?? {}));
  for (const make of Object.values(setBy)) {
    const connectionString = await make();
    const pool = openPool({ connectionString, max: 1 });
    try {
      for (const store of [postgresStore({ connectionString }), postgresStore({ pool })]) {
        for (const text of bothOf(shown)) expect(valuesOf(await store.executeSql(text))).toEqual(expected);
        expect(valuesOf(await store.transaction((tx) => tx.query(shown), { worker: true }))).toEqual(
          expected,
        );
        expect(valuesOf(await store.query(shown))).toEqual(expected.with(2, '3s'));
        await store.close();
      }
    } finally {
      await pool.end();
    }
  }
});

onPostgres(
  'waits for a row that another session changes, and sees the change, at any isolation',
  async (scene) => {
    const { newSchema: name, postgres } = scene;
    const url = new URL(postgres.connectionString);
    url.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const store = postgresStore({ connectionString: url.href });
    const other = new pg.Client(postgres.connectionString);
    await other.connect();
    try {
      await other.query(`create table ${name} (n integer); insert into ${name} values (0)`);
      for (const text of bothOf(`update ${name} set n = n + 1`)) {
        await other.query(`begin; update ${name} set n = n + 10`);
        const changed = store.executeSql(text);
        await until('it waits', async () => {
          const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%${name}%'`;
          return (await postgres.query(waiting)).length > 0;
        });
        await other.query('commit');
        await changed;
      }
      expect((await other.query(`select n from ${name}`)).rows).toEqual([{ n: 22 }]);
    } finally {
      await other.query(`rollback; drop table if exists ${name}`);
      await other.end();
      await store.close();
    }
  },
);

onPostgres('says what to do where a database takes no writes', async ({ postgres, schema }) => {
  const url = new URL(postgres.connectionString);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const opening = createOutbox({
    store: postgresStore({ connectionString: url.href }),
    databaseSchema: schema,
  });
  await expect(opening).rejects.toMatchObject({
    code: 'database_unusable',
    message: expect.stringMatching(/read-only transaction.*reset default_transaction_read_only/),
  });
});

onPostgres(
  'throws what a transaction fails with, whatever one of its statements failed with before',
  async (scene) => {
    const store = await scene.openStore();
    for (const state of ['08001', '57P01', '25P03', '22012'])
      await expect(
        store.transaction(async (tx) => {
          await tx.query('savepoint own');
          // As an extension reports another server that is away.
          const failing = `do $$ begin raise exception 'away' using errcode = '${state}'; end $$`;
          await tx.query(failing).catch(() => tx.query('rollback to savepoint own'));
          throw new Error('of the caller');
        }),
      ).rejects.toThrow('of the caller');
  },
);

onPostgres('listens again after its connection broke', async ({ openStore, postgres, sql }) => {
  const store = await openStore();
  let messages = 0;
  const subscription = await store.listen('some_channel', () => {
    messages++;
  });
  try {
    expect(subscription.isListening).toBe(true);
    await sql.query(`notify some_channel`);
    await until('it was heard', () => messages === 2);
    await postgres.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen "some_channel"'`,
    );
    await until('it listens again', () => messages === 3 && subscription.isListening);
    await sql.query(`notify some_channel`);
    await until('it was heard', () => messages === 4);
  } finally {
    await subscription.close();
    await store.close();
  }
});

/** Passes bytes on, and sends the message of a server that shuts down right behind the one that it is ready. */
async function startEndingRelay(connectionString: string): Promise<{ readonly url: string; close(): void }> {
  const { hostname, port } = new URL(connectionString);
  const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const fatal = Buffer.from(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`, 'latin1');
  const server = createServer((client) => {
    const database = connect(Number(port), hostname).on('error', () => {});
    client.on('error', () => {}).pipe(database);
    database.on('data', (chunk) => {
      if (!chunk.includes(ready)) return void client.write(chunk);
      client.end(Buffer.concat([chunk, fatal]));
      database.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(connectionString);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return { url: url.href, close: () => server.close() };
}

onPostgres('survives a server that shuts down just as it opens a connection', async ({ postgres }) => {
  const relay = await startEndingRelay(postgres.connectionString);
  const pool = new pg.Pool({ connectionString: relay.url });
  const uncaught = vi.fn();
  process.on('uncaughtExceptionMonitor', uncaught);
  try {
    for (const store of [postgresStore({ connectionString: relay.url }), postgresStore({ pool })]) {
      for (const worker of [false, true])
        await expect(store.transaction(async () => {}, { worker })).rejects.toThrow();
      await expect(store.query('select 1')).rejects.toThrow();
      await expect(store.executeSql('select 1')).rejects.toThrow();
      await store.close();
    }
    expect(uncaught).not.toHaveBeenCalled();
  } finally {
    process.off('uncaughtExceptionMonitor', uncaught);
    await pool.end();
    relay.close();
  }
});

onPostgres('says that another session holds a table, whatever is called', async (scene) => {
  const { open, schema, postgres, token } = scene;
  // Its owner gives it no bound: no call may keep one of its connections until the lock is gone.
  const pool = openPool({ connectionString: postgres.connectionString, max: 20 });
  const holder = new pg.Client({ connectionString: postgres.connectionString });
  await holder.connect();
  try {
    const outbox = await open({ store: postgresStore({ pool }) });
    const id = await outbox.enqueue(token, step(1));
    const calls = {
      ...callsOf(outbox, id, token),
      status: () => outbox.status(),
      enqueue: () => outbox.enqueue(token, step(2)),
    };
    await holder.query(`begin; lock table ${schema}.updates, ${schema}.limits in access exclusive mode`);
    const settled = Object.entries(calls).map(async ([name, call]) =>
      expect(call(), name).rejects.toMatchObject({
        code: 'order_locked',
        message: expect.stringContaining('pg_locks show who holds it'),
      }),
    );
    await Promise.all(settled);
    await holder.query('rollback');
    expect(await outbox.get(id)).toMatchObject({ state: 'queued' });
    expect(await outbox.history(token)).toHaveLength(1);
  } finally {
    await holder.end();
    await pool.end();
  }
});
