import { createOrdersClient, treat503AsRejected } from '@orders/client';
import type { OutboxOptions } from '@orders/outbox';
import { expect } from 'vitest';
import { holdResponses } from '../test/hold-responses.ts';
import { onBothInFull, onPostgres, type Scene, step, stepsApplied } from '../test/scene.ts';
import { keepListening, waitForWaking } from '../test/wait-for-waking.ts';

/** An outbox in which the first update of an order was rejected, and the next needs review. */
async function rejectAndReview({ open, service, token }: Scene) {
  const outbox = await open();
  service.faults.next(
    [
      { type: 'status', status: 422 },
      { type: 'status', status: 500 },
    ],
    { token },
  );
  const rejected = await outbox.enqueue(token, step(1));
  const unknown = await outbox.enqueue(token, step(2));
  await outbox.drain();
  return { outbox, rejected, unknown };
}

onBothInFull('stores who decided, why and when', async (scene) => {
  const { outbox, rejected, unknown } = await rejectAndReview(scene);
  const decided = await outbox.resolve(unknown, 'applied', {
    by: 'Ada “A” Ärlig',
    note: 'seen in the service',
  });
  expect(decided).toMatchObject({
    state: 'applied',
    decision: { by: 'Ada “A” Ärlig', note: 'seen in the service', at: expect.any(Date) },
  });
  expect(await outbox.get(unknown)).not.toHaveProperty('update');
  expect(await outbox.discard(rejected)).toMatchObject({ state: 'discarded', code: 'decided' });
  for (const id of [rejected, unknown])
    for (const decide of [outbox.retry, outbox.discard, (id: string) => outbox.resolve(id, 'applied')])
      await expect(decide(id)).rejects.toMatchObject({ code: 'nothing_to_decide' });
  await expect(outbox.resolve(unknown, 'rejected' as never)).rejects.toThrow("write 'applied'");
  await expect(outbox.retry(unknown, { who: 'Ada' } as object)).rejects.toThrow('unknown option "who"');
  for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000'])
    await expect(outbox.retry(id)).rejects.toMatchObject({ code: 'unknown_update' });
});

onBothInFull(
  'notes no update as applied that an earlier one, which is to be sent again, would undo',
  async (scene) => {
    const { open, service, token } = scene;
    const outbox = await open();
    const refused = { type: 'status', status: 422 } as const;
    service.faults.next([refused, refused], { token });
    const earlier = await outbox.enqueue(token, step(1));
    const later = await outbox.enqueue(token, step(2));
    await outbox.drain();
    await outbox.retry(earlier);
    await expect(outbox.resolve(later, 'applied')).rejects.toMatchObject({
      code: 'nothing_to_decide',
      message: expect.stringContaining('Discard those that are queued'),
    });
    expect(await outbox.get(later)).toMatchObject({ state: 'rejected' });
    await outbox.discard(earlier);
    expect(await outbox.resolve(later, 'applied')).toMatchObject({ state: 'applied' });
    await outbox.drain();
    expect(stepsApplied(service, token)).toEqual([]);
  },
);

onBothInFull('frees an order only for the update that holds it', async (scene) => {
  const { service, token } = scene;
  const { outbox, rejected, unknown } = await rejectAndReview(scene);
  const queued = await outbox.enqueue(token, step(3));
  await outbox.discard(rejected);
  const dropped = await outbox.enqueue(token, step(4));
  await outbox.discard(dropped);
  await outbox.drain();
  expect(await outbox.get(queued)).toMatchObject({ state: 'queued', attempts: 0 });
  await outbox.resolve(unknown, 'applied');
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([3]);
});

onBothInFull('sends an update again behind one that may have been applied since', async (scene) => {
  const { service, token } = scene;
  const { outbox, rejected, unknown } = await rejectAndReview(scene);
  await outbox.retry(rejected);
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([]);
  await outbox.retry(unknown);
  await outbox.drain();
  // The first had to go behind the second; sent again too, the second comes after it.
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});

onBothInFull('keeps the order of acceptance among all that are sent again', async (scene) => {
  const { open, service, token } = scene;
  const refused = { type: 'status', status: 422 } as const;
  const healthy = { type: 'latency', ms: 0 } as const;
  const outbox = await open();
  service.faults.next([refused, refused, healthy, refused], { token });
  for (const quantity of [1, 2, 3, 4]) await outbox.enqueue(token, step(quantity));
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([3]);
  const retryAll = async () => {
    for (const { id } of await outbox.list()) await outbox.retry(id);
  };
  service.faults.next([refused, refused, healthy], { token });
  await retryAll();
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([3, 4]);
  await retryAll();
  await outbox.enqueue(token, step(5));
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([3, 4, 1, 2, 5]);
});

onBothInFull('decides nothing about an update in flight', async (scene) => {
  const { open, token, reaches } = scene;
  const held = holdResponses(scene);
  const outbox = await open({ client: held.client });
  await outbox.start();
  const id = await outbox.enqueue(token, step(1));
  await reaches(outbox, id, 'sending');
  for (const decide of [outbox.retry, outbox.discard, (id: string) => outbox.resolve(id, 'applied')])
    await expect(decide(id)).rejects.toMatchObject({ code: 'nothing_to_decide' });
  held.release();
  await reaches(outbox, id, 'applied');
});

onPostgres('takes decisions of another process up at once', async (scene) => {
  const { open, openStore, service, token, reaches } = scene;
  const outbox = await open({ store: waitForWaking(await openStore()) });
  await outbox.start();
  await using _ = await keepListening(scene);
  service.faults.next({ type: 'status', status: 500 }, { token });
  const id = await outbox.enqueue(token, step(1));
  await reaches(outbox, id, 'needs_review');
  const desk = await open({ client: undefined as never });
  await desk.retry(id);
  await reaches(desk, id, 'applied');
});

/** An outbox whose service asks that the first update of an order waits for an hour, before it is sent again. */
async function delayFirst({ open, service, token }: Scene, options: Partial<OutboxOptions> = {}) {
  const client = createOrdersClient({
    baseUrl: service.url,
    apiKey: service.key,
    classifyResponse: treat503AsRejected,
  });
  const outbox = await open({ client, ...options });
  const headers = { 'content-type': 'application/json', 'retry-after': '3600' };
  service.faults.next({ type: 'status', status: 503, headers }, { token });
  return { outbox, client };
}

onBothInFull('what waits behind a delayed update is sent at once where that is decided', async (scene) => {
  const { service, token } = scene;
  const { outbox, client } = await delayFirst(scene);
  await using _ = client;
  const delayed = await outbox.enqueue(token, step(1));
  await outbox.drain();
  expect(await outbox.get(delayed)).toMatchObject({ state: 'queued', attempts: 1 });
  const next = await outbox.enqueue(token, step(2));
  const other = await outbox.enqueue(token, step(3));
  // This frees nothing: the first one waits all the same.
  await outbox.discard(other);
  await outbox.drain();
  expect(await outbox.get(delayed)).toMatchObject({ state: 'queued', attempts: 1 });
  await outbox.discard(delayed);
  await outbox.drain();
  expect(await outbox.get(next)).toMatchObject({ state: 'applied' });
  expect(stepsApplied(service, token)).toEqual([2]);
});

onBothInFull(
  'with latestWins, a new update does not wait for the delay of the one it replaces',
  async (scene) => {
    const { service, token } = scene;
    for (const enqueueNext of ['enqueue', 'enqueueAll'] as const) {
      const { outbox, client } = await delayFirst(scene, { latestWins: true });
      await using _ = client;
      const replaced = await outbox.enqueue(token, step(1));
      await outbox.drain();
      expect(await outbox.get(replaced)).toMatchObject({ state: 'queued', attempts: 1 });
      if (enqueueNext === 'enqueue') await outbox.enqueue(token, step(2));
      else await outbox.enqueueAll([{ token, update: step(2) }]);
      await outbox.drain();
      expect(await outbox.get(replaced)).toMatchObject({ state: 'discarded', code: 'superseded' });
    }
    expect(stepsApplied(service, token)).toEqual([2, 2]);
  },
);

onBothInFull(
  'an update that is sent again in its place does not wait for the delay of the next',
  async (scene) => {
    const { service, token } = scene;
    service.faults.next({ type: 'status', status: 422 }, { token });
    const { outbox, client } = await delayFirst(scene);
    await using _ = client;
    const rejected = await outbox.enqueue(token, step(1));
    const delayed = await outbox.enqueue(token, step(2));
    await outbox.drain();
    expect(await outbox.get(delayed)).toMatchObject({ state: 'queued', attempts: 1 });
    await outbox.retry(rejected);
    await outbox.drain();
    expect(await outbox.get(rejected)).toMatchObject({ state: 'applied' });
    expect(stepsApplied(service, token).at(0)).toBe(1);
  },
);
