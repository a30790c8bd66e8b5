import { expect } from 'vitest';
import { onBoth, step, stepsApplied, until } from '../test/scene.ts';
import type { OutboxStore } from './store/outbox-store.ts';

/** A store in which each second turn is done and its answer lost. */
function forgetful(store: OutboxStore): OutboxStore & { readonly lost: number } {
  let turns = 0;
  return {
    ...store,
    get lost() {
      return Math.floor(turns / 2);
    },
    async run(text, values) {
      const answer = await store.run(text, values);
      if (text.includes('.turn(') && ++turns % 2 === 0) throw new Error('Connection terminated unexpectedly');
      return answer;
    },
  };
}

onBoth('goes on where it was when the answer of the database is lost', async (scene) => {
  const { open, openStore, service } = scene;
  const store = forgetful(await openStore());
  const outbox = await open({ store, concurrency: 3 });
  const tokens = service.orders.slice(0, 6).map(({ token }) => token);
  for (const number of Array.from({ length: 8 }, (_, index) => index + 1)) {
    for (const token of tokens) await outbox.enqueue(token, step(number));
  }
  await outbox.work();
  await outbox.drain();
  expect(store.lost).toBeGreaterThan(2);
  expect(await outbox.counts()).toMatchObject({ applied: 48, parked: 0 });
  for (const token of tokens) expect(stepsApplied(service, token)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(service.journal).toHaveLength(48);
});

onBoth('lets an order with many updates go first four times in a row at most', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open({ concurrency: 1 });
  const other = service.orders[1]?.token ?? '';
  for (const number of [1, 2, 3, 4, 5, 6]) await outbox.enqueue(token, step(number));
  await outbox.enqueue(other, step(1));
  await outbox.work();
  await outbox.drain();
  expect(service.ledger.map((entry) => entry.token)).toEqual([
    ...Array.from({ length: 4 }, () => token),
    other,
    token,
    token,
  ]);
});

onBoth('leaves an order in the middle when the worker stops', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open({ concurrency: 1 });
  service.faults.next({ type: 'latency', ms: 300 }, { token });
  for (const number of [1, 2, 3]) await outbox.enqueue(token, step(number));
  await outbox.work();
  await until('the first is on its way', () => service.journal.length > 0);
  await outbox.close();
  const another = await open();
  expect(await another.counts()).toMatchObject({ applied: 1, queued: 2, sending: 0, parked: 0 });
});

onBoth('sends what was marked for it, though the answer was lost and the worker stops', async (scene) => {
  const { open, openStore, service, token } = scene;
  const store = await openStore();
  const closed = Promise.withResolvers<void>();
  let turns = 0;
  const outbox = await open({
    concurrency: 1,
    store: {
      ...store,
      async run(text, values) {
        const answer = await store.run(text, values);
        if (!text.includes('.turn(') || ++turns > 1) return answer;
        outbox.close().then(closed.resolve, closed.reject);
        throw new Error('Connection terminated unexpectedly');
      },
    },
  });
  for (const number of [1, 2, 3]) await outbox.enqueue(token, step(number));
  await outbox.work();
  await closed.promise;
  const another = await open();
  expect(await another.counts()).toMatchObject({ applied: 2, queued: 1, sending: 0, parked: 0 });
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});
