import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { onBothInFull, step, until } from '../test/scene.ts';
import type { Outbox } from './outbox.ts';
import type { HeldBy } from './updates.ts';

/** What holds an update, by each method that says so; all must say the same. */
async function heldBy(outbox: Outbox, id: string): Promise<HeldBy | undefined> {
  const found = await outbox.get(id);
  const { token = '' } = found ?? {};
  const listed = await outbox.list({ states: ['queued', 'sending', 'needs_review', 'rejected'], token });
  for (const others of [listed, await outbox.history(token)])
    expect(others.find((each) => each.id === id)?.heldBy?.reason).toBe(found?.heldBy?.reason);
  return found?.heldBy;
}

onBothInFull('reports what holds each update, and how many in all', async (scene) => {
  const { open, service, sql, schema, reaches } = scene;
  const outbox = await open();
  const [first = '', second = '', third = ''] = service.orders.map(({ token }) => token);
  const waiting = await outbox.enqueue(first, step(1));
  const behind = await outbox.enqueue(first, step(2));
  expect(await heldBy(outbox, waiting)).toMatchObject({
    reason: 'no_worker',
    message: expect.stringContaining('start() or drain()'),
  });
  expect(await heldBy(outbox, behind)).toMatchObject({ reason: 'no_worker', id: waiting });
  expect((await outbox.status()).held).toEqual([
    expect.objectContaining({ reason: 'no_worker', id: waiting, orders: 1, updates: 2 }),
  ]);

  // A worker of another process, which is alive and takes up nothing yet.
  const other = `insert into ${schema}.limits (name, until) values ('worker:${randomUUID()}', 'infinity')`;
  await sql.query(other);
  expect(await heldBy(outbox, waiting)).toMatchObject({ reason: 'backlog' });
  expect(await heldBy(outbox, behind)).toMatchObject({ reason: 'behind_earlier', id: waiting });
  expect((await outbox.status()).held).toEqual([
    expect.objectContaining({ reason: 'backlog', id: waiting, orders: 1, updates: 1 }),
    expect.objectContaining({ reason: 'behind_earlier', id: waiting, orders: 1, updates: 1 }),
  ]);
  await sql.query(`delete from ${schema}.limits where name like 'worker:%'`);

  service.faults.next({ type: 'status', status: 500 }, { token: first });
  await outbox.start();
  await reaches(outbox, waiting, 'needs_review');
  expect(await heldBy(outbox, waiting)).toBeUndefined();
  expect(await heldBy(outbox, behind)).toMatchObject({
    reason: 'behind_review',
    id: waiting,
    message: `It waits for a decision about the update ${waiting}.`,
  });
  expect((await outbox.status()).held).toEqual([
    expect.objectContaining({ reason: 'behind_review', id: waiting, orders: 1, updates: 1 }),
  ]);

  service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '600' } }, { token: second });
  const begunAt = Date.now();
  const paused = await outbox.enqueue(second, step(3));
  const until429 = await until('a 429 pauses all', async () => {
    const held = await heldBy(outbox, paused);
    return held?.reason === 'paused' && held;
  });
  expect(until429.until?.getTime()).toBeGreaterThanOrEqual(begunAt + 600_000);
  expect(await heldBy(outbox, await outbox.enqueue(third, step(4)))).toMatchObject({ reason: 'paused' });
  expect(await heldBy(outbox, behind)).toMatchObject({ reason: 'behind_review', id: waiting });
});

onBothInFull('says that the service, the key or a delay holds an update', async (scene) => {
  const { open, sql, schema, token } = scene;
  const outbox = await open();
  const id = await outbox.enqueue(token, step(1));
  await sql.query(`insert into ${schema}.limits (name, until) values ('worker:one', 'infinity')`);
  for (const state of ['service_unavailable', 'key_refused'] as const) {
    const health = JSON.stringify({ state, message: 'status 401', since: 0 });
    await sql.query(`update ${schema}.limits set data = $1 where name = 'service'`, [health]);
    expect(await heldBy(outbox, id)).toMatchObject({
      reason: state,
      until: expect.any(Date),
      message: expect.stringContaining('status 401'),
    });
  }
  await sql.query(`update ${schema}.limits set data = null where name = 'service'`);
  const problem = JSON.stringify({ problem: 'It has not reached the service yet.' });
  await sql.query(`update ${schema}.limits set data = $1 where name = 'worker:one'`, [problem]);
  expect(await heldBy(outbox, id)).toMatchObject({ reason: 'service_unavailable' });
  await sql.query(`delete from ${schema}.limits where name = 'worker:one'`);

  await sql.query(`insert into ${schema}.limits (name, until) values ('worker:one', 'infinity')`);
  const dueAt = Date.now() + 3_600_000;
  await sql.query(`update ${schema}.updates set code = 'timeout', due_at = $2::timestamptz where id = $1`, [
    id,
    new Date(dueAt).toISOString(),
  ]);
  const askedAt = Date.now();
  const held = await heldBy(outbox, id);
  expect(held).toMatchObject({ reason: 'backing_off' });
  // The database says how long it is until then, and each of two clocks is read in whole milliseconds.
  const lateMs = Number(held?.until) - dueAt;
  expect(lateMs).toBeGreaterThan(-2);
  expect(lateMs).toBeLessThanOrEqual(Date.now() - askedAt + 1);
  expect((await outbox.status()).held).toEqual([
    expect.objectContaining({ reason: 'backing_off', id, orders: 1, updates: 1 }),
  ]);
});
