import { expect } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { onBothInFull, onPostgres, type Scene, step, stepsApplied, until } from '../test/scene.ts';
import { watchStore } from '../test/watch-store.ts';
import { LaneQueue } from './queue.ts';
import { type OutboxStore, rowsOf } from './store.ts';
import { createSweeper } from './sweep.ts';

/** Runs the passes of a sweep to their end. */
async function sweep(
  { openStore, schema }: Scene,
  keep: { readonly keepSettledMs: number; readonly keepRejectedMs: number },
  runs = 6,
): Promise<void> {
  const store = await openStore();
  const queue = new LaneQueue(store, schema, { onError: () => {} });
  try {
    await queue.start();
    const sweeper = createSweeper({ store, schema, queue, ...keep });
    for (let run = 0; run < runs; run++) await sweeper.run();
  } finally {
    await queue.stop();
    await store.close();
  }
}

onBothInFull('deletes in time what is settled, and nothing that waits', async (scene) => {
  const { open, service, sql, schema } = scene;
  const [applied = '', rejected = '', unknown = '', queued = ''] = service.orders.map(({ token }) => token);
  const outbox = await open();
  service.faults.next({ type: 'status', status: 400 }, { token: rejected });
  service.faults.next({ type: 'status', status: 500 }, { token: unknown });
  const ids: string[] = [];
  for (const token of [applied, rejected, unknown]) ids.push(await outbox.enqueue(token, step(1)));
  await outbox.drain();
  ids.push(await outbox.enqueue(queued, step(1)));
  const states = () => Promise.all(ids.map(async (id) => (await outbox.get(id))?.state));
  await sweep(scene, { keepSettledMs: 60_000, keepRejectedMs: 60_000 });
  expect(await states()).toEqual(['applied', 'rejected', 'needs_review', 'queued']);
  await sweep(scene, { keepSettledMs: 0, keepRejectedMs: Number.POSITIVE_INFINITY });
  expect(await states()).toEqual([undefined, 'rejected', 'needs_review', 'queued']);
  await sweep(scene, { keepSettledMs: 0, keepRejectedMs: 0 });
  expect(await states()).toEqual([undefined, undefined, 'needs_review', 'queued']);
  const lanes = await rowsOf<{ token: string }>(sql, `select token from ${schema}.lanes order by token`);
  expect(lanes.map(({ token }) => token)).toEqual([unknown, queued].toSorted());
  await outbox.enqueue(applied, step(2));
  await outbox.drain();
  expect(stepsApplied(service, applied)).toEqual([1, 2]);
  expect(stepsApplied(service, queued)).toEqual([1]);
});

onPostgres('keeps an update that a person sends again at that moment', async (scene) => {
  const { open, openStore, service, sql, schema, token } = scene;
  const outbox = await open();
  service.faults.next({ type: 'status', status: 400 }, { token });
  const id = await outbox.enqueue(token, step(1));
  await outbox.drain();
  await sql.query(`update ${schema}.updates set settled_at = clock_timestamp() - interval '1 hour'`);
  const retrying = watchStore(await openStore(), {
    async afterStatement(text) {
      if (text.includes('is_old')) await outbox.retry(id);
    },
  });
  await sweep({ ...scene, openStore: async () => retrying }, { keepSettledMs: 0, keepRejectedMs: 0 }, 1);
  expect(await outbox.get(id)).toMatchObject({ state: 'queued' });
});

onBothInFull('warns once of a sweep that fails, and takes the database for usable', async (scene) => {
  const { open, openStore, sql, newSchema: schema, token, warnings, reaches } = scene;
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  await outbox.drain();
  // Its worker would clean, too, before anything refuses.
  await outbox.close();
  await sql.query(`create function ${schema}.refuse() returns trigger language plpgsql as
    $$ begin raise 'this trigger refuses'; end $$`);
  // As after a restore, so that a second pass has something to do with it.
  await sql.query(`update ${schema}.updates set changed = '999999999'`);
  await sql.query(
    `create trigger refuse before delete or update on ${schema}.updates
     for each row when (old.state = 'applied') execute function ${schema}.refuse()`,
  );
  const store = await openStore();
  let refused = 0;
  const again = await open({
    keepSettledMs: 0,
    store: {
      ...store,
      executeSql: (text, values) =>
        store.executeSql(text, values).catch((error: unknown) => {
          refused++;
          throw error;
        }),
    },
  });
  await again.start();
  await until('it is noted', () => warnings.length > 0);
  await reaches(again, await again.enqueue(token, step(2)), 'applied');
  await until('another pass was refused, too', () => refused > 0);
  expect(warnings).toEqual(['The outbox cannot clean its tables: this trigger refuses']);
});

onBothInFull('keeps a rejected update that holds its order', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open({ onRejected: 'hold' });
  service.faults.next({ type: 'status', status: 400 }, { token });
  const id = await outbox.enqueue(token, step(1));
  await outbox.enqueue(token, step(2));
  await outbox.drain();
  await sweep(scene, { keepSettledMs: 0, keepRejectedMs: 0 });
  expect(await outbox.get(id)).toMatchObject({ state: 'rejected' });
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([]);
});

onBothInFull('deletes more than one batch each time that it looks', async (scene) => {
  const { open, openStore, sql, schema } = scene;
  /** Batches since it showed last that it is alive. */
  let batches = 0;
  let most = 0;
  const watched = watchStore(await openStore(), {
    afterStatement(text) {
      if (text.includes('is_old')) most = Math.max(most, ++batches);
    },
  });
  const store: OutboxStore = {
    ...watched,
    executeSql(text, values) {
      if (text.includes(`values ('worker:'`)) batches = 0;
      return watched.executeSql(text, values);
    },
  };
  const outbox = await open({ keepSettledMs: 0, store });
  const count = inFull ? 10_000 : 1_600;
  await sql.query(
    `insert into ${schema}.updates (id, token, position, accepted_position, state, open, settled_at)
     select gen_random_uuid(), number, 1, 1, 'applied', false, clock_timestamp() from generate_series(1, ${count}) as number`,
  );
  await sql.query(
    `insert into ${schema}.lanes (token, last) select number, 1 from generate_series(1, ${count}) as number`,
  );
  await outbox.start();
  const left = () => rowsOf(sql, `select from ${schema}.updates limit 1`);
  await until('all are deleted', async () => (await left()).length === 0);
  expect(most).toBeGreaterThan(1);
});

onBothInFull(
  'brings changes back after a restore into another cluster',
  async (scene) => {
    const { open, sql, schema, token } = scene;
    const outbox = await open();
    for (const quantity of [1, 2]) await outbox.enqueue(token, step(quantity));
    await sql.query(`update ${schema}.updates set changed = '999999999'`);
    expect((await outbox.changes()).updates).toEqual([]);
    await sweep(scene, { keepSettledMs: 60_000, keepRejectedMs: 60_000 });
    expect((await outbox.changes()).updates).toHaveLength(2);
  },
  { isAlone: true },
);
