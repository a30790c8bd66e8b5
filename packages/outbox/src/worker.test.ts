import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { type Fault, startMockOrderService } from '@orders/testing';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../../.ci/free-ports.ts';
import { inFull } from '../../../.ci/in-full.ts';
import { testPassword } from '../../../.ci/start-postgres.ts';
import { giveAway } from '../test/give-away.ts';
import { holdResponses } from '../test/hold-responses.ts';
import {
  connect,
  onBothInFull,
  onPostgres,
  openPool,
  type Scene,
  step,
  stepsApplied,
  until,
} from '../test/scene.ts';
import { sleepMachine } from '../test/sleep-machine.ts';
import { keepListening, waitForWaking } from '../test/wait-for-waking.ts';
import { watchStore } from '../test/watch-store.ts';
import type { SettledUpdate, UnknownUpdate } from './options.ts';
import type { Outbox } from './outbox.ts';
import { postgresStore } from './postgres-store.ts';
import type { UpdateStatus } from './updates.ts';

/** Between failures come definite outcomes: three failures in a row on different orders would open the breaker. */
const ends: readonly [Fault | undefined, Partial<UpdateStatus>, requests: number, applied: boolean][] = [
  [{ type: 'status', status: 429, headers: { 'retry-after': '0' } }, { state: 'applied' }, 2, true],
  [
    { type: 'status', status: 503, headers: { 'retry-after': '0' } },
    { state: 'needs_review', code: 'http_error', status: 503 },
    1,
    false,
  ],
  [undefined, { state: 'applied', status: 200 }, 1, true],
  [{ type: 'wrong_media_type' }, { state: 'needs_review', code: 'invalid_response' }, 1, false],
  [{ type: 'empty' }, { state: 'applied' }, 1, true],
  [{ type: 'reset_before_applying' }, { state: 'needs_review', code: 'connection_error' }, 1, false],
  [{ type: 'truncation' }, { state: 'applied', code: 'invalid_response' }, 1, true],
  [{ type: 'reset_after_applying' }, { state: 'needs_review', code: 'connection_error' }, 1, true],
  [{ type: 'status', status: 409 }, { state: 'rejected', code: 'http_error', status: 409 }, 1, false],
  [{ type: 'stalled_headers' }, { state: 'needs_review', code: 'timeout' }, 1, true],
  [{ type: 'stalled_headers', applied: false }, { state: 'needs_review', code: 'timeout' }, 1, false],
];

onBothInFull('ends each fault of the service as the table of outcomes says', async (scene) => {
  const { open, client, clientWith, service, reaches } = scene;
  const settled: SettledUpdate[] = [];
  const tokens = service.orders.map(({ token }) => token);
  // A busy machine may take long for a response: only what never comes is waited for in vain.
  const impatient = clientWith(500);
  const neverResponds = (token: string) => ends[tokens.indexOf(token)]?.[0]?.type === 'stalled_headers';
  const outbox = await open({
    client: {
      prepareUpdateOrder: client.prepareUpdateOrder,
      echo: client.echo,
      safeUpdateOrder: (...call) => (neverResponds(call[0]) ? impatient : client).safeUpdateOrder(...call),
    },
    onSettled: (each) => settled.push(each),
  });
  const ids: string[] = [];
  for (const [place, [fault]] of ends.entries()) {
    const token = tokens[place] ?? '';
    if (fault) service.faults.next(fault, { token });
    ids.push(await outbox.enqueue(token, step(place)));
  }
  await outbox.start();
  for (const [place, [, end, requests, applied]] of ends.entries()) {
    const token = tokens[place] ?? '';
    const status = await reaches(outbox, ids[place] ?? '', end.state ?? 'applied');
    // It is reported once the response to the commit has arrived.
    const attempts = await until('its outcome is reported', () => {
      const ofThis = settled.filter(({ id }) => id === ids[place]);
      return ofThis.at(-1)?.state === end.state && ofThis;
    });
    // On a busy machine an attempt may end before a byte has left, and then there is another.
    expect(status).toMatchObject({ ...end, attempts: attempts.length });
    expect(status?.receipt).toBeTypeOf('object');
    // By the time that an attempt ends for want of a response, the service may not have read it.
    const seen = service.requests({ token }).length;
    if (neverResponds(token)) expect(seen).toBeLessThanOrEqual(requests);
    else expect(seen).toBe(requests);
    expect(stepsApplied(service, token)).toEqual(applied && seen > 0 ? [place] : []);
    expect(attempts.at(-1)).toMatchObject({ token });
    expect(attempts.at(-1)?.ageMs).toBeGreaterThan(0);
  }
});

onBothInFull('holds an order, and no other, behind an update that needs review', async (scene) => {
  const { open, service, reaches } = scene;
  const [first, second] = service.orders.map(({ token }) => token) as [string, string];
  const outbox = await open();
  service.faults.next({ type: 'status', status: 500 }, { token: first });
  const unknown = await outbox.enqueue(first, step(1));
  const behind = await outbox.enqueue(first, step(2));
  const beside = await outbox.enqueue(second, step(3));
  await outbox.start();
  await reaches(outbox, unknown, 'needs_review');
  await reaches(outbox, beside, 'applied');
  const last = await outbox.enqueue(first, step(4));
  await outbox.drain();
  expect(await outbox.get(behind)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(stepsApplied(service, first)).toEqual([]);
  expect(await outbox.retry(unknown)).toMatchObject({ state: 'queued' });
  await reaches(outbox, last, 'applied');
  expect(stepsApplied(service, first)).toEqual([1, 2, 4]);
  expect(await outbox.list()).toEqual([]);
});

onBothInFull(
  'resends an update of unknown outcome where that was chosen, before later ones',
  async (scene) => {
    const { open, service, token, reaches } = scene;
    const outbox = await open({ onUnknown: 'resend' });
    service.faults.next([{ type: 'status', status: 500 }, { type: 'reset_after_applying' }], { token });
    await outbox.enqueue(token, step(1));
    const last = await outbox.enqueue(token, step(2));
    await outbox.start();
    await reaches(outbox, last, 'applied');
    expect(stepsApplied(service, token)).toEqual([1, 1, 2]);
  },
);

onBothInFull('does with an update of unknown outcome what a function chooses', async (scene) => {
  const { open, service, warnings, reaches } = scene;
  const choices = ['applied', 'discard', 'review', 'resend', 'nonsense', 'throw'] as const;
  const states = ['applied', 'discarded', 'needs_review', 'applied', 'needs_review', 'needs_review'] as const;
  const tokens = service.orders.map(({ token }) => token).slice(0, choices.length);
  const calls: UnknownUpdate[] = [];
  const outbox = await open({
    onUnknown: async (update) => {
      calls.push(update);
      const choice = choices[tokens.indexOf(update.token)] ?? 'review';
      if (choice === 'throw') throw new Error('the lookup failed');
      return choice as 'review';
    },
  });
  const ids: string[] = [];
  for (const token of tokens) {
    service.faults.next({ type: 'status', status: 502 }, { token });
    ids.push(await outbox.enqueue(token, step(1)));
    await outbox.enqueue(token, step(2));
  }
  await outbox.start();
  for (const [place, id] of ids.entries()) await reaches(outbox, id, states[place] ?? 'applied');
  await until('those behind are sent', () => service.ledger.length === 4);
  const applied = tokens.map((token) => stepsApplied(service, token));
  expect(applied).toEqual([[2], [2], [], [1, 2], [], []]);
  expect(calls[0]).toMatchObject({
    attempts: 1,
    code: 'http_error',
    message: expect.stringContaining('502'),
  });
  expect(warnings.filter((warning) => warning.includes('onUnknown failed'))).toHaveLength(2);
});

onBothInFull('sends to review what a client of the caller throws for, without its words', async (scene) => {
  const { open, service, client, warnings, reaches } = scene;
  const tokens = service.orders.map(({ token }) => token).slice(0, 6);
  const [thrown = '', odd = '', bare, unreadable, wordless] = tokens;
  const receipt = { toJSON: () => ({ count: 1n }) };
  const outbox = await open({
    client: {
      prepareUpdateOrder: client.prepareUpdateOrder,
      echo: client.echo,
      safeUpdateOrder: async (...call) => {
        const result = await client.safeUpdateOrder(...call);
        if (call[0] === thrown) throw new TypeError(`classifyResponse failed: ${service.key}`);
        if (call[0] === odd && !result.ok) Object.assign(result.error, { outcome: 'duplicate' });
        if (call[0] === bare) return { ok: true, status: 200 } as never;
        if (call[0] === unreadable) return { ok: true, status: 200, receipt } as never;
        if (call[0] === wordless)
          return { ok: false, error: { outcome: 'rejected', code: 5, status: 409 } } as never;
        return result;
      },
    },
    onSettled: async () => {
      throw new Error('no metrics');
    },
  });
  service.faults.next({ type: 'status', status: 409 }, { token: odd });
  const ids: string[] = [];
  for (const token of tokens) ids.push(await outbox.enqueue(token, step(1)));
  await outbox.start();
  const [first = '', second = '', third = '', fourth = '', fifth = '', last = ''] = ids;
  expect(await reaches(outbox, first, 'needs_review')).toMatchObject({
    code: 'client_failed',
    message: 'The client threw TypeError, and whether the update was applied is unknown.',
  });
  expect(await reaches(outbox, second, 'needs_review')).toMatchObject({ code: 'http_error', status: 409 });
  expect(await reaches(outbox, third, 'needs_review')).toMatchObject({ code: 'client_failed' });
  expect(await reaches(outbox, fourth, 'applied')).not.toHaveProperty('receipt');
  expect(await reaches(outbox, fifth, 'rejected')).toMatchObject({ code: '5', status: 409 });
  await reaches(outbox, last, 'applied');
  expect(warnings).toContain('onSettled failed: no metrics');
  expect(warnings.join()).not.toContain(service.key);
});

onBothInFull('goes on behind a rejected update, or waits where that was chosen', async (scene) => {
  const { open, service, token, reaches } = scene;
  const other = service.orders[1]?.token ?? '';
  const outbox = await open();
  service.faults.next({ type: 'status', status: 422 }, { token });
  const rejected = await outbox.enqueue(token, step(1));
  await reaches(outbox, await outbox.enqueue(token, step(2)), 'queued');
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([2]);
  expect(await outbox.get(rejected)).toMatchObject({ state: 'rejected', status: 422, update: step(1) });
  await outbox.close();
  const holding = await open({ onRejected: 'hold' });
  service.faults.next({ type: 'status', status: 422 }, { token: other });
  const held = await holding.enqueue(other, step(1));
  await holding.enqueue(other, step(2));
  await holding.drain();
  expect(stepsApplied(service, other)).toEqual([]);
  await holding.retry(held);
  await holding.drain();
  expect(stepsApplied(service, other)).toEqual([1, 2]);
});

onBothInFull('lets what is in flight end when it closes, and stores it', async (scene) => {
  const { open, service, token, reaches } = scene;
  const held = holdResponses(scene);
  const outbox = await open({ client: held.client });
  await outbox.start();
  const id = await outbox.enqueue(token, step(1));
  const next = await outbox.enqueue(token, step(2));
  await reaches(outbox, id, 'sending');
  const draining = outbox.drain().catch((error: unknown) => error);
  const closing = outbox.close();
  held.release();
  expect(await draining).toMatchObject({ code: 'closed' });
  await Promise.all([closing, outbox.close()]);
  const again = await open();
  expect(await again.get(id)).toMatchObject({ state: 'applied' });
  expect(await again.get(next)).toMatchObject({ state: 'queued' });
  await again.drain();
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});

onBothInFull('aborts what takes longer than the grace, and sends it to review', async (scene) => {
  const { open, service, token, reaches } = scene;
  const outbox = await open({ onUnknown: () => new Promise(() => {}) });
  const other = service.orders[1]?.token ?? '';
  service.faults.next({ type: 'stalled_headers' }, { token });
  service.faults.next({ type: 'status', status: 500 }, { token: other });
  await outbox.start();
  const stalled = await outbox.enqueue(token, step(1));
  const undecided = await outbox.enqueue(other, step(2));
  await reaches(outbox, stalled, 'sending');
  await until(
    'the other has its response',
    () => service.requests({ token: other })[0]?.respondedAt !== undefined,
  );
  await outbox.close({ graceMs: 50 });
  const again = await open();
  expect(await again.get(stalled)).toMatchObject({ state: 'needs_review', code: 'aborted' });
  expect(await again.get(undecided)).toMatchObject({ state: 'needs_review', code: 'http_error' });
});

onBothInFull('sends at once what an idle order gets, from whichever process', async (scene) => {
  const { open, openStore, engine, token, reaches } = scene;
  const outbox = await open({ store: waitForWaking(await openStore()) });
  await outbox.start();
  await using _ = await keepListening(scene);
  const producer = engine === 'PostgreSQL' ? await open() : outbox;
  for (let number = 0; number < 4; number++)
    await reaches(producer, await producer.enqueue(token, step(number)), 'applied');
});

onPostgres('sends at once what is accepted while a turn ends', async (scene) => {
  const { open, openStore, service, token, reaches } = scene;
  const producer = await open();
  const [, other = ''] = service.orders.map((order) => order.token);
  let accepting: Promise<string> | undefined;
  const outbox = await open({
    store: watchStore(waitForWaking(await openStore()), {
      async afterCommit(turn) {
        // Its notification arrives after the turn has looked at the queue.
        if (turn?.heads.length !== 1 || accepting) return;
        accepting = producer.enqueue(other, step(2));
        await accepting;
        await delay(50);
      },
    }),
  });
  await outbox.start();
  await until('a worker is ready', async () =>
    (await outbox.status()).workers.some(({ problem }) => !problem),
  );
  await using _ = await keepListening(scene);
  await reaches(outbox, await outbox.enqueue(token, step(1)), 'applied');
  await reaches(outbox, (await accepting) ?? '', 'applied');
});

onBothInFull('lets other orders go first where one has many updates', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open({ concurrency: 1 });
  const other = service.orders[1]?.token ?? '';
  for (let number = 0; number < 20; number++) await outbox.enqueue(token, step(number));
  await outbox.enqueue(other, step(1));
  await outbox.drain();
  const place = service.ledger.findIndex((entry) => entry.token === other);
  expect(place).toBeGreaterThan(0);
  expect(place).toBeLessThan(20);
});

/** A transaction of a caller that has added to an order, and lasts until it is ended. */
async function addTo(outbox: Outbox, { postgres }: Scene, token: string): Promise<() => Promise<void>> {
  const client = await connect(postgres);
  await client.query('begin');
  await outbox.enqueue(token, step(99), { tx: client });
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

onPostgres(
  'stores an outcome while a transaction holds the order, and goes on with others',
  async (scene) => {
    const { open, service, token, reaches } = scene;
    const held = holdResponses(scene);
    const outbox = await open({ client: held.client, concurrency: 1 });
    await outbox.start();
    const id = await outbox.enqueue(token, step(1));
    await reaches(outbox, id, 'sending');
    const release = await addTo(outbox, scene, token);
    held.release();
    await reaches(outbox, id, 'applied');
    // There is one place, and the order that is held takes none.
    await reaches(outbox, await outbox.enqueue(service.orders[1]?.token ?? '', step(2)), 'applied');
    expect(stepsApplied(service, token)).toEqual([1]);
    await release();
    await until('the next is applied', () => stepsApplied(service, token).length === 2);
    expect(stepsApplied(service, token)).toEqual([1, 99]);
  },
);

onPostgres('goes on while callers wait to add to an order that a transaction holds', async (scene) => {
  const { open, postgres, service, token, reaches, warnings } = scene;
  const connectionTimeoutMillis = 60_000;
  const { connectionString } = postgres;
  const pool = openPool({ connectionString, connectionTimeoutMillis, max: 4 });
  onTestFinished(() => pool.end());
  const store = postgresStore({ pool });
  const outbox = await open({
    store: {
      ...store,
      transaction: (run, options) =>
        store.transaction(async (tx) => {
          // However busy the machine is, a caller waits until the test lets it go on.
          if (!options?.worker) await tx.query(`set local lock_timeout = '60s'`);
          return run(tx);
        }, options),
    },
  });
  await outbox.start();
  const release = await addTo(outbox, scene, token);
  // More than there are connections.
  const waiting = Array.from({ length: 8 }, (_, place) => outbox.enqueue(token, step(place)));
  await delay(100);
  await reaches(outbox, await outbox.enqueue(service.orders[1]?.token ?? '', step(1)), 'applied');
  await release();
  const ids = await Promise.all(waiting);
  for (const id of ids) await reaches(outbox, id, 'applied');
  expect(stepsApplied(service, token)).toEqual([99, 0, 1, 2, 3, 4, 5, 6, 7]);
  expect(warnings).toEqual([]);
});

onBothInFull('waits for its own response when the queue gives it back its own job', async (scene) => {
  const { open, service, token, reaches } = scene;
  const held = holdResponses(scene);
  const outbox = await open({ client: held.client });
  await outbox.start();
  const id = await outbox.enqueue(token, step(1));
  await until('the service has it', () => service.ledger.length === 1);
  const next = await outbox.enqueue(token, step(2));
  await giveAway(scene, token);
  await reaches(outbox, await outbox.enqueue(service.orders[1]?.token ?? '', step(3)), 'applied');
  await delay(300);
  expect(await outbox.get(id)).toMatchObject({ state: 'sending' });
  held.release();
  await reaches(outbox, next, 'applied');
  expect(await outbox.counts()).toMatchObject({ applied: 3, needs_review: 0 });
  expect(stepsApplied(service, token)).toEqual([1, 2]);
});

onBothInFull('takes up an order whose job was lost', async (scene) => {
  const { open, service, token, sql, schema } = scene;
  const outbox = await open();
  await outbox.enqueue(token, step(1));
  await sql.query(`delete from ${schema}_queue.job_common`);
  await sql.query(`update ${schema}.updates set created_at = clock_timestamp() - interval '2 minutes'`);
  await outbox.start();
  await until('it is applied', () => stepsApplied(service, token).length === 1);
});

/** How long the database is away once that was noticed, in milliseconds. */
const awayMs = inFull ? 30_000 : 0;

onBothInFull('sends what could not be sent once the service is there', async (scene) => {
  const { open, reaches, warnings } = scene;
  const port = await freePort();
  const gone = await startMockOrderService({ orders: ['ord_1'], port });
  await gone.close();
  await using client = createOrdersClient({ baseUrl: gone.url, apiKey: gone.key });
  const outbox = await open({ client });
  const id = await outbox.enqueue('ord_1', step(1));
  await outbox.start();
  await until('a person is warned', () => warnings.length > 0);
  expect(warnings).toMatchObject([
    expect.stringMatching(/^The order service is unavailable: .*ECONNREFUSED/s),
  ]);
  await until('the status says so', async () =>
    (await outbox.status()).workers[0]?.problem?.includes('ECONNREFUSED'),
  );
  expect(await outbox.get(id)).toMatchObject({ state: 'queued', attempts: 0 });
  await using service = await startMockOrderService({ port, keys: [gone.key], orders: ['ord_1'] });
  await reaches(outbox, id, 'applied');
  expect(stepsApplied(service, 'ord_1')).toEqual([1]);
});

onPostgres(
  'goes on with an order whose late response it stores after another took it over',
  async (scene) => {
    const { open, openStore, service, sql, schema, token, reaches } = scene;
    const held = holdResponses(scene);
    const stalled = Promise.withResolvers<void>();
    let isStalling = false;
    const outbox = await open({
      client: held.client,
      store: watchStore(await openStore(), {
        // As if the process were stopped before the response arrives.
        async begin(isTurn) {
          if (isStalling && isTurn) await stalled.promise;
        },
      }),
    });
    await outbox.start();
    const id = await outbox.enqueue(token, step(1));
    const later = await outbox.enqueue(token, step(2));
    await until('it was applied', () => service.ledger.length === 1);
    isStalling = true;
    held.release();
    const other = await open();
    await giveAway(scene, token);
    await other.start();
    await reaches(other, id, 'needs_review');
    // A sweep, which takes up what has no job, comes after a minute: not here.
    await sql.query(`update ${schema}.updates set created_at = clock_timestamp() + interval '1 hour'`);
    // By then its job is unconfirmed.
    sleepMachine(3_500);
    stalled.resolve();
    await reaches(other, id, 'applied');
    await reaches(other, later, 'applied');
    expect(stepsApplied(service, token)).toEqual([1, 2]);
  },
  { isAlone: true },
);

onPostgres(
  'takes no order over that it fetched long ago by the response of its poll',
  async (scene) => {
    const { open, openStore, service, token, reaches } = scene;
    const store = await openStore();
    const stalled = Promise.withResolvers<void>();
    let fetched = 0;
    const outbox = await open({
      onUnknown: 'resend',
      store: {
        ...store,
        listen: async () => ({ isListening: false, reason: '', async close() {} }),
        async executeSql(text, values) {
          const result = await store.executeSql(text, values);
          if (fetched === 0 && result.rows.some((row) => (row as { singletonKey?: string }).singletonKey)) {
            fetched++;
            await stalled.promise;
          }
          return result;
        },
      },
    });
    await outbox.start();
    const producer = await open();
    await until('it is ready', async () =>
      (await producer.status()).workers.some((worker) => !worker.problem),
    );
    const steps: number[] = [];
    let id = '';
    // A transaction of the worker may fetch, too: then it is applied, and the next update is for the poll.
    for (let state: string | undefined = 'applied'; fetched === 0 && state === 'applied'; ) {
      steps.push(steps.length + 1);
      id = await producer.enqueue(token, step(steps.length));
      state = await until('it is fetched', async () => {
        const found = (await producer.get(id))?.state;
        return (fetched === 1 || found === 'applied') && found;
      });
    }
    sleepMachine(3_200);
    const held = holdResponses(scene);
    const other = await open({ client: held.client, onUnknown: 'resend' });
    await giveAway(scene, token);
    await other.start();
    await reaches(other, id, 'sending');
    stalled.resolve();
    // It resolves once the first has let go of the order.
    await outbox.drain();
    held.release();
    await reaches(other, id, 'applied');
    expect(stepsApplied(service, token)).toEqual(steps);
  },
  { isAlone: true },
);

onPostgres(
  'goes on once a database is back, and loses and repeats nothing',
  async (scene) => {
    const { open, service, postgres, warnings } = scene;
    const outboxes = [await open(), await open()] as const;
    const [outbox] = outboxes;
    await Promise.all(outboxes.map((each) => each.start()));
    service.faults.always({ type: 'latency', ms: 50 });
    const enqueueing = (async () => {
      for (let number = 0; number < 60; number++) {
        const id = randomUUID();
        const token = service.orders[number % 12]?.token ?? '';
        await until('it is accepted', () =>
          outbox.enqueue(token, step(number), { id }).catch((error) => error.code === 'duplicate_id'),
        );
      }
    })();
    await until('some are in flight', () => service.journal.length > 10);
    await postgres.stop();
    const warnedOf = (problem: RegExp) => warnings.filter((text) => problem.test(text)).length;
    await until('both say that it fails', () => warnedOf(/The database of the outbox fails/) === 2);
    await delay(awayMs);
    await postgres.start();
    await enqueueing;
    await until('all is applied', async () => {
      const counts = await outbox.counts().catch(() => undefined);
      // What was in flight when the database left may have been taken over: its response settles it.
      return counts?.applied === 60;
    });
    for (const { token } of service.orders) {
      const steps = stepsApplied(service, token).map(Number);
      expect(steps).toEqual(steps.toSorted((a, b) => a - b));
      expect(steps).toHaveLength(5);
    }
    await until('both say that it is over', () => warnedOf(/works again/) === 2);
    expect(warnedOf(/The database of the outbox fails/)).toBe(2);
    expect(warnings.join()).not.toContain(testPassword);
  },
  { isAlone: true },
);

onPostgres(
  'writes nothing more once it was closed without its database',
  async (scene) => {
    const { open, openStore, token, reaches, warnings } = scene;
    const store = await openStore();
    let isAway = false;
    const unlessAway = <Result>(work: () => Promise<Result>): Promise<Result> =>
      isAway ? Promise.reject(new Error('Connection terminated unexpectedly')) : work();
    const held = holdResponses(scene);
    const outbox = await open({
      client: held.client,
      store: {
        ...store,
        query: (text, values) => unlessAway(() => store.query(text, values)),
        executeSql: (text, values) => unlessAway(() => store.executeSql(text, values)),
        transaction: (run, options) => unlessAway(() => store.transaction(run, options)),
        // It stays open, as a PGlite of the caller does.
        close: async () => {},
      },
    });
    await outbox.start();
    const id = await outbox.enqueue(token, step(1));
    await reaches(outbox, id, 'sending');
    isAway = true;
    held.release();
    await until('it fails', () => warnings.some((text) => text.includes('fails')));
    await outbox.close({ graceMs: 10 });
    isAway = false;
    // Before a timer fires, what it waits for is over, as on a busy machine.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(warnings.at(-1)).toContain('could be stored: 1 will need review');
    const again = await open();
    await again.start();
    await reaches(again, id, 'needs_review');
    await store.close();
  },
  { isAlone: true },
);

onPostgres(
  'closes without its database',
  async (scene) => {
    const { open, postgres, token, reaches, warnings } = scene;
    const held = holdResponses(scene);
    const outbox = await open({ client: held.client });
    await outbox.start();
    const id = await outbox.enqueue(token, step(1));
    await reaches(outbox, id, 'sending');
    await postgres.stop();
    held.release();
    try {
      await outbox.close({ graceMs: 10 });
    } finally {
      await postgres.start();
    }
    expect(warnings).toContain(
      'The worker stopped before the outcomes of all updates could be stored: 1 will need review.',
    );
    const again = await open();
    await again.start();
    await reaches(again, id, 'needs_review');
  },
  { isAlone: true },
);
