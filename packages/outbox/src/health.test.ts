import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import type { MockOrderService } from '@orders/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdResponses } from '../test/hold-responses.ts';
import { briefMs, onBothInFull, onPostgres, type Scene, step, stepsApplied, until } from '../test/scene.ts';
import {
  healthy,
  type Observation,
  observe,
  probeDelay,
  probed,
  type ServiceHealth,
  type Signal,
} from './health.ts';

function seen(signal: Signal, token = 'A', trial?: string): Observation {
  return { signal, id: `${token}-${signal}`, token, trial, message: 'why' };
}

function observeAll(observations: readonly Observation[], from: ServiceHealth = healthy) {
  const again: string[] = [];
  let health = from;
  for (const each of observations) {
    const observed = observe(health, each, 1_000);
    health = observed.health;
    again.push(...observed.queueAgain);
  }
  return { health, again };
}

test.for<[string, readonly Observation[]]>([
  ['after two failures', ['A', 'B', 'B'].map((token) => seen('failure', token))],
  ['while one order fails', Array.from({ length: 9 }, () => seen('failure'))],
  [
    'where a success lies in between',
    [seen('failure', 'A'), seen('failure', 'B'), seen('success'), seen('failure', 'C'), seen('failure', 'D')],
  ],
  ['after a success between refusals', [seen('refused', 'A'), seen('success', 'B'), seen('refused', 'C')]],
])('stays closed %s', ([, observations]) => {
  expect(observeAll(observations)).toMatchObject({ health: { state: 'ok', requeue: [] }, again: [] });
});

test('opens after two refusals of the key in a row on different orders, and queues both again', () => {
  const { health, again } = observeAll([seen('refused', 'A'), seen('refused', 'B')]);
  expect(health).toMatchObject({ state: 'key_refused', requeue: ['A-refused'] });
  expect(again).toEqual(['B-refused']);
});

test('tries one update after an echo that succeeded, and closes after a definite outcome', () => {
  const open = observeAll(['A', 'B', 'C'].map((token) => seen('failure', token))).health;
  const mine = { owner: 'me', trial: 'first' };
  const trial = probed({ ...open, owner: 'me' }, { signal: 'success', message: '' }, mine).health;
  expect(trial).toMatchObject(mine);
  expect(observe(trial, seen('success', 'D'), 0).health).toEqual(trial);
  expect(observe(trial, seen('success', 'D', 'first'), 0).health).toEqual(healthy);
});

test('takes neither an echo nor a trial of a process that stood still until another one probed', () => {
  const open = observeAll(['A', 'B', 'C'].map((token) => seen('failure', token))).health;
  const others = { ...open, owner: 'another', trial: 'second' };
  for (const signal of ['success', 'failure', 'refused'] as const) {
    expect(probed(others, { signal, message: '' }, { owner: 'me', trial: 'first' }).health).toEqual(others);
    expect(observe(others, seen(signal, 'D', 'first'), 0)).toMatchObject({ health: others });
    // The breaker may have closed and opened again since.
    expect(observe(open, seen(signal, 'D', 'first'), 0)).toMatchObject({ health: open });
  }
});

test('probes again, later each time, after a trial or a probe that failed', () => {
  const open = observeAll([seen('refused', 'A'), seen('refused', 'B')]).health;
  const trial = { ...open, trial: 'first', owner: 'me' };
  const refused = observe(trial, seen('refused', 'C', 'first'), 0);
  expect(refused).toMatchObject({
    health: { state: 'key_refused', round: 1 },
    queueAgain: ['C-refused'],
    waitMs: 1_000,
  });
  expect(refused.health).not.toHaveProperty('owner');
  expect(refused.health).not.toHaveProperty('trial');
  const leased = { ...refused.health, owner: 'me' };
  const failed = probed(leased, { signal: 'failure', message: 'down' }, { owner: 'me', trial: 'second' });
  expect(failed).toMatchObject({ health: { state: 'service_unavailable', round: 2 }, waitMs: 2_000 });
  expect([0, 1, 5, 6, 60].map(probeDelay)).toEqual([1_000, 2_000, 32_000, 60_000, 60_000]);
});

/** Rejects when a signal is aborted. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', reject));
}

function echoesOf({ journal }: MockOrderService) {
  return journal.filter(({ operation }) => operation === 'echo');
}

const signals = fc.constantFrom<Signal>('success', 'failure', 'refused', 'none');
const observations = fc.array(
  fc
    .tuple(signals, fc.constantFrom('A', 'B', 'C', 'D'), fc.nat(1e6))
    .map(([signal, token, number]): Observation => ({ ...seen(signal, token), id: `${token}${number}` })),
  { maxLength: 40 },
);

test('once open, no outcome but that of a trial changes it, and no refusal is final', () => {
  fc.assert(
    fc.property(observations, observations, (before, after) => {
      const { health } = observeAll(before);
      fc.pre(health.state !== 'ok');
      const later = observeAll(after, health);
      expect(later.health).toEqual(health);
      const refused = after.filter(({ signal }) => signal === 'refused').map(({ id }) => id);
      expect(later.again).toEqual(refused);
    }),
  );
});

onBothInFull('stops after an outage of a few updates, and goes on when it is over', async (scene) => {
  const { open, service, warnings, reaches } = scene;
  const outbox = await open({ concurrency: 1 });
  const tokens = service.orders.map(({ token }) => token);
  for (const token of tokens) await outbox.enqueue(token, step(1));
  service.faults.always({ type: 'status', status: 502 });
  service.faults.next({ type: 'none' });
  await outbox.start();
  await until('the breaker is open', async () => {
    const { state, nextProbeAt } = (await outbox.status()).service;
    return state === 'service_unavailable' && nextProbeAt;
  });
  await until('the echo was tried', () => echoesOf(service).length > 1);
  expect(await outbox.counts()).toMatchObject({ needs_review: 3, queued: 9, sending: 0 });
  service.faults.clear();
  await until('the rest is applied', async () => (await outbox.counts()).applied === 9);
  expect((await outbox.status()).service).toEqual({ state: 'ok' });
  const [first] = await outbox.list();
  await outbox.retry(first?.id ?? '');
  await reaches(outbox, first?.id ?? '', 'applied');
  expect(warnings).toMatchObject([
    expect.stringMatching(/^The order service is unavailable, so updates wait .*502/s),
    'The order service works again: updates are sent.',
  ]);
});

onBothInFull('sends nothing with a key that the echo refuses', async (scene) => {
  const { open, service, token, warnings } = scene;
  await using client = createOrdersClient({ baseUrl: service.url, apiKey: 'wrong-key-wrong-key' });
  const outbox = await open({ client });
  const id = await outbox.enqueue(token, step(1));
  await outbox.start();
  await until('a person is warned', () => warnings.length > 0);
  expect(warnings[0]).toMatch(/^The order service refuses the key: .*401/s);
  expect(await outbox.get(id)).toMatchObject({ state: 'queued', attempts: 0 });
  expect((await outbox.drain()).problem).toContain('401');
  expect(service.requests({ token })).toEqual([]);
});

onBothInFull(
  'queues again what a key of the wrong type is refused for, though the echo takes it',
  async (scene) => {
    const { open, service } = scene;
    const tokens = service.orders.map(({ token }) => token).slice(0, 5);
    for (const token of tokens) service.faults.always({ type: 'status', status: 403 }, { token });
    const outbox = await open({ concurrency: 1 });
    const ids: string[] = [];
    for (const token of tokens) ids.push(await outbox.enqueue(token, step(1)));
    await outbox.start();
    await until('the key is refused', async () => (await outbox.status()).service.state === 'key_refused');
    await until('all are queued', async () => (await outbox.counts()).queued === 5);
    await until('a trial failed', () => service.requests({ token: tokens[2] ?? '' }).length > 0);
    await until('all are queued', async () => (await outbox.counts()).queued === 5);
    expect(await outbox.counts()).toMatchObject({ rejected: 0, needs_review: 0 });
    expect((await outbox.status()).service.message).toContain('SalesChannelApiKey');
    service.faults.clear();
    await until('all are applied', async () => (await outbox.counts()).applied === 5);
    for (const token of tokens) expect(stepsApplied(service, token)).toEqual([1]);
  },
);

/** An order whose first update is rejected, and whose second is in flight when another order's opens the breaker. */
async function refuseBeside(scene: Scene) {
  const { open, service, client, token, reaches } = scene;
  const held = holdResponses(scene);
  const refused = { type: 'status', status: 401 } as const;
  service.faults.next(refused, { token });
  const outbox = await open({
    client: {
      prepareUpdateOrder: client.prepareUpdateOrder,
      echo: client.echo,
      safeUpdateOrder: (...call) => (firstIsOver ? held.client : client).safeUpdateOrder(...call),
    },
  });
  let firstIsOver = false;
  await outbox.start();
  const first = await outbox.enqueue(token, step(1));
  await reaches(outbox, first, 'rejected');
  firstIsOver = true;
  return {
    outbox,
    first,
    async openBreaker() {
      const second = await outbox.enqueue(token, step(2));
      await outbox.enqueue(token, step(3));
      await until(
        'the service has responded',
        () => service.requests({ token })[1]?.respondedAt !== undefined,
      );
      expect(await outbox.get(second)).toMatchObject({ state: 'sending' });
      const other = service.orders[1]?.token ?? '';
      service.faults.next(refused, { token: other });
      await outbox.enqueue(other, step(9));
      await until(
        'the key is refused',
        async () => (await outbox.status()).service.state === 'key_refused',
        briefMs,
      );
      // Time to queue the first again, in a wrong place.
      await delay(500);
      held.release();
    },
  };
}

onBothInFull('keeps the sequence of an order whose updates are refused with the key', async (scene) => {
  const { service, token } = scene;
  const { outbox, openBreaker } = await refuseBeside(scene);
  service.faults.next({ type: 'status', status: 401 }, { token });
  await openBreaker();
  await until('all are applied', async () => (await outbox.counts()).applied === 4);
  expect(stepsApplied(service, token)).toEqual([1, 2, 3]);
});

onBothInFull('leaves an update rejected where a later one was applied meanwhile', async (scene) => {
  const { service, token } = scene;
  const { outbox, first, openBreaker } = await refuseBeside(scene);
  await openBreaker();
  await until('the others are applied', async () => (await outbox.counts()).applied === 3);
  expect(stepsApplied(service, token)).toEqual([2, 3]);
  expect(await outbox.get(first)).toMatchObject({ state: 'rejected' });
});

onBothInFull('rejects a lone update that may not be changed', async (scene) => {
  const { open, service, token, reaches } = scene;
  service.faults.next({ type: 'status', status: 403 }, { token });
  const outbox = await open();
  const id = await outbox.enqueue(token, step(1));
  await outbox.start();
  await reaches(outbox, id, 'rejected');
  const other = await outbox.enqueue(service.orders[1]?.token ?? '', step(1));
  await reaches(outbox, other, 'applied');
  expect((await outbox.status()).service).toEqual({ state: 'ok' });
});

onPostgres('goes on while a caller has locked the order of an update that was refused', async (scene) => {
  const { open, openStore, service, reaches } = scene;
  const [first = '', second = ''] = service.orders.map(({ token }) => token);
  for (const token of [first, second]) service.faults.next({ type: 'status', status: 401 }, { token });
  const outbox = await open();
  await outbox.start();
  const id = await outbox.enqueue(first, step(1));
  await reaches(outbox, id, 'rejected');
  const store = await openStore();
  const ids = [randomUUID(), randomUUID()] as const;
  await store.transaction(async (tx) => {
    // Where this process stands still, it is repeated.
    await outbox.enqueue(first, step(2), { id: ids[0], tx });
    await outbox.enqueue(second, step(1), { id: ids[1] });
    await reaches(outbox, ids[1], 'applied');
    expect(await outbox.get(id)).toMatchObject({ state: 'rejected' });
  });
  await reaches(outbox, ids[0], 'applied');
  expect(stepsApplied(service, first).at(-1)).toBe(2);
  await store.close();
});

onBothInFull(
  'sends by a worker whose own first echo has not ended, once its probe succeeds',
  async (scene) => {
    const { open, openStore, client, schema, token, reaches } = scene;
    const store = await openStore();
    let echoes = 0;
    const outbox = await open({
      store,
      client: {
        prepareUpdateOrder: client.prepareUpdateOrder,
        safeUpdateOrder: (...call) => client.safeUpdateOrder(...call),
        // The first is that of the start.
        echo: (options) => (echoes++ === 0 ? aborted(options?.signal ?? undefined) : client.echo(options)),
      },
    });
    await store.executeSql(`update ${schema}.limits set data = $1 where name = 'service'`, [
      JSON.stringify({ state: 'service_unavailable', message: 'It was away.' }),
    ]);
    const id = await outbox.enqueue(token, step(1));
    await outbox.start();
    await reaches(outbox, id, 'applied');
  },
);

onPostgres('lets one process alone probe, for all', async (scene) => {
  const { open, service } = scene;
  const outboxes = [
    await open({ concurrency: 2 }),
    await open({ concurrency: 2 }),
    await open({ concurrency: 2 }),
  ];
  await Promise.all(outboxes.map((outbox) => outbox.start()));
  const [outbox] = outboxes as [(typeof outboxes)[0]];
  await until('all work', async () => {
    const { workers } = await outbox.status();
    return workers.length === 3 && workers.every(({ problem }) => problem === undefined);
  });
  service.faults.always({ type: 'status', status: 500 });
  for (const { token } of service.orders) await outbox.enqueue(token, step(1));
  await until('the breaker is open', async () => (await outbox.status()).service.state !== 'ok');
  const before = echoesOf(service).length;
  const [first, second] = await until('it was probed again', () => {
    const probes = echoesOf(service).slice(before);
    return probes.length >= 2 && probes.map(({ at }) => at);
  });
  // A probe comes a second or more after the one that failed before, whichever process that was.
  expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(990);
  expect((await outbox.counts()).needs_review).toBeLessThanOrEqual(5);
  service.faults.clear();
  await until('the rest has left', async () => (await outbox.counts()).queued === 0);
});
