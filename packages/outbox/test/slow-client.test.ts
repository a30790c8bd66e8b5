import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient, type OrdersClientOptions } from '@orders/client';
import { expect } from 'vitest';
import { onBothInFull, type Scene, step, stepsApplied, until } from './scene.ts';
import { sleepMachine } from './sleep-machine.ts';

/** As long as a claim may not be old when the first byte leaves. */
const takeLong = (): void => sleepMachine(3_200);

/** A client whose parts are as slow as a vault, a hook or a limit of somebody else may be. */
function slowClient({ service }: Scene, options: Partial<OrdersClientOptions>) {
  const { apiKey = service.key, ...rest } = options;
  return createOrdersClient({ baseUrl: service.url, apiKey, ...rest });
}

onBothInFull('uses credentials in the turn that they were read for, and in no later one', async (scene) => {
  const { open, service, token } = scene;
  let readings = 0;
  await using client = slowClient(scene, {
    apiKey: async () => {
      readings++;
      return service.key;
    },
  });
  const outbox = await open({ client });
  await outbox.start();
  await scene.reaches(outbox, await outbox.enqueue(token, step(0)), 'applied');
  await until('all is quiet', async () => {
    const before = readings;
    await delay(100);
    return readings === before;
  });
  for (let count = 1; count <= 3; count++) {
    const before = readings;
    const id = await outbox.enqueue(token, step(count));
    await scene.reaches(outbox, id, 'applied');
    // One more turn stores the outcome and looks for another update of the order.
    expect(readings - before).toBeGreaterThanOrEqual(1);
    expect(readings - before).toBeLessThanOrEqual(2);
  }
});

onBothInFull(
  'sends though each reading of the credentials takes longer than a claim lives',
  async (scene) => {
    const { open, service, warnings } = scene;
    const tokens = service.orders.map(({ token }) => token);
    let readings = 0;
    const usedReadings = new Set<number>();
    await using client = slowClient(scene, {
      apiKey: async () => {
        readings++;
        takeLong();
        return service.key;
      },
      beforeAttempt: () => void usedReadings.add(readings),
    });
    const outbox = await open({ client, concurrency: tokens.length });
    for (const token of tokens) await outbox.enqueue(token, step(1));
    expect(await outbox.drain()).toEqual({ problem: undefined });
    for (const token of tokens) expect(stepsApplied(service, token)).toEqual([1]);
    // A turn sends for many orders.
    expect(usedReadings.size).toBeLessThan(tokens.length);
    expect(warnings).toEqual([]);
  },
  { isAlone: true },
);

onBothInFull(
  'says that a claim expired, waits longer each time, and warns once',
  async (scene) => {
    const { open, service, warnings, token } = scene;
    const settled: (string | undefined)[] = [];
    let isSlow = true;
    await using client = slowClient(scene, {
      async beforeAttempt() {
        if (isSlow) takeLong();
      },
    });
    const outbox = await open({
      client,
      maxRetryDelayMs: 60_000,
      onSettled: ({ code }) => settled.push(code),
    });
    const id = await outbox.enqueue(token, step(1));
    await outbox.start();
    const held = await until(
      'the claim has expired',
      async () => {
        const found = await outbox.get(id);
        return found?.heldBy?.reason === 'claim_expired' && found;
      },
      20,
    );
    expect(held).toMatchObject({
      state: 'queued',
      code: 'claim_expired',
      heldBy: { until: expect.any(Date) },
    });
    // Between two delays it is being sent again, and nothing holds it.
    const named = await until(
      'the status names it',
      async () => (await outbox.status()).held.find(({ reason }) => reason === 'claim_expired'),
      20,
    );
    expect(named).toMatchObject({ id, orders: 1 });
    expect(stepsApplied(service, token)).toEqual([]);
    await until('it expired twice', () => settled.length >= 2);
    expect(settled.slice(0, 2)).toEqual(['claim_expired', 'claim_expired']);
    expect(warnings.filter((warning) => warning.includes('within 3 s of its claim'))).toHaveLength(1);
    isSlow = false;
    await scene.reaches(outbox, id, 'applied');
    expect(stepsApplied(service, token)).toEqual([1]);
  },
  { isAlone: true },
);

onBothInFull(
  'takes claims that expire for no outage of the service, however many orders they are of',
  async (scene) => {
    const { open, service, warnings } = scene;
    const tokens = service.orders.slice(0, 4).map(({ token }) => token);
    const expired = new Set<string>();
    await using client = slowClient(scene, {
      async beforeAttempt() {
        if (expired.size < tokens.length) takeLong();
      },
    });
    const outbox = await open({
      client,
      onSettled: ({ code, token }) => void (code === 'claim_expired' && expired.add(token)),
    });
    for (const token of tokens) await outbox.enqueue(token, step(1));
    await outbox.start();
    await until('each has expired', () => expired.size === tokens.length);
    expect((await outbox.status()).service).toEqual({ state: 'ok' });
    await until('all is applied', () => service.ledger.length === tokens.length);
    expect(warnings.filter((warning) => warning.includes('unavailable'))).toEqual([]);
  },
  { isAlone: true },
);

onBothInFull('sends later what a hook of the client ends, and says why', async (scene) => {
  const { open, client, service, token } = scene;
  let calls = 0;
  await using broken = slowClient(scene, {
    beforeAttempt() {
      calls++;
      throw new Error('of the caller');
    },
  });
  const outbox = await open({
    client: {
      prepareUpdateOrder: client.prepareUpdateOrder,
      echo: client.echo,
      safeUpdateOrder: broken.safeUpdateOrder,
    },
  });
  const id = await outbox.enqueue(token, step(1));
  await outbox.drain();
  const { attempts, ...status } = (await outbox.get(id)) ?? {};
  expect(status).toMatchObject({
    state: 'queued',
    code: 'aborted',
    message: expect.stringContaining('beforeAttempt threw'),
  });
  expect(attempts).toBe(calls);
  expect(service.ledger).toEqual([]);
});

onBothInFull(
  'sends nothing, and knows that, where a function returns no credentials any more',
  async (scene) => {
    const { open, client, service, token } = scene;
    const returned = ['no\nkey', new Error('no key'), {}, 4711, null, { reveal: () => 4711 }];
    for (const each of returned) {
      const credentials = async () => each as never;
      await using broken = createOrdersClient({
        baseUrl: service.url,
        ...(typeof each === 'string' ? { apiKey: async () => each } : { credentials }),
      });
      const outbox = await open({
        client: {
          prepareUpdateOrder: client.prepareUpdateOrder,
          echo: client.echo,
          safeUpdateOrder: broken.safeUpdateOrder,
          readCredentials: broken.readCredentials,
        },
      });
      const id = await outbox.enqueue(token, step(1));
      await outbox.drain();
      expect(await outbox.get(id)).toMatchObject({ state: 'queued', code: 'connection_error' });
      expect(service.requests({ token })).toEqual([]);
      await outbox.discard(id);
      await outbox.close();
    }
  },
);
