import { expect, test } from 'vitest';
import { ECHO_PATH, orderPath } from '../../test/send.ts';
import type { Fault } from '../service/faults/fault.ts';
import { createOrderService, type OrderService, startOrderService } from '../service/order-service.ts';

const faults: readonly Fault[] = [
  { fault: 'none' },
  { fault: 'status', status: 503, headers: { 'retry-after': '1' } },
  { fault: 'status', status: 204 },
  { fault: 'status', status: 304 },
  { fault: 'redirect' },
  { fault: 'redirect', status: 303, location: ECHO_PATH },
  { fault: 'empty' },
  { fault: 'no_content' },
  { fault: 'invalid_json' },
  { fault: 'wrong_media_type' },
  { fault: 'latency', ms: 1 },
  { fault: 'slow_drip', intervalMs: 0 },
  { fault: 'oversize', bytes: 300_000, chunked: true },
  { fault: 'gzip_bomb', bytes: 300_000 },
  { fault: 'close_after_answer' },
  { fault: 'truncation' },
  { fault: 'garbage' },
  { fault: 'reset_on_accept' },
  { fault: 'reset_before_body' },
  { fault: 'reset_after_applying' },
];

function update({ url, key, token }: OrderService, init: RequestInit = {}): [string, RequestInit] {
  const headers = { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' };
  return [url + orderPath(token), { method: 'PATCH', headers, body: '{"cart":{},"note":"é"}', ...init }];
}

/** What one update comes to, as far as the Fetch Standard says. */
async function tell(service: OrderService, send: typeof fetch): Promise<unknown> {
  try {
    const answer = await send(...update(service));
    const { status, statusText, type, headers } = answer;
    const { date: _, connection: __, 'keep-alive': ___, ...shown } = Object.fromEntries(headers);
    const path = answer.url.replace(service.url, '');
    return { status, statusText, type, path, headers: shown, text: await answer.text() };
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message };
  }
}

async function meet(service: OrderService, fault: Fault, send: typeof fetch): Promise<unknown> {
  service.faults.next(fault);
  const seen = await tell(service, send);
  const received = service.journal.map(({ method, path, headers }) => [method, path, headers['accept']]);
  return { seen, received, applied: service.ledger.map(({ body }) => body) };
}

test.each(faults)('ends as the global fetch with %j', async (fault) => {
  const options = { orders: ['a'], keys: ['k'] };
  await using listening = await startOrderService(options);
  const memory = createOrderService(options);
  expect(await meet(memory, fault, memory.fetch)).toEqual(await meet(listening, fault, fetch));
});

test.each(['manual', 'error', 'follow'] as const)('redirects as told: %s', async (redirect) => {
  const options = {
    orders: ['a'],
    keys: ['k'],
    faults: [{ when: 'always', play: { fault: 'redirect' } }],
  } as const;
  await using listening = await startOrderService(options);
  const memory = createOrderService(options);
  const status = async (service: OrderService, send: typeof fetch) =>
    send(...update(service, { redirect })).then(
      (answer) => [answer.status, service.journal.length],
      (error: Error) => [error.name, error.message, service.journal.length],
    );
  expect(await status(memory, memory.fetch)).toEqual(await status(listening, fetch));
});

test('gives up when told, before, during and after the head', async () => {
  const service = createOrderService();
  const reason = new Error('enough');
  await expect(service.fetch(...update(service, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
  expect(service.journal).toEqual([]);

  const waiting = new AbortController();
  service.faults.next([{ fault: 'stalled_headers' }, { fault: 'stalled_body' }]);
  const stalled = service.fetch(...update(service, { signal: waiting.signal }));
  await service.received(1);
  waiting.abort(reason);
  await expect(stalled).rejects.toBe(reason);

  const reading = new AbortController();
  const answer = await service.fetch(...update(service, { signal: reading.signal }));
  const text = answer.text();
  reading.abort(reason);
  await expect(text).rejects.toBe(reason);
});

test('takes a Request, and a body of any kind', async () => {
  const service = createOrderService({ keys: ['k'] });
  const [url, init] = update(service);
  expect((await service.fetch(new Request(url, init))).status).toBe(200);
  const bytes = new TextEncoder().encode('{"cart":{"items":[]}}');
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  expect((await service.fetch(url, { ...init, body: bytes })).status).toBe(200);
  expect(
    (await service.fetch(new URL(url), { ...init, body: stream, duplex: 'half' } as RequestInit)).status,
  ).toBe(200);
  expect(service.ledger.map(({ body }) => body.cart)).toEqual([{}, { items: [] }, { items: [] }]);
});

test('reaches nothing but this service', async () => {
  const service = createOrderService();
  await expect(service.fetch('https://other.test/')).rejects.toThrow(
    expect.objectContaining({
      message: 'fetch failed',
      cause: new Error('Only https://orders.test is served in memory, not https://other.test.'),
    }),
  );
});

test('can be left in the middle of an answer', async () => {
  const service = createOrderService({ keys: ['k'] });
  service.faults.next({ fault: 'oversize', bytes: 50_000_000 });
  const answer = await service.fetch(...update(service));
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect((await service.fetch(...update(service))).status).toBe(200);
});
