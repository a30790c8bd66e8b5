import process from 'node:process';
import { createOrdersClient } from '@orders/client';
import { type Fault, startMockOrderService } from '@orders/testing';
import { expect, onTestFinished, vi } from 'vitest';
import { onBoth, step, stepsApplied, until } from '../test/scene.ts';
import type { UnknownUpdate } from './outbox-options.ts';
import type { UpdateStatus } from './update-status.ts';

const ends: readonly [Fault | undefined, Partial<UpdateStatus>, requests: number, applied: boolean][] = [
  [undefined, { state: 'applied', status: 200 }, 1, true],
  [{ type: 'empty' }, { state: 'applied' }, 1, true],
  [{ type: 'truncation' }, { state: 'applied', code: 'invalid_response' }, 1, true],
  [{ type: 'status', status: 409 }, { state: 'rejected', code: 'http_error', status: 409 }, 1, false],
  [{ type: 'status', status: 429, headers: { 'retry-after': '0' } }, { state: 'applied' }, 2, true],
  [
    { type: 'status', status: 503, headers: { 'retry-after': '0' } },
    { state: 'parked', code: 'http_error', status: 503 },
    1,
    false,
  ],
  [{ type: 'wrong_media_type' }, { state: 'parked', code: 'invalid_response' }, 1, false],
  [{ type: 'reset_before_applying' }, { state: 'parked', code: 'connection_error' }, 1, false],
  [{ type: 'reset_after_applying' }, { state: 'parked', code: 'connection_error' }, 1, true],
  [{ type: 'stalled_headers' }, { state: 'parked', code: 'timeout' }, 1, true],
  [{ type: 'stalled_headers', applied: false }, { state: 'parked', code: 'timeout' }, 1, false],
];

onBoth('ends each fault of the service as the table says', async ({ open, clientWith, service }) => {
  const outbox = await open({ client: clientWith(8_000) });
  const tokens = service.orders.map(({ token }) => token);
  const ids: string[] = [];
  for (const [place, [fault]] of ends.entries()) {
    const token = tokens[place] ?? '';
    if (fault) service.faults.next(fault, { token });
    ids.push(await outbox.enqueue(token, step(place)));
  }
  await outbox.work();
  await outbox.drain();
  for (const [place, [, end, requests, applied]] of ends.entries()) {
    const token = tokens[place] ?? '';
    const status = await outbox.status(ids[place] ?? '');
    expect(status).toMatchObject({ ...end, attempts: requests });
    expect(status?.receipt).toBeTypeOf('object');
    expect(service.requests({ token }).length).toBe(requests);
    expect(stepsApplied(service, token)).toEqual(applied ? [place] : []);
  }
});

onBoth('sends what could not be sent once the service is there', async ({ open, reaches }) => {
  const gone = await startMockOrderService({ orders: ['ord_1'] });
  const port = Number(new URL(gone.url).port);
  await gone.close();
  await using client = createOrdersClient({ baseUrl: gone.url, apiKey: gone.key });
  const outbox = await open({ client });
  await outbox.work();
  const id = await outbox.enqueue('ord_1', step(1));
  await until('it was tried twice', async () => ((await outbox.status(id))?.attempts ?? 0) > 1);
  expect(await outbox.status(id)).toMatchObject({ code: 'connection_error' });
  await using service = await startMockOrderService({ port, keys: [gone.key], orders: ['ord_1'] });
  await reaches(outbox, id, 'applied');
  expect(stepsApplied(service, 'ord_1')).toEqual([1]);
});

onBoth('lets a parked update hold its order back, and no other', async ({ open, service, reaches }) => {
  const [first, second] = service.orders.map(({ token }) => token) as [string, string];
  const outbox = await open();
  service.faults.next({ type: 'status', status: 500 }, { token: first });
  const parked = await outbox.enqueue(first, step(1));
  const behind = await outbox.enqueue(first, step(2));
  const beside = await outbox.enqueue(second, step(3));
  await outbox.work();
  await reaches(outbox, parked, 'parked');
  await reaches(outbox, beside, 'applied');
  await outbox.enqueue(first, step(4));
  await outbox.drain();
  expect(await outbox.status(behind)).toMatchObject({ state: 'queued', attempts: 0 });
  expect(await outbox.listDecisions()).toMatchObject([{ id: parked, state: 'parked' }]);
  expect(stepsApplied(service, first)).toEqual([]);

  expect(await outbox.retry(parked)).toMatchObject({ state: 'queued' });
  await outbox.drain();
  expect(stepsApplied(service, first)).toEqual([1, 2, 4]);
  expect(await outbox.listDecisions()).toEqual([]);
});

onBoth('goes on behind a parked update that is discarded', async ({ open, service, token }) => {
  const outbox = await open();
  service.faults.next({ type: 'reset_after_applying' });
  const parked = await outbox.enqueue(token, step(1));
  await outbox.enqueue(token, step(2));
  await outbox.work();
  await outbox.drain();
  expect(await outbox.discard(parked)).toMatchObject({ state: 'discarded', code: 'decided' });
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([1, 2]);
  await expect(outbox.discard(parked)).rejects.toMatchObject({ code: 'nothing_to_decide' });
  await expect(outbox.retry(parked)).rejects.toMatchObject({ code: 'nothing_to_decide' });
});

onBoth('sends an update of unknown outcome again where that was chosen, before later ones', async (scene) => {
  const { open, service, token } = scene;
  const outbox = await open({ onUnknown: 'resend' });
  service.faults.next([{ type: 'status', status: 500 }, { type: 'reset_after_applying' }]);
  await outbox.enqueue(token, step(1));
  await outbox.enqueue(token, step(2));
  await outbox.work();
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([1, 1, 2]);
});

onBoth(
  'does with an update of unknown outcome what a function chooses',
  async ({ open, service, warnings }) => {
    const asked: UnknownUpdate[] = [];
    const choices = ['applied', 'discard', 'park', 'resend', 'nonsense', 'throw'] as const;
    const tokens = service.orders.map(({ token }) => token).slice(0, choices.length);
    const outbox = await open({
      onUnknown: async (update) => {
        asked.push(update);
        const choice = choices[tokens.indexOf(update.token)] ?? 'park';
        if (choice === 'throw') throw new Error('nobody knows');
        return choice as 'park';
      },
    });
    const ids: string[] = [];
    for (const token of tokens) {
      service.faults.next({ type: 'status', status: 502 }, { token });
      ids.push(await outbox.enqueue(token, step(1)));
      await outbox.enqueue(token, step(2));
    }
    await outbox.work();
    await outbox.drain();
    const states = await Promise.all(ids.map(async (id) => (await outbox.status(id))?.state));
    expect(states).toEqual(['applied', 'discarded', 'parked', 'applied', 'parked', 'parked']);
    const applied = tokens.map((token) => stepsApplied(service, token));
    expect(applied).toEqual([[2], [2], [], [1, 2], [], []]);
    expect(asked).toHaveLength(tokens.length);
    expect(asked[0]).toMatchObject({
      attempts: 1,
      code: 'http_error',
      message: expect.stringContaining('502'),
    });
    expect(warnings.filter((warning) => warning.includes('onUnknown'))).toHaveLength(2);
  },
);

onBoth('parks an update whose client throws or says what no client says, and no other', async (scene) => {
  const { open, service, client, warnings } = scene;
  const [thrown = '', odd = '', ...others] = service.orders.map(({ token }) => token);
  const outbox = await open({
    client: {
      prepareUpdateOrder: client.prepareUpdateOrder,
      safeUpdateOrder: async (...call) => {
        const result = await client.safeUpdateOrder(...call);
        if (call[0] === thrown) throw new TypeError(`classifyResponse failed: ${service.key}`);
        if (call[0] === odd && !result.ok) Object.assign(result.error, { outcome: 'duplicate' });
        return result;
      },
    },
  });
  service.faults.next({ type: 'status', status: 409 }, { token: odd });
  const ids: string[] = [];
  for (const token of [thrown, odd, ...others]) ids.push(await outbox.enqueue(token, step(1)));
  await outbox.work();
  await outbox.drain();
  expect(await outbox.status(ids[0] ?? '')).toMatchObject({
    state: 'parked',
    code: 'client_failed',
    message: 'The client threw TypeError, and whether the service took the update is unknown.',
    attempts: 1,
  });
  expect(await outbox.status(ids[1] ?? '')).toMatchObject({
    state: 'parked',
    code: 'http_error',
    status: 409,
  });
  expect(await outbox.counts()).toMatchObject({ applied: others.length, parked: 2 });
  expect(service.journal).toHaveLength(ids.length);
  // Told once for all of its kind, and without its words, which may hold a key.
  await outbox.retry(ids[0] ?? '');
  await outbox.drain();
  expect(warnings).toEqual([
    'The client threw TypeError, which a client must not do once bytes may have left.',
  ]);
});

onBoth('survives what is called back, and tells once that the service cannot be reached', async (scene) => {
  const { open, reaches } = scene;
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emitted.mockRestore());
  const gone = await startMockOrderService({ orders: ['ord_1', 'ord_2'] });
  const port = Number(new URL(gone.url).port);
  await gone.close();
  await using client = createOrdersClient({ baseUrl: gone.url, apiKey: gone.key });
  const told: string[] = [];
  const outbox = await open({
    client,
    onSettled: async () => {
      throw new Error('no metrics');
    },
    warn(message) {
      told.push(message);
      throw new Error('no log');
    },
  });
  await outbox.work();
  const ids = [await outbox.enqueue('ord_1', step(1)), await outbox.enqueue('ord_2', step(1))];
  for (const id of ids)
    await until('it was tried twice', async () => ((await outbox.status(id))?.attempts ?? 0) > 1);
  await using service = await startMockOrderService({ port, keys: [gone.key], orders: ['ord_1', 'ord_2'] });
  for (const id of ids) await reaches(outbox, id, 'applied');
  expect(service.ledger).toHaveLength(2);
  const ofService = told.filter((message) => message.startsWith('The order service'));
  expect(ofService).toMatchObject([
    expect.stringMatching(/cannot be reached.*ECONNREFUSED/s),
    'The order service can be reached again.',
  ]);
  expect(told).toContain('onSettled failed: no metrics');
  expect(emitted.mock.calls[0]).toMatchObject([
    expect.stringContaining('warn failed: no log'),
    'OutboxWarning',
  ]);
});

onBoth('goes on behind an update that the service rejects', async ({ open, service, token }) => {
  const outbox = await open();
  service.faults.next({ type: 'status', status: 422 });
  const id = await outbox.enqueue(token, step(1));
  await outbox.enqueue(token, step(2));
  await outbox.work();
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([2]);
  expect(await outbox.status(id)).toMatchObject({ state: 'rejected', status: 422 });
  // A later one was sent since, so it goes behind those that wait.
  await outbox.retry(id);
  await outbox.drain();
  expect(stepsApplied(service, token)).toEqual([2, 1]);
});

onBoth(
  'waits behind an update that the service rejects where that was chosen',
  async ({ open, service, token }) => {
    const outbox = await open({ onRejected: 'hold' });
    service.faults.next({ type: 'status', status: 422 });
    const id = await outbox.enqueue(token, step(1));
    await outbox.enqueue(token, step(2));
    await outbox.work();
    await outbox.drain();
    expect(stepsApplied(service, token)).toEqual([]);
    await outbox.retry(id);
    await outbox.drain();
    expect(stepsApplied(service, token)).toEqual([1, 2]);
  },
);

onBoth('pauses every order when the service says to slow down', async ({ open, service }) => {
  const outbox = await open();
  const [first = '', ...others] = service.orders.map(({ token }) => token);
  service.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '1' } }, { token: first });
  await outbox.work();
  const id = await outbox.enqueue(first, step(1));
  await until('the pause is stored', async () => (await outbox.status(id))?.status === 429);
  for (const token of others) await outbox.enqueue(token, step(1));
  await outbox.drain();
  const refusedAt = service.journal[0]?.respondedAt ?? 0;
  const [, ...later] = service.journal;
  expect(later).toHaveLength(others.length + 1);
  for (const { at } of later) expect(at - refusedAt).toBeGreaterThan(900);
});

onBoth('stores no key, not even one that the service tells', async ({ open, service, sql, schema }) => {
  const outbox = await open();
  const authorization = `Basic ${btoa(`${service.key}:`)}`;
  const body = JSON.stringify({
    error: { message: `${service.key} ${authorization} ${encodeURIComponent(service.key)}` },
  });
  for (const [place, { token }] of service.orders.entries()) {
    const status = [400, 401, 429, 500, 503][place % 5] ?? 400;
    const headers = { 'x-echo': service.key, 'retry-after': '0', 'www-authenticate': authorization };
    service.faults.next({ type: 'status', status, headers, body }, { token });
    await outbox.enqueue(token, step(1));
  }
  await outbox.work();
  await outbox.drain();
  const { rows: tables } = await sql.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema in ($1, $2)`,
    [schema, `${schema}_queue`],
  );
  let dump = '';
  for (const { name } of tables as { name: string }[]) {
    const { rows } = await sql.query(`select row_to_json(t)::text as line from ${name} as t`);
    dump += JSON.stringify(rows);
  }
  expect(dump.length).toBeGreaterThan(10_000);
  expect(dump).toContain('http_error');
  for (const secret of [service.key, btoa(`${service.key}:`), btoa(service.key)])
    expect(dump).not.toContain(secret);
});
