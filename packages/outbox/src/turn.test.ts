import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { onBothInFull, onPglite, onPostgres, type Scene, step, stepsApplied, until } from '../test/scene.ts';
import { watchStore } from '../test/watch-store.ts';
import { createLane } from './lane.ts';
import { LaneQueue } from './queue.ts';
import { currentMoment } from './send.ts';
import type { Settlement } from './settlement.ts';
import type { OutboxStore } from './store.ts';
import { type TurnPlan, takeTurn } from './turn.ts';

onPostgres('goes on by itself with an order that it looked up before a turn failed', async (scene) => {
  const { open, openStore, token, schema, reaches } = scene;
  let hasFailed = false;
  const store = watchStore(await openStore({ listen: false }), {
    beforeCommit(turn) {
      if (hasFailed || !turn?.heads.length) return;
      hasFailed = true;
      throw new Error('Connection terminated unexpectedly');
    },
  });
  const outbox = await open({ store });
  await outbox.start();
  await until('it works', async () => {
    const [worker] = (await outbox.status()).workers;
    return worker && worker.problem === undefined;
  });
  // It looks by itself, by a statement outside a transaction.
  await delay(1_000);
  const other = await open();
  const id = await store.transaction(async (tx) => {
    const accepted = await other.enqueue(token, step(1), { tx });
    // For want of a heartbeat, it would be given back in a day.
    await tx.query(`update ${schema}_queue.job_common set heartbeat_seconds = 86400`);
    return accepted;
  });
  await reaches(other, id, 'applied');
});

const nothing: TurnPlan = {
  places: 5,
  ready: [],
  unconfirmed: () => [],
  outcomes: [],
  leaving: [],
  revive: [],
  mayTry: () => false,
};

/** What a turn needs, with a delay after each statement that matches. */
async function partsWith(
  { openStore, schema }: Scene,
  slow: { readonly statement: RegExp; readonly ms: number } = { statement: /$^/, ms: 0 },
) {
  const inner = await openStore();
  const watched = watchStore(inner, {
    async afterStatement(text) {
      if (slow.statement.test(text)) await delay(slow.ms);
    },
  });
  const store: OutboxStore = {
    ...watched,
    // A worker repeats a turn that PostgreSQL ended because its process stood still. This one is taken once.
    transaction: (run, options) =>
      watched.transaction(run, {
        ...options,
        settings: `${options?.settings ?? ''}; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
      }),
  };
  const queue = new LaneQueue(store, schema, { onError: () => {} });
  await queue.start();
  const close = async (): Promise<void> => {
    await queue.stop();
    await inner.close();
  };
  return { store, queue, schema, rate: { perSecond: 1_000, burst: 100 }, close };
}

onPostgres('lets no two turns with a rate wait for each other', async (scene) => {
  const outbox = await scene.open();
  for (const token of ['x', 'y', 'z']) await outbox.enqueue(token, step(1));
  const one = await partsWith(scene, { statement: /name = 'rate' returning/, ms: 300 });
  const two = await partsWith(scene, { statement: /heartbeat_on/, ms: 100 });
  try {
    const jobs = await two.queue.fetch(scene.sql, 3);
    const lane = (token: string) =>
      jobs.filter((job) => job.token === token).map((job) => createLane(job, currentMoment()));
    // The first queues an order that the second holds, and confirms.
    await Promise.all([
      takeTurn(one, { ...nothing, ready: lane('x'), revive: ['z'] }),
      takeTurn(two, {
        ...nothing,
        ready: lane('y'),
        unconfirmed: () => lane('z'),
      }),
    ]);
  } finally {
    await one.close();
    await two.close();
  }
});

onBothInFull('gives back all that is due where a worker has more in flight than its share', async (scene) => {
  const outbox = await scene.open();
  for (const token of ['x', 'y', 'z']) await outbox.enqueue(token, step(1));
  const parts = await partsWith(scene);
  try {
    const jobs = await parts.queue.fetch(scene.sql, 3);
    const { heads, ended } = await takeTurn(parts, {
      ...nothing,
      places: -2,
      ready: jobs.map((job) => createLane(job, currentMoment())),
    });
    expect(heads).toEqual([]);
    expect(ended).toHaveLength(3);
  } finally {
    await parts.close();
  }
});

onBothInFull(
  'sends what the first turn of an order marked, though the response to its commit is lost',
  async (scene) => {
    const { open, openStore, service, token, reaches } = scene;
    let isLost = false;
    const store = watchStore(await openStore(), {
      afterCommit(turn) {
        if (isLost || !turn?.heads.length) return;
        isLost = true;
        throw new Error('Connection terminated unexpectedly');
      },
    });
    const outbox = await open({ store });
    const id = await outbox.enqueue(token, step(1));
    await outbox.start();
    expect(await reaches(outbox, id, 'applied', 'needs_review')).toMatchObject({
      state: 'applied',
      attempts: 1,
    });
    expect(stepsApplied(service, token)).toEqual([1]);
  },
);

onBothInFull(
  'queues again what a turn marked, where the response to its commit is lost and a pause begins',
  async (scene) => {
    const { open, openStore, service, schema, token, reaches } = scene;
    let isLost = false;
    const inner = await openStore();
    const store = watchStore(inner, {
      async afterCommit(turn) {
        if (isLost || !turn?.heads.length) return;
        isLost = true;
        await inner.executeSql(
          `update ${schema}.limits set until = clock_timestamp() + interval '1 hour' where name = 'pause'`,
        );
        throw new Error('Connection terminated unexpectedly');
      },
    });
    const outbox = await open({ store });
    const id = await outbox.enqueue(token, step(1));
    await outbox.start();
    await until('it is marked', () => isLost);
    expect(await reaches(outbox, id, 'queued', 'needs_review')).toMatchObject({ state: 'queued' });
    await outbox.resume();
    await reaches(outbox, id, 'applied');
    expect(stepsApplied(service, token)).toEqual([1]);
  },
);

onBothInFull(
  'shows the breaker an outcome once, though the turn that stored it is repeated',
  async (scene) => {
    const outbox = await scene.open();
    for (const token of ['x', 'y']) await outbox.enqueue(token, step(1));
    const parts = await partsWith(scene);
    const jobs = await parts.queue.fetch(scene.sql, 2);
    const ready = jobs.map((job) => createLane(job, currentMoment()));
    const { heads } = await takeTurn(parts, { ...nothing, ready });
    const settle = (token: string, settlement: Pick<Settlement, 'state' | 'open' | 'signal'>) => {
      const found = heads.filter(({ head }) => head.token === token);
      const outcomes = found.map((each) => ({
        ...each,
        settlement: { ...settlement, failures: 0, delayMs: 0 },
        trial: undefined,
      }));
      return takeTurn(parts, { ...nothing, outcomes });
    };
    await settle('x', { state: 'applied', open: false, signal: 'success' });
    await settle('y', { state: 'needs_review', open: true, signal: 'failure' });
    const { limits } = await settle('x', { state: 'applied', open: false, signal: 'success' });
    expect(limits.health.failing).toEqual(['y']);
    await parts.close();
  },
);

onPostgres('takes an update over only once its mark is too old to be sent by', async (scene) => {
  const { open, schema, token, sql } = scene;
  const id = await (await open()).enqueue(token, step(1));
  const parts = await partsWith(scene);
  const { queue } = parts;
  const mark = async () => {
    const [job] = await queue.fetch(sql, 1);
    if (!job) throw new Error('There is no job.');
    const lane = createLane(job, currentMoment());
    return { lane, ...(await takeTurn(parts, { ...nothing, ready: [lane] })) };
  };
  try {
    expect((await mark()).heads).toMatchObject([{ head: { id } }]);
    // By hand, though a worker that lives holds the job.
    await sql.query(`delete from ${schema}_queue.job_common`);
    await queue.add(sql, token);
    // However slow the machine is, it is not old.
    await sql.query(`update ${schema}.updates set sending_at = sending_at + interval '25 s'`);
    const early = await mark();
    expect(early).toMatchObject({ heads: [], abandoned: [], ended: [early.lane] });
    expect(early.lane.delayMs).toBeGreaterThan(0);
    expect(early.lane.delayMs).toBeLessThanOrEqual(3_000);

    await sql.query(`update ${schema}.updates set sending_at = sending_at - interval '28 s'`);
    await sql.query(`update ${schema}_queue.job_common set start_after = now()`);
    expect((await mark()).abandoned).toMatchObject([{ head: { id } }]);
  } finally {
    await parts.close();
  }
});

onPglite(
  'drains at once what a process was sending that was just killed, since it was the only one',
  async (scene) => {
    const { open, sql, schema, token } = scene;
    const outbox = await open();
    const id = await outbox.enqueue(token, step(1));
    await sql.query(`update ${schema}.updates set state = 'sending', claim = 'of the killed one',
    sending_at = clock_timestamp() + interval '25 s'`);
    await outbox.drain();
    expect(await outbox.get(id)).toMatchObject({ state: 'needs_review', code: 'worker_lost' });
  },
);
