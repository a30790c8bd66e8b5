import { expect } from 'vitest';
import { onBothInFull, step, stepsApplied } from './scene.ts';

/** What a person with psql may leave in a job of pg-boss, as assignments of an update. */
const oddJobs: Readonly<Record<string, string>> = {
  'data that is null': `data = null`,
  'data that is the JSON null': `data = 'null'`,
  'data that is a string': `data = '"text"'`,
  'data that is a list': `data = '[1]'`,
  'data without a token': `data = '{}'`,
  'a token of another type': `data = '{"token": 7}'`,
  'a token that is null': `data = '{"token": null}'`,
  'the token of no order': `data = '{"token": "unknown"}'`,
  'the token of another order': `data = '{"token": "OTHER"}'`,
  'data of two megabytes': `data = jsonb_build_object('token', repeat('x', 2000000))`,
  'an odd priority': `priority = -2147483648`,
  'an odd heartbeat': `heartbeat_seconds = null`,
  'an expiry in the past': `expire_seconds = -5`,
  'an output': `output = '[null]'`,
};

onBothInFull('sends all, whatever a person has done to a job', async (scene) => {
  const { open, service, sql, schema, warnings } = scene;
  const outbox = await open();
  const tokens = service.orders.map(({ token }) => token).slice(0, 3);
  const [odd = '', other = ''] = tokens;
  for (const [name, set] of Object.entries(oddJobs)) {
    const applied = stepsApplied(service, odd).length;
    for (const token of tokens) await outbox.enqueue(token, step(applied));
    await sql.query(
      `update ${schema}_queue.job_common set ${set.replace('OTHER', other)} where singleton_key = '${odd}'`,
    );
    expect(await outbox.drain(), name).toEqual({ problem: undefined });
    for (const token of tokens) expect(stepsApplied(service, token).length, name).toBe(applied + 1);
    expect(await outbox.status(), name).toMatchObject({ updates: { queued: 0, needsReview: 0 }, held: [] });
  }
  expect(warnings).toEqual([]);
});

onBothInFull('puts jobs aside that belong to no order, with one warning', async (scene) => {
  const { open, service, sql, schema, warnings, token } = scene;
  const outbox = await open();
  const keyless = ['null', `'{}'`, `'"x"'`, `'{"token": "${token}"}'`];
  for (const [index, data] of keyless.entries()) {
    await sql.query(
      `insert into ${schema}_queue.job_common (name, data, policy, singleton_key)
       values ('lanes', ${data}, 'exclusive', ${index % 2 === 1 ? `''` : 'null'})`,
    );
    await outbox.enqueue(token, step(index));
    expect(await outbox.drain()).toEqual({ problem: undefined });
    expect(stepsApplied(service, token)).toHaveLength(index + 1);
  }
  expect(warnings).toEqual([expect.stringContaining('jobs that belong to no order')]);
  expect((await sql.query(`select from ${schema}_queue.job_common`)).rows).toHaveLength(0);
});

onBothInFull(
  'refuses to close an update by hand that would then never be sent, and that nothing would name',
  async (scene) => {
    const { open, sql, schema, token, service } = scene;
    const outbox = await open();
    const id = await outbox.enqueue(token, step(1));
    for (const state of ['queued', 'sending'])
      await expect(
        sql.query(`update ${schema}.updates set open = false, state = '${state}' where id = '${id}'`),
      ).rejects.toThrow('open_until_settled');
    expect(await outbox.drain()).toEqual({ problem: undefined });
    expect(stepsApplied(service, token)).toEqual([1]);
  },
);
