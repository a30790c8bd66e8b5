import { expect } from 'vitest';
import { onBoth, onPostgres, type Scene, step, stepsApplied, until } from '../test/scene.ts';
import { markSending } from './claim.ts';
import { rowsOf } from './store/sql.ts';

async function laneOf({ sql, schema }: Scene, token: string) {
  const [lane] = await rowsOf<{ state: string; held_by: string | null }>(
    sql,
    `select state, held_by from ${schema}.lanes where token = $1`,
    [token],
  );
  return lane;
}

/** An outbox that works, in which the first update of an order was rejected, and the next is parked. */
async function rejectAndPark({ open, service, token }: Scene) {
  const outbox = await open();
  service.faults.next([
    { type: 'status', status: 422 },
    { type: 'status', status: 500 },
  ]);
  const rejected = await outbox.enqueue(token, step(1));
  const parked = await outbox.enqueue(token, step(2));
  await outbox.work();
  await outbox.drain();
  return { outbox, rejected, parked };
}

onBoth('frees a lane for the update alone that holds it', async (scene) => {
  const { service, token } = scene;
  const { outbox, rejected, parked } = await rejectAndPark(scene);
  const queued = await outbox.enqueue(token, step(3));
  await outbox.discard(rejected);
  expect(await laneOf(scene, token)).toEqual({ state: 'held', held_by: parked });
  const dropped = await outbox.enqueue(token, step(4));
  await outbox.discard(dropped);
  expect(await laneOf(scene, token)).toEqual({ state: 'held', held_by: parked });
  await outbox.drain();
  expect(await outbox.status(queued)).toMatchObject({ state: 'queued', attempts: 0 });
  await outbox.discard(parked);
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([3]);
  expect(await laneOf(scene, token)).toEqual({ state: 'idle', held_by: null });
});

onBoth('keeps a rejected update waiting that is retried behind a parked one', async (scene) => {
  const { service, token } = scene;
  const { outbox, rejected, parked } = await rejectAndPark(scene);
  await outbox.retry(rejected);
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([]);
  await outbox.retry(parked);
  await outbox.drain();
  // The parked one may have been applied, so the other was moved behind it; sent again too, it comes after that.
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});

onBoth('keeps the order of acceptance among all that are sent again', async ({ open, service, token }) => {
  const refused = { type: 'status', status: 401 } as const;
  const well = { type: 'latency', ms: 0 } as const;
  const outbox = await open();
  service.faults.next([refused, refused, well, refused]);
  for (const quantity of [1, 2, 3, 4]) await outbox.enqueue(token, step(quantity));
  await outbox.work();
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([3]);
  const sendAll = async () => {
    const listed = await outbox.listDecisions();
    const [first] = listed;
    expect(await outbox.listDecisions(100, { after: first?.id })).toEqual(listed.slice(1));
    for (const { id } of listed) await outbox.retry(id);
    await outbox.drain();
  };
  service.faults.next([refused, refused, well, refused].slice(0, 3));
  await sendAll();
  // What was moved behind and is refused once more keeps its place among those that wait.
  expect(stepsApplied(service, token)).toEqual([3, 4]);
  await sendAll();
  expect(stepsApplied(service, token)).toEqual([3, 4, 1, 2]);
  expect(await outbox.counts()).toMatchObject({ applied: 4, rejected: 0, queued: 0 });
});

onBoth(
  'sends nothing again before an earlier one of its order that waits',
  async ({ open, service, token }) => {
    const before = await open();
    service.faults.next([401, 401, 401].map((status) => ({ type: 'status', status })));
    for (const quantity of [1, 2, 3]) await before.enqueue(token, step(quantity));
    await before.work();
    await before.drain();
    await before.close();
    const outbox = await open();
    for (const { id } of await outbox.listDecisions()) await outbox.retry(id);
    await outbox.enqueue(token, step(4));
    await outbox.work();
    await outbox.drain();
    expect(stepsApplied(service, token)).toEqual([1, 2, 3, 4]);
  },
);

onBoth(
  'lists from the beginning what waits behind an update that it forgot',
  async ({ open, token, service }) => {
    const outbox = await open();
    service.faults.next({ type: 'status', status: 422 });
    const id = await outbox.enqueue(token, step(1));
    await outbox.work();
    await outbox.drain();
    const after = '00000000-0000-4000-8000-000000000000';
    expect(await outbox.listDecisions(100, { after })).toMatchObject([{ id }]);
    expect(await outbox.listDecisions(100, { after: id })).toEqual([]);
    await expect(outbox.listDecisions(100, { after: 'x' })).rejects.toThrow(TypeError);
  },
);

onBoth('leaves an idle lane behind when the last update that waits is discarded', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open();
  const id = await outbox.enqueue(token, step(1));
  await outbox.discard(id);
  expect(await laneOf(scene, token)).toEqual({ state: 'idle', held_by: null });
  await outbox.work();
  await outbox.drain();
  expect(service.journal).toEqual([]);
});

onBoth('does not decide on an update that is on its way', async ({ open, service, token, reaches }) => {
  const outbox = await open();
  service.faults.next({ type: 'latency', ms: 200 });
  await outbox.work();
  const id = await outbox.enqueue(token, step(1));
  await reaches(outbox, id, 'sending');
  await expect(outbox.discard(id)).rejects.toMatchObject({ code: 'nothing_to_decide' });
  await expect(outbox.retry(id)).rejects.toMatchObject({ code: 'nothing_to_decide' });
  await reaches(outbox, id, 'applied');
});

onBoth(
  'lets nobody send an update that was found before an earlier one came back in front of it',
  async (scene) => {
    const { open, service, token, sql, schema } = scene;
    const outbox = await open();
    service.faults.next({ type: 'status', status: 422 });
    const first = await outbox.enqueue(token, step(1));
    await outbox.work();
    await outbox.drain();
    await outbox.close();
    const later = await open();
    const id = await later.enqueue(token, step(2));
    const found = { id, passed: 0 };
    await later.retry(first);
    expect([...(await markSending(sql, schema, [{ head: found, claim: 'late' }]))]).toEqual([]);
    await later.work();
    await later.drain();
    expect(stepsApplied(service, token)).toEqual([1, 2]);
  },
);

onPostgres('waits for no row that somebody else changes when it marks', async (scene) => {
  const { open, openStore, token, sql, schema } = scene;
  const outbox = await open();
  const id = await outbox.enqueue(token, step(1));
  const store = await openStore();
  try {
    await store.transaction(async (tx) => {
      await tx.query(`select from ${schema}.updates where id = $1 for update`, [id]);
      const marks = [{ head: { id, passed: 0 }, claim: 'mine' }];
      expect([...(await markSending(sql, schema, marks))]).toEqual([]);
    });
  } finally {
    await store.close();
  }
  expect(await outbox.status(id)).toMatchObject({ state: 'queued', attempts: 0 });
});

onBoth('takes up what was retried while nobody worked', async ({ open, service, token }) => {
  const outbox = await open();
  service.faults.next({ type: 'status', status: 422 });
  const id = await outbox.enqueue(token, step(1));
  await outbox.work();
  await outbox.drain();
  await outbox.close();
  const again = await open();
  await again.retry(id);
  await again.work();
  await until('it is applied', () => stepsApplied(service, token).length === 1);
});
