import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import pg from 'pg';
import { expect, test } from 'vitest';
import { testPassword } from '../../../../.ci/start-postgres.ts';
import { onPostgres, step, stepsApplied } from '../../test/scene.ts';
import { createOutbox } from '../create-outbox.ts';
import { OutboxError } from '../outbox-error.ts';
import { postgresStore } from './postgres-store.ts';

/** Everything that a log would show of an error. */
function shown(error: unknown): string {
  return `${error} ${inspect(error, { depth: 8, showHidden: true })} ${JSON.stringify(error)}`;
}

onPostgres('says in one line, without the password, why a database cannot be used', async (scene) => {
  const { client, postgres, schema } = scene;
  const right = new URL(postgres.connectionString);
  const wrong = (change: (url: URL) => void): string => {
    const url = new URL(right);
    change(url);
    return url.href;
  };
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const address = closed.address();
  const port = typeof address === 'object' && address ? `${address.port}` : '';
  await new Promise((resolve) => closed.close(resolve));
  const cases = [
    [wrong((url) => Object.assign(url, { port })), 'ECONNREFUSED'],
    [wrong((url) => Object.assign(url, { password: 'not-this-one' })), 'password authentication failed'],
    [wrong((url) => Object.assign(url, { pathname: '/nowhere' })), 'database "nowhere" does not exist'],
  ] as const;
  for (const [connectionString, reason] of cases) {
    const store = postgresStore({ connectionString });
    const error = await createOutbox({ client, store, schema, warn() {} }).catch((thrown: unknown) => thrown);
    if (!(error instanceof OutboxError)) throw new Error('it was opened');
    expect(error.code).toBe('database_unusable');
    expect(error.message).toContain(reason);
    expect(error.message).toContain(`PostgreSQL at 127.0.0.1:${new URL(connectionString).port}`);
    expect(error.message).not.toContain('\n');
    expect(shown(error)).not.toContain(testPassword);
    expect(shown(error)).not.toContain('not-this-one');
  }
});

test.for([
  `postgres://user:${testPassword}@host:port/name`,
  `postgres://user:${testPassword}@[/name`,
  'postgres://user:secret/word@host/name',
  'hello',
  'mysql://user:secret-word@host/name',
])('refuses a connection string that is none, and shows nothing of it: %s', (connectionString) => {
  let thrown: unknown;
  try {
    const store = postgresStore({ connectionString });
    expect(store.place).not.toMatch(/word|horse/);
    void store.close();
  } catch (error) {
    thrown = error;
    expect(error).toBeInstanceOf(TypeError);
  }
  expect(shown(thrown)).not.toContain('secret');
});

test('takes either a connection string or a pool', () => {
  expect(() => postgresStore({})).toThrow(TypeError);
  expect(() => postgresStore(undefined as never)).toThrow('either connectionString or pool');
});

onPostgres('shares a pool of the caller, and leaves it open', async ({ open, service, postgres, token }) => {
  const pool = new pg.Pool({ connectionString: postgres.connectionString });
  try {
    const outbox = await open({ store: postgresStore({ pool }) });
    await outbox.enqueue(token, step(1));
    await outbox.work();
    await outbox.drain();
    await outbox.close();
    expect(stepsApplied(service, token)).toEqual([1]);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
  }
});

onPostgres(
  'opens two outboxes at once on a pool of two connections',
  async ({ open, postgres, schema, sql }) => {
    const pool = new pg.Pool({ connectionString: postgres.connectionString, max: 2 });
    try {
      const outboxes = await Promise.all(
        ['_one', '_two'].map((end) => open({ schema: schema + end, store: postgresStore({ pool }) })),
      );
      await Promise.all(outboxes.map((outbox) => outbox.close()));
    } finally {
      await pool.end();
      for (const end of ['_one', '_two', '_one_queue', '_two_queue'])
        await sql.query(`drop schema if exists ${schema}${end} cascade`);
    }
  },
);

onPostgres('accepts updates of one order at once, whatever the isolation of the pool is', async (scene) => {
  const { open, postgres, token } = scene;
  const options = '-c default_transaction_isolation=serializable';
  const pool = new pg.Pool({ connectionString: postgres.connectionString, options });
  try {
    const outbox = await open({ store: postgresStore({ pool }) });
    await Promise.all(Array.from({ length: 40 }, (_, number) => outbox.enqueue(token, step(number))));
    expect(await outbox.counts()).toMatchObject({ queued: 40 });
    await outbox.close();
  } finally {
    await pool.end();
  }
});

onPostgres(
  'lets no transaction stand still for long, and no other setting of the pool change',
  async (scene) => {
    const pool = new pg.Pool({ connectionString: scene.postgres.connectionString, max: 2 });
    const store = postgresStore({ pool });
    try {
      const shown = 'show idle_in_transaction_session_timeout';
      const within = await store.transaction((tx) => tx.query(shown));
      expect(within.rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }]);
      expect((await pool.query(shown)).rows).toEqual([{ idle_in_transaction_session_timeout: '0' }]);
      const lost = store.transaction(async (tx) => {
        await tx.query("set local idle_in_transaction_session_timeout = '50ms'");
        await delay(500);
        await tx.query('select 1');
      });
      await expect(lost).rejects.toThrow();
      expect((await store.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    } finally {
      await store.close();
      await pool.end();
    }
  },
);

onPostgres('lets several processes make the tables at once', async ({ open, service, token }) => {
  const outboxes = await Promise.all([open(), open(), open(), open()]);
  await Promise.all(outboxes.map((outbox) => outbox.work()));
  await Promise.all(outboxes.map((outbox, place) => outbox.enqueue(token, step(place))));
  await outboxes[0]?.drain();
  expect(stepsApplied(service, token).toSorted()).toEqual([0, 1, 2, 3]);
});

onPostgres('opens without the right to make tables where they are made', async (scene) => {
  const { open, postgres, schema, sql, token, reaches } = scene;
  await open();
  const user = `plain_${schema}`;
  await sql.query(`create role ${user} login password 'plain'`);
  for (const name of [schema, `${schema}_queue`]) {
    await sql.query(`grant usage on schema ${name} to ${user}`);
    await sql.query(`grant all on all tables in schema ${name} to ${user}`);
    await sql.query(`grant all on all sequences in schema ${name} to ${user}`);
  }
  const url = new URL(postgres.connectionString);
  Object.assign(url, { username: user, password: 'plain' });
  const plain = await open({ store: postgresStore({ connectionString: url.href }) });
  await plain.work();
  await reaches(plain, await plain.enqueue(token, step(1)), 'applied');
});

onPostgres('refuses tables that a newer release made', async ({ open, sql, schema }) => {
  await open();
  await sql.query(`update ${schema}.version set version = 99`);
  await expect(open()).rejects.toMatchObject({ code: 'newer_tables' });
});
