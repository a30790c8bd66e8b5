import { Agent, type buildConnector, request } from 'undici';
import { expect, expectTypeOf, test } from 'vitest';
import { ECHO_PATH, orderPath } from '../../test/send.ts';
import type { Fault } from '../service/faults/fault.ts';
import {
  createOrderService,
  type MemoryOrderService,
  type OrderService,
  startOrderService,
} from '../service/order-service.ts';
import type { Connector } from './memory-connector.ts';

const faults: readonly Fault[] = [
  { fault: 'none' },
  { fault: 'status', status: 503, headers: { 'retry-after': '1' } },
  { fault: 'redirect' },
  { fault: 'empty' },
  { fault: 'no_content' },
  { fault: 'invalid_json' },
  { fault: 'wrong_media_type' },
  { fault: 'latency', ms: 1 },
  { fault: 'slow_drip', intervalMs: 0 },
  { fault: 'oversize', bytes: 300_000 },
  { fault: 'oversize', bytes: 300_000, chunked: true },
  { fault: 'gzip_bomb', bytes: 300_000 },
  { fault: 'close_after_answer' },
  { fault: 'stalled_headers' },
  { fault: 'stalled_body' },
  { fault: 'truncation' },
  { fault: 'garbage' },
  { fault: 'reset_on_accept' },
  { fault: 'reset_before_body' },
  { fault: 'reset_before_applying' },
  { fault: 'reset_after_applying' },
  { fault: 'restart', downMs: 1 },
];

/** What undici makes of one update, whichever way it goes. */
async function sendOne({ url, key, token }: OrderService, dispatcher: Agent): Promise<unknown> {
  try {
    const { statusCode, headers, body } = await request(url + orderPath(token), {
      method: 'PATCH',
      headers: {
        authorization: `Basic ${btoa(`${key}:`)}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({ cart: {}, order_id: 'a' }),
      dispatcher,
    });
    const { date: _, ...shown } = headers;
    return { statusCode, headers: shown, text: await body.text() };
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    return { name, code, message: message.replace(/^(connect|read) | 127\.0\.0\.1:\d+$/g, '') };
  }
}

async function meet(service: OrderService, fault: Fault, dispatcher: Agent): Promise<unknown> {
  service.faults.next(fault);
  const seen = await sendOne(service, dispatcher);
  const { ledger, requests } = service;
  return {
    seen,
    applied: ledger.map(({ body }) => body),
    received: requests().map(({ complete }) => complete),
  };
}

const timeouts = { headersTimeout: 50, bodyTimeout: 50 };

test.each(faults)('ends for undici as over a socket with %j', async (fault) => {
  const options = { orders: ['a'], keys: ['k'], now: () => 0 };
  await using listening = await startOrderService(options);
  const memory = createOrderService(options);
  const overSocket = await meet(listening, fault, new Agent(timeouts));
  const overMemory = await meet(memory, fault, new Agent({ ...timeouts, connect: memory.connect }));
  expect(overMemory).toEqual(overSocket);
});

test('keeps its connections, and knows one that is used again', async () => {
  const service = createOrderService({ keys: ['k'] });
  const agent = new Agent({ connect: service.connect, connections: 1 });
  service.faults.next({ fault: 'reset_on_reuse' });
  expect(await sendOne(service, agent)).toMatchObject({ statusCode: 200 });
  expect(await sendOne(service, agent)).toMatchObject({ code: 'ECONNRESET' });
  expect(await sendOne(service, agent)).toMatchObject({ statusCode: 200 });
  expect(service.faults.played).toHaveLength(1);
  await agent.close();
});

test('refuses connections while it restarts, comes back, and stays closed', async () => {
  const service = createOrderService();
  const agent = new Agent({ connect: service.connect });
  service.faults.next({ fault: 'restart', downMs: 60_000 });
  expect(await sendOne(service, agent)).toMatchObject({ name: 'SocketError' });
  expect(await sendOne(service, agent)).toMatchObject({ code: 'ECONNREFUSED' });
  await service.close();
  expect(await sendOne(service, agent)).toMatchObject({ code: 'ECONNREFUSED' });
});

test('ends connections that are open when it closes', async () => {
  const service = createOrderService({ latencyMs: 60_000 });
  const sent = sendOne(service, new Agent({ connect: service.connect }));
  await service.received(1);
  await service.close();
  expect(await sent).toMatchObject({ name: 'SocketError', message: 'other side closed' });
});

test('carries many requests at once over many connections, large bodies too', async () => {
  const service = createOrderService({ keys: ['k'], maxBodyBytes: 4_000_000 });
  const agent = new Agent({ connect: service.connect, connections: 8 });
  const body = JSON.stringify({ cart: {}, note: 'é'.repeat(200_000) });
  const answers = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const answer = await request(service.url + orderPath(service.token), {
        method: 'PATCH',
        headers: { authorization: `Basic ${btoa('k:')}`, 'content-type': 'application/json' },
        body,
        dispatcher: agent,
      });
      return (await answer.body.text()).length;
    }),
  );
  expect(new Set(answers).size).toBeLessThanOrEqual(2);
  expect(service.ledger).toHaveLength(64);
  expect(service.journal.every((entry) => entry.body.toString() === body)).toBe(true);
  await agent.close();
});

test('leads to this service and nowhere else', async () => {
  const service = createOrderService({ url: 'https://staging.example' });
  const agent = new Agent({ connect: service.connect });
  const elsewhere = request('https://other.example/', { dispatcher: agent });
  await expect(elsewhere).rejects.toThrow('Only https://staging.example is served here');
  const here = await request(service.url + ECHO_PATH, { dispatcher: agent });
  expect(here.statusCode).toBe(401);
});

test.each(['orders.test', 'ftp://orders.test', 'https://orders.test/v1', 'https://u:p@orders.test'])(
  'refuses the base URL %s',
  (url) => {
    expect(() => createOrderService({ url })).toThrow(TypeError);
    expect(() => createOrderService({ url })).toThrow(/^url: /);
  },
);

test('is what an undici agent takes as `connect`', () => {
  expectTypeOf<Connector>().toExtend<buildConnector.connector>();
  expectTypeOf<MemoryOrderService>().toExtend<OrderService>();
});
