import { expect } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { connect, onPostgres, step, stepsApplied, until } from './scene.ts';

const concurrency = 8;
/** Many more than a worker has places. */
const count = inFull ? 2_000 : 80;

onPostgres(
  'sends a free order at once beside many that a caller has locked, and thousands in full',
  async (scene) => {
    const { open, service, postgres, sql, schema, token } = scene;
    const outbox = await open({ concurrency });
    const locked = Array.from({ length: count }, (_, index) => `locked-${index}`);
    for (const each of locked) service.addOrder({ token: each } as never);
    await outbox.enqueue(locked[0] ?? '', step(0));
    // The same rows as enqueue makes, for all at once.
    await sql.query(
      `with lane as (insert into ${schema}.lanes (token, last) select token, 1 from unnest($1::text[]) as given (token) returning token)
     insert into ${schema}.updates (id, token, position, accepted_position, body, state)
     select gen_random_uuid(), token, 1, 1, '{"cart":{"items":[]}}', 'queued' from lane`,
      [locked.slice(1)],
    );
    await sql.query(
      `insert into ${schema}_queue.job_common (name, policy, singleton_key, retry_limit, heartbeat_seconds, expire_seconds, keep_until)
     select 'lanes', 'exclusive', token, 2147483647, 10, 86400, 'infinity' from unnest($1::text[]) as given (token)`,
      [locked.slice(1)],
    );
    await using client = await connect(postgres);
    await client.query(`begin; select from ${schema}.lanes for update`);
    await outbox.start();
    const allHeld = await until('all locked orders are named', async () => {
      const held = (await outbox.status()).held.find(({ reason }) => reason === 'locked_by_caller');
      return held?.orders === count && held;
    });
    expect(allHeld).toMatchObject({ updates: count, until: expect.any(Date) });
    const id = await outbox.enqueue(token, step(1));
    await scene.reaches(outbox, id, 'applied');
    // They stay in the queue meanwhile, so the worker does not take and return them again and again.
    const { rows } = await sql.query(
      `select extract(epoch from min(start_after - created_on))::float8 as wait from ${schema}_queue.job_common
       where state = 'created' and singleton_key = any($1)`,
      [locked],
    );
    expect(rows).toEqual([{ wait: expect.toSatisfy((wait: number) => wait >= 0.5) }]);
    expect(await outbox.drain()).toEqual({ problem: undefined });
    await client.query('rollback');
    await until('all are applied', async () => (await outbox.counts()).applied === count + 1);
    for (const each of locked) expect(stepsApplied(service, each)).toHaveLength(1);
  },
);
