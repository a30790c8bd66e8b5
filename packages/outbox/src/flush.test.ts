import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { giveAway } from '../test/give-away.ts';
import { holdAnswers } from '../test/hold-answers.ts';
import { onBoth, onPostgres, step, stepsApplied, until } from '../test/scene.ts';
import { rowsOf } from './store/sql.ts';

onPostgres('lets an answer that comes late settle an update that was parked meanwhile', async (scene) => {
  const { open, service, token, reaches } = scene;
  const held = holdAnswers(scene);
  const slow = await open({ localConcurrency: 1, client: held.client });
  await slow.work();
  const id = await slow.enqueue(token, step(1));
  await reaches(slow, id, 'sending');
  await slow.enqueue(token, step(2));
  const quick = await open();
  await giveAway(scene, token);
  await quick.work();
  await reaches(quick, id, 'parked');
  expect(await quick.status(id)).toMatchObject({ code: 'left_behind', attempts: 1 });
  held.release();
  await reaches(quick, id, 'applied');
  await quick.drain();
  expect(stepsApplied(service, token)).toEqual([1, 2]);
  expect(await quick.counts()).toMatchObject({ applied: 2, parked: 0 });
});

onPostgres('tells nothing of an earlier try beside an outcome that nobody knows', async (scene) => {
  const { open, service, token, reaches } = scene;
  service.faults.next({ type: 'status', status: 404 }, { token });
  const first = await open();
  await first.work();
  const id = await first.enqueue(token, step(1));
  expect(await reaches(first, id, 'rejected')).toMatchObject({
    status: 404,
    receipt: { attempts: [{ status: 404 }] },
  });
  await first.close();
  const held = holdAnswers(scene);
  const slow = await open({ client: held.client });
  await slow.work();
  await slow.retry(id);
  await reaches(slow, id, 'sending');
  const quick = await open();
  await giveAway(scene, token);
  await quick.work();
  const parked = await reaches(quick, id, 'parked');
  expect(parked).toMatchObject({ code: 'left_behind', attempts: 2 });
  expect(parked).not.toHaveProperty('status');
  expect(parked).not.toHaveProperty('receipt');
  held.release();
});

onPostgres(
  'takes back an update that was parked, once its worker knows that it was not applied',
  async (scene) => {
    const { open, service, token, reaches } = scene;
    service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '0' } }, { token });
    const held = holdAnswers(scene);
    const blocked = await open({ localConcurrency: 1, client: held.client });
    await blocked.work();
    const id = await blocked.enqueue(token, step(1));
    await reaches(blocked, id, 'sending');
    const behind = await blocked.enqueue(token, step(2));
    const quick = await open();
    await until('it was answered', () => service.journal[0]?.respondedAt !== undefined);
    await giveAway(scene, token);
    await quick.work();
    await reaches(quick, id, 'parked');
    held.release();
    await reaches(quick, behind, 'applied');
    expect(stepsApplied(service, token)).toEqual([1, 2]);
    expect(service.journal).toHaveLength(3);
  },
);

onPostgres('lets a decision win over an answer that comes after it', async (scene) => {
  const { open, service, token, reaches } = scene;
  const held = holdAnswers(scene);
  const slow = await open({ localConcurrency: 1, client: held.client });
  await slow.work();
  const id = await slow.enqueue(token, step(1));
  await reaches(slow, id, 'sending');
  const quick = await open();
  await giveAway(scene, token);
  await quick.work();
  await reaches(quick, id, 'parked');
  await quick.discard(id);
  held.release();
  // Its worker has stored what it knows once it takes the next update.
  await quick.close();
  const next = await slow.enqueue(token, step(2));
  await reaches(slow, next, 'applied');
  expect(await slow.status(id)).toMatchObject({ state: 'discarded', code: 'decided' });
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});

onBoth('waits for its own answer when the queue gives its own job back to it', async (scene) => {
  const { open, service, token, reaches } = scene;
  const held = holdAnswers(scene);
  const outbox = await open({ client: held.client });
  await outbox.work();
  const id = await outbox.enqueue(token, step(1));
  await reaches(outbox, id, 'sending');
  await outbox.enqueue(token, step(2));
  await giveAway(scene, token);
  // Makes it look at once.
  await reaches(outbox, await outbox.enqueue(service.orders[1]?.token ?? '', step(3)), 'applied');
  expect(await outbox.status(id)).toMatchObject({ state: 'sending' });
  held.release();
  await outbox.drain();
  expect(await outbox.counts()).toMatchObject({ applied: 3, parked: 0 });
  expect(stepsApplied(service, token)).toEqual([1, 2]);
  const kinds: string[] = [];
  const stop = new AbortController();
  for await (const { updateId, kind } of outbox.events({ after: 0, signal: stop.signal })) {
    if (updateId === id) kinds.push(kind);
    if (kind === 'applied' && kinds.includes('applied') && updateId !== id) stop.abort();
  }
  expect(kinds).toEqual(['queued', 'sending', 'applied']);
});

onBoth('holds an order whose update was given away, once its answer tells nothing', async (scene) => {
  const { open, service, token, reaches, clientWith } = scene;
  const outbox = await open({ client: clientWith(1_500) });
  service.faults.next({ type: 'stalled_headers' }, { token });
  const first = await outbox.enqueue(token, step(1));
  const second = await outbox.enqueue(token, step(2));
  await outbox.work();
  await service.waitForRequests(1);
  await giveAway(scene, token);
  await reaches(outbox, first, 'parked');
  await outbox.drain();
  expect(await outbox.status(second)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(await outbox.backlog()).toMatchObject({ lanes: { held: 1 } });
  await outbox.discard(first);
  await reaches(outbox, second, 'applied');
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});

onPostgres(
  'lets the newest attempt of a job speak for its lane, where an older one is stored with it',
  async (scene) => {
    const { open, openStore, service, token, clientWith, reaches } = scene;
    const store = await openStore();
    const held = Promise.withResolvers<void>();
    const batches: number[] = [];
    const outbox = await open({
      client: clientWith(1_200),
      store: {
        ...store,
        async run(text, values) {
          if (text.includes('.turn(')) {
            batches.push((values[0] as unknown[]).length);
            if (batches.length === 1) await held.promise;
          }
          return store.run(text, values);
        },
      },
    });
    const other = service.orders[1]?.token ?? '';
    service.faults.next({ type: 'stalled_headers' }, { token });
    const first = await outbox.enqueue(token, step(1));
    const second = await outbox.enqueue(token, step(2));
    await outbox.enqueue(other, step(3));
    await outbox.work();
    await until('the turn of the other is under way', () => batches.length > 0);
    await giveAway(scene, token);
    // By then the first has timed out, and its job was taken once more.
    await delay(2_500);
    held.resolve();
    await reaches(outbox, first, 'parked');
    await outbox.drain();
    expect(batches).toContain(2);
    expect(await outbox.status(second)).toMatchObject({ state: 'queued', attempts: 0 });
  },
);

onPostgres(
  'leaves a lane to whoever took it on, though its job was taken before by a process that slept',
  async (scene) => {
    const { open, openStore, service, token, reaches, sql, schema } = scene;
    const store = await openStore();
    const taken = Promise.withResolvers<void>();
    const awake = Promise.withResolvers<void>();
    let claims = 0;
    const sleeper = await open({
      store: {
        ...store,
        async run(text, values) {
          if (text.includes('.claim(') && ++claims === 1) {
            taken.resolve();
            await awake.promise;
          }
          return store.run(text, values);
        },
      },
    });
    service.faults.always({ type: 'latency', ms: 700 }, { token });
    await sleeper.work();
    const first = await sleeper.enqueue(token, step(1));
    await sleeper.enqueue(token, step(2));
    await taken.promise;
    const quick = await open();
    await giveAway(scene, token);
    await quick.work();
    await reaches(quick, first, 'sending');
    awake.resolve();
    await quick.drain();
    expect(await quick.counts()).toMatchObject({ applied: 2, parked: 0 });
    expect(stepsApplied(service, token)).toEqual([1, 2]);
    const { rows } = await sql.query(`select kind from ${schema}.events where update_id = $1 order by seq`, [
      first,
    ]);
    expect(rows).toEqual([{ kind: 'queued' }, { kind: 'sending' }, { kind: 'applied' }]);
    const [one, two] = service.journal;
    expect(two?.at).toBeGreaterThan(one?.respondedAt ?? Number.POSITIVE_INFINITY);
  },
);

onBoth('never has two jobs for one order, though a job that was given away is finished', async (scene) => {
  const { open, service, token, reaches, sql, schema } = scene;
  const outbox = await open({ localConcurrency: 1 });
  service.faults.next(
    [1, 2].map(() => ({ type: 'latency', ms: 500 }) as const),
    { token },
  );
  await outbox.work();
  const first = await outbox.enqueue(token, step(1));
  await reaches(outbox, first, 'sending');
  const second = await outbox.enqueue(token, step(2));
  await giveAway(scene, token);
  let most = 0;
  await until('the second is applied', async () => {
    const [row] = await rowsOf<{ count: string }>(
      sql,
      `select count(*) as count from ${schema}_queue.job where state < 'completed'`,
    );
    most = Math.max(most, Number(row?.count));
    return (await outbox.status(second))?.state === 'applied';
  });
  expect(most).toBe(1);
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});

onBoth('lets no outcome that the database refuses keep the others waiting', async (scene) => {
  const { open, service, sql, schema, reaches, warnings } = scene;
  const outbox = await open();
  const [bad = '', ...good] = service.orders.map(({ token }) => token);
  await sql.query(
    `alter table ${schema}.updates add constraint bad_luck check (token <> '${bad}' or state <> 'applied')`,
  );
  const stuck = await outbox.enqueue(bad, step(1));
  const ids = await Promise.all(good.map((token) => outbox.enqueue(token, step(1))));
  await outbox.work();
  await Promise.all(ids.map((id) => reaches(outbox, id, 'applied')));
  expect(await outbox.status(stuck)).toMatchObject({ state: 'sending' });
  await until('it was told', () => warnings.length > 0);
  expect(warnings).toMatchObject([expect.stringContaining('refuses')]);
  await sql.query(`alter table ${schema}.updates drop constraint bad_luck`);
  await reaches(outbox, stuck, 'applied');
});

onBoth(
  'stores what a service says in characters that PostgreSQL refuses',
  async ({ open, clientWith, token }) => {
    const client = clientWith(1_000);
    const outbox = await open({
      client: {
        prepareUpdateOrder: client.prepareUpdateOrder,
        safeUpdateOrder: async (...call) => {
          const result = await client.safeUpdateOrder(...call);
          if (!result.ok) Object.assign(result.error, { message: 'half \ud83d and \0 nothing' });
          return result;
        },
      },
    });
    await outbox.work();
    const id = await outbox.enqueue(`${token}-unknown`, step(1));
    await outbox.drain();
    expect(await outbox.status(id)).toMatchObject({ state: 'rejected', message: 'half \ufffd and  nothing' });
  },
);
