import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { createOrdersClient, type OrdersClientOptions } from '@orders/client';
import { type Outbox, type OutboxStore, postgresStore, requiredGrants } from '@orders/outbox';
import { expect } from 'vitest';
import { onBoth, onPostgres, type Scene, step, until } from '../scene.ts';

/** How long an update may be due and unmoved here, in milliseconds, instead of 30 s. */
const stallMs = 1_500;

/** Statements that a person with psql may run, `U`, `J`, `L` and `O` standing for the tables and the order, and `TOKEN` for its token. */
const statements: Readonly<Record<string, string>> = {
  'a job that is blocked': `update J set blocked = true where O`,
  'a job that starts never': `update J set start_after = 'infinity' where O`,
  'a clock that was set back by an hour': `update J set start_after = now() + interval '1 hour'; update U set created_at = created_at + interval '1 hour'`,
  'a clock that was set ahead by an hour': `update U set created_at = created_at - interval '1 hour'`,
  'a job that was cancelled': `update J set state = 'cancelled' where O`,
  'a job that was completed': `update J set state = 'completed' where O`,
  'a job that failed': `update J set state = 'failed' where O`,
  'a job that was deleted': `delete from J where O`,
  'all jobs deleted': `delete from J`,
  'a job held by no worker': `update J set state = 'active', heartbeat_on = now() + interval '1 day', started_on = now() where O`,
  'an unknown state': `update U set state = 'lost' where token = 'TOKEN'`,
  'a settled state that is open': `update U set state = 'applied' where token = 'TOKEN'`,
  'a body that is null': `update U set body = null where token = 'TOKEN'`,
  'a body that is no JSON': `update U set body = '{' where token = 'TOKEN'`,
  'a body that is a number': `update U set body = '7' where token = 'TOKEN'`,
  'a negative position': `update U set position = -position where token = 'TOKEN'`,
  'too many attempts': `update U set attempts = 2147483647, failures = 2147483647 where token = 'TOKEN'`,
  'no time of acceptance': `update U set created_at = '-infinity' where token = 'TOKEN'`,
  'an endless time of acceptance': `update U set created_at = 'infinity' where token = 'TOKEN'`,
  'a claim of no worker': `update U set claim = 'none' where token = 'TOKEN'`,
  'a delay without an end': `update U set due_at = 'infinity' where token = 'TOKEN'; update J set start_after = 'infinity' where O`,
  'a delay for an unknown reason': `update U set held_by = 'moon', due_at = now() + interval '1 day' where token = 'TOKEN'; update J set start_after = now() + interval '1 day' where O`,
  'a row that is being sent by no worker': `update U set state = 'sending', claim = 'none', sending_at = now() - interval '1 hour' where token = 'TOKEN'`,
  'a lane that is gone': `delete from L where token = 'TOKEN'`,
  'a lane and a job that are gone': `delete from L where token = 'TOKEN'; delete from J where O`,
  'a pause without an end': `update S.limits set until = 'infinity' where name = 'pause'`,
  'a rate without an end': `update S.limits set until = 'infinity' where name = 'rate'`,
  'limits that cannot be read': `update S.limits set data = '{"state'`,
  'a state of the service that is unknown': `update S.limits set data = '{"state":"moon"}' where name = 'service'`,
  'no limits': `delete from S.limits`,
  'a worker that never ends': `insert into S.limits (name, until, data) values ('worker:x', 'infinity', '[')`,
};

/** Settings of a role, and rights that it lacks. */
const roles: Readonly<Record<string, (role: string, schema: string) => string>> = {
  'a short statement_timeout': (role) => `alter role ${role} set statement_timeout = '200ms'`,
  'a short lock_timeout': (role) => `alter role ${role} set lock_timeout = '1ms'`,
  'serializable transactions': (role) =>
    `alter role ${role} set default_transaction_isolation = 'serializable'`,
  'a search_path to nowhere': (role) => `alter role ${role} set search_path = 'nowhere'`,
  'German dates': (role) => `alter role ${role} set datestyle = 'German, DMY'`,
  'intervals of the standard': (role) => `alter role ${role} set intervalstyle = 'sql_standard'`,
  'few digits': (role) => `alter role ${role} set extra_float_digits = -15`,
  'a short transaction_timeout': (role) => `alter role ${role} set transaction_timeout = '100ms'`,
  'idle transactions that end at once': (role) =>
    `alter role ${role} set idle_in_transaction_session_timeout = '1ms'`,
  'repeatable reads': (role) => `alter role ${role} set default_transaction_isolation = 'repeatable read'`,
  'arrays without nulls': (role) => `alter role ${role} set array_nulls = off`,
  'nulls that equal': (role) => `alter role ${role} set transform_null_equals = on`,
  'another encoding of the client': (role) => `alter role ${role} set client_encoding = 'LATIN1'`,
  'a connection limit of one': (role) => `alter role ${role} connection limit 1`,
  'row security off': (role) => `alter role ${role} set row_security = off`,
  'transactions that only read': (role) => `alter role ${role} set default_transaction_read_only = on`,
  'no right to change updates': (role, schema) => `revoke update on ${schema}.updates from ${role}`,
  'no right to change limits': (role, schema) => `revoke update, insert on ${schema}.limits from ${role}`,
  'no right to lock lanes': (role, schema) => `revoke update on ${schema}.lanes from ${role}`,
};

let made = 0;

/** How a client of the user may behave. */
const clients: Readonly<Record<string, Partial<OrdersClientOptions>>> = {
  'credentials that throw': {
    apiKey: () => {
      throw new Error('no vault');
    },
  },
  'credentials that never come': { apiKey: () => new Promise(() => {}), timeouts: { total: 2_000 } },
  'a hook that never ends': { beforeAttempt: () => new Promise(() => {}), timeouts: { total: 2_000 } },
  'a hook that throws': {
    beforeSend: () => {
      throw new Error('no');
    },
  },
  'a rate of one call an hour': { rateLimit: { requestsPerSecond: 1 / 3_600 } },
};

/** Drains, and expects that each update was sent, waits for a person, or is named with what holds it. */
async function expectLiveness(
  scene: Scene,
  name: string,
  { change, store, client }: { change?: string; store?: OutboxStore; client?: Scene['client'] },
): Promise<void> {
  const { open, sql, schema, service, token } = scene;
  const [, other = ''] = service.orders.map((order) => order.token);
  const watcher = await open({}, stallMs);
  const ids = [await watcher.enqueue(token, step(1)), await watcher.enqueue(token, step(2))];
  const free = await watcher.enqueue(other, step(3));
  const names = { S: schema, U: `${schema}.updates`, L: `${schema}.lanes`, J: `${schema}_queue.job_common` };
  for (const each of change?.split(';') ?? []) {
    const text = each.replaceAll('TOKEN', token).replace(/\bO\b/g, `singleton_key = '${token}'`);
    await sql.query(text.replace(/\b[SULJ]\b/g, (name) => names[name as keyof typeof names]));
  }
  const rate = { perSecond: 1_000 };
  let outbox: Outbox;
  try {
    // As usual: a delay of some ms is over before it is read.
    const maxRetryDelayMs = 60_000;
    outbox = await open(
      { rate, maxRetryDelayMs, ...(store && { store }), ...(client && { client }) },
      stallMs,
    );
  } catch (error) {
    // What nothing could be done with is one clear error.
    expect(error).toMatchObject({ code: 'database_unusable' });
    note(scene, name, String((error as Error).message));
    return;
  }
  await outbox.start();
  await outbox.drain();
  const all = [...ids, free];
  const found = await until('each update is settled or named, one by one and by reason', async () => {
    const updates = await Promise.all(all.map((id) => outbox.get(id)));
    const reasons = (await outbox.status()).held.map(({ reason }) => reason);
    const isNamed = updates.every((update) => {
      const isWaiting = update?.state === 'queued' || update?.state === 'sending';
      const { reason = 'backlog', message = '' } = update?.heldBy ?? {};
      const isPassing = reason === 'backlog' || message.includes('not reached the service yet');
      return !isWaiting || (!isPassing && reasons.includes(reason));
    });
    return isNamed && updates;
  });
  await outbox.drain();
  if (found.some((update) => update?.heldBy?.reason === 'stalled')) {
    expect(scene.warnings.filter((warning) => warning.startsWith('The outbox stalls'))).toHaveLength(1);
    expect((await outbox.drain()).problem).toContain('The outbox stalls');
    await until('its worker says so', async () => {
      const [worker] = (await outbox.status()).workers;
      return worker?.problem?.startsWith('The outbox stalls');
    });
  }
  note(scene, name, found.map((update) => update?.heldBy?.reason ?? update?.state).join(', '));
}

/** Writes a line of the table of what came of each condition, where that is wanted. */
function note({ engine }: Scene, name: string, end: string): void {
  const file = process.env['LIVENESS_TABLE'];
  if (file) appendFileSync(file, `${engine} | ${name} | ${end}\n`);
}

for (const [name, change] of Object.entries(statements))
  onBoth(`sends what is due, or says what holds it: ${name}`, (scene) =>
    expectLiveness(scene, name, { change }),
  );

for (const [name, options] of Object.entries(clients))
  onBoth(`sends what is due, or says what holds it: ${name}`, async (scene) => {
    const { service } = scene;
    const key = 'apiKey' in options ? {} : { apiKey: service.key };
    const client = createOrdersClient({ baseUrl: service.url, ...key, ...options } as OrdersClientOptions);
    await expectLiveness(scene, name, { client });
    await client.destroy();
  });

for (const [name, alter] of Object.entries(roles))
  onPostgres(`sends what is due, or says what holds it: ${name}`, async (scene) => {
    const { open, sql, schema, postgres } = scene;
    await open();
    const role = `hostile_${++made}`;
    await sql.query(`create role ${role} login password 'plain'`);
    for (const grant of requiredGrants(schema, role)) await sql.query(grant);
    await sql.query(alter(role, schema));
    const url = new URL(postgres.connectionString);
    Object.assign(url, { username: role, password: 'plain' });
    try {
      await expectLiveness(scene, name, { store: postgresStore({ connectionString: url.href }) });
    } finally {
      await sql.query(`drop owned by ${role}`).catch(() => {});
    }
  });
