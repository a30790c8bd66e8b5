import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { giveAway } from '../test/give-away.ts';
import { holdAnswers } from '../test/hold-answers.ts';
import { onPostgres, type Scene, step, stepsApplied, until } from '../test/scene.ts';
import { pickLanes } from './feed.ts';
import { rowsOf } from './store/sql.ts';
import { sweepSettled } from './sweep.ts';

/** A transaction of a caller, on a connection of its own, that has added to an order and goes on until it is ended. */
async function addTo(scene: Scene, token: string) {
  const store = await scene.openStore();
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const over = store.transaction(async (tx) => {
    await tx.query(`select ${scene.schema}.enqueue(gen_random_uuid(), $1, $2)`, [
      token,
      JSON.stringify(step(99)),
    ]);
    begun.resolve();
    await end.promise;
  });
  await Promise.race([begun.promise, over]);
  return async () => {
    end.resolve();
    await over;
    await store.close();
  };
}

onPostgres('sends nothing of an order of which it could not note that it works on it', async (scene) => {
  const { open, openStore, service, token, sql, schema } = scene;
  const store = await openStore();
  let release: (() => Promise<void>) | undefined;
  const outbox = await open({
    store: {
      ...store,
      async run(text, values) {
        // Somebody adds to the order at the very moment of the claim.
        if (text.includes('.claim(')) release ??= await addTo(scene, token);
        return store.run(text, values);
      },
    },
  });
  await outbox.enqueue(token, step(1));
  await outbox.work();
  await until('it was claimed', () => release !== undefined);
  await delay(100);
  expect(service.journal).toEqual([]);
  const noted = `select worker is not null as is_noted from ${schema}.lanes`;
  expect(await rowsOf(sql, noted)).toEqual([{ is_noted: false }]);
  await release?.();
  const begin = performance.now();
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([1, 99]);
  // Its lane waits again at once, rather than until somebody finds that no job is left for it.
  expect(performance.now() - begin).toBeLessThan(900);
});

onPostgres('looks again soon at an order that a transaction held when lanes were picked', async (scene) => {
  const { open, openStore, token, schema } = scene;
  const outbox = await open();
  const store = await openStore();
  const pick = () => store.transaction((tx) => pickLanes(tx, schema, { concurrency: 4, most: 4 }));
  expect(await pick()).toEqual({ jobs: [], nextMs: undefined });
  await outbox.enqueue(token, step(1));
  const release = await addTo(scene, token);
  expect(await pick()).toEqual({ jobs: [], nextMs: 100 });
  await release();
  expect(await pick()).toEqual({ jobs: [expect.any(String)], nextMs: undefined });
  await store.close();
});

onPostgres('goes on while others wait to add to an order that a transaction holds', async (scene) => {
  const { open, service, token, reaches, warnings } = scene;
  const outbox = await open();
  await outbox.work();
  const release = await addTo(scene, token);
  // As many as there are connections, and more.
  const waiting = Array.from({ length: 8 }, (_, place) => outbox.enqueue(token, step(place)));
  const other = service.orders[1]?.token ?? '';
  await delay(100);
  await reaches(outbox, await outbox.enqueue(other, step(1)), 'applied');
  await release();
  expect(new Set(await Promise.all(waiting)).size).toBe(8);
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([99, 0, 1, 2, 3, 4, 5, 6, 7]);
  expect(warnings).toEqual([]);
});

onPostgres(
  'pauses every process at once, though the order of the answer is held by a transaction',
  async (scene) => {
    const { open, service, token, reaches } = scene;
    const held = holdAnswers(scene);
    const outbox = await open({ client: held.client });
    service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '2' } });
    await outbox.work();
    const id = await outbox.enqueue(token, step(1));
    await reaches(outbox, id, 'sending');
    await until('it was answered', () => service.journal[0]?.respondedAt !== undefined);
    const release = await addTo(scene, token);
    held.release();
    const pausedUntil = await until('the pause is stored', async () => (await outbox.backlog()).pausedUntil);
    const other = await open();
    await other.work();
    await other.enqueue(service.orders[1]?.token ?? '', step(1));
    await delay(500);
    expect(service.journal).toHaveLength(1);
    // Each try to store the outcome asks for what is left of the pause.
    expect(Number((await outbox.backlog()).pausedUntil) - Number(pausedUntil)).toBeLessThan(100);
    await release();
    await outbox.drain();
    expect(stepsApplied(service, token)).toEqual([1, 99]);
  },
);

onPostgres('lets go of an update that was decided and forgotten while it was on its way', async (scene) => {
  const { open, openStore, schema, service, token, reaches, warnings } = scene;
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
  await quick.drain();
  await quick.close();
  const store = await openStore();
  await sweepSettled(store, schema, { keepSettledMs: 0 });
  await store.close();
  expect(await slow.status(id)).toBeUndefined();
  held.release();
  const next = await slow.enqueue(service.orders[1]?.token ?? '', step(2));
  await reaches(slow, next, 'applied');
  await slow.close({ graceMs: 1_000 });
  expect(warnings).toEqual([]);
});
