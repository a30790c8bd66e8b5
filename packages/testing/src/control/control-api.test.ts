import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openSocket, readAll } from '../../test/open-socket.ts';
import { bodyOf } from '../../test/raw-update.ts';
import { basic, codeOf, ECHO_PATH, type Received, send } from '../../test/send.ts';
import { startReceiver } from '../../test/webhook-receiver.ts';
import { type OrderService, startOrderService } from '../service/order-service.ts';

/** Asks the control API over its socket; a body is sent as JSON. */
function ask(service: OrderService, line: string, body?: object, key = service.key): Promise<Received> {
  const [method = '', path = ''] = line.split(' ');
  return send(
    { ...service, key },
    { method, path: `/_control${path}`, ...(body === undefined ? {} : { body }) },
  );
}

test('is there only where it was asked for', async () => {
  await using service = await startOrderService();
  const answer = await ask(service, 'GET /');
  expect([answer.status, codeOf(answer)]).toEqual([404, 'path_not_found']);
});

test('takes any key of the service and nobody else', async () => {
  await using service = await startOrderService({
    control: true,
    keys: ['one', { key: 'two', type: 'ReportApiKey' }],
  });
  const statusOf = async (key: string) => (await ask(service, 'DELETE /faults', undefined, key)).status;
  expect([await statusOf('one'), await statusOf('two'), await statusOf('three')]).toEqual([204, 204, 401]);
  const bare = await send(service, { method: 'GET', path: '/_control', headers: { authorization: null } });
  expect([bare.status, bare.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)]);
});

test('stands in no journal and meets no fault', async () => {
  await using service = await startOrderService({ control: true });
  service.faults.always({ fault: 'reset_before_body' });
  service.faults.next({ fault: 'status', status: 503 });
  const answer = await ask(service, 'GET /faults');
  expect(answer.json).toMatchObject({ waiting: [{ fault: 'status' }], played: [] });
  expect(service.journal).toEqual([]);
  const { status } = await send(service);
  expect([status, service.journal.map(({ requestId }) => requestId)]).toEqual([503, ['req_1']]);
});

test('puts the service back to how it began', async () => {
  await using service = await startOrderService({ control: true });
  service.faults.always({ fault: 'latency', ms: 0 });
  await send(service);
  expect((await ask(service, 'POST /reset', {})).status).toBe(204);
  expect([service.ledger, service.journal, service.faults.played]).toEqual([[], [], []]);
  expect(service.orders).toEqual([
    { token: service.token, data: {}, revision: 0 },
    ...service.orders.slice(1),
  ]);
});

test('scripts a fault, and shows what came of it', async () => {
  await using service = await startOrderService({ control: true, orders: ['ord_1', 'ord_2'] });
  const rule = { when: 'next', play: { fault: 'status', status: 502 }, operation: 'update' };
  expect((await ask(service, 'POST /faults', rule)).json).toEqual({ added: 1 });
  await send(service, { method: 'GET', path: ECHO_PATH });
  expect((await send(service)).status).toBe(502);
  expect((await send(service, { path: '/v2/orders/ord_2' })).status).toBe(200);

  const { json: faults } = await ask(service, 'GET /faults');
  expect(faults).toMatchObject({ waiting: [], played: [{ fault: rule.play, requestId: 'req_2' }] });
  const { json: ledger } = await ask(service, 'GET /ledger?token=ord_2');
  expect(ledger).toEqual({ entries: service.ledger, next: 'req_3', omitted: 0 });
  const { json: orders } = await ask(service, 'GET /orders');
  expect(orders).toEqual({ entries: service.orders, next: 'ord_2', omitted: 0 });
  const { json: journal, text } = await ask(service, 'GET /journal?after=req_1');
  expect(journal).toMatchObject({
    entries: [
      { requestId: 'req_2', body: '{"cart":{}}', fault: rule.play, headers: { authorization: '[redacted]' } },
      { requestId: 'req_3', token: 'ord_2', status: 200 },
    ],
    next: 'req_3',
  });
  for (const shown of [service.key, basic(`${service.key}:`)]) expect(text).not.toContain(shown);
});

test('sends webhooks to the address that an update has set', async () => {
  await using receiver = await startReceiver();
  await using service = await startOrderService({
    control: true,
    webhooks: { headers: { 'x-secret': 'sekret' } },
  });
  await send(service, { body: { cart: {}, hooks: { webhook_url: receiver.url } } });
  const { json, text } = await ask(service, 'POST /webhooks', { event: 'start_qr_session' });
  const { id } = json as { id: string };
  const again = await ask(service, `POST /webhooks/${id}/replay`, {});
  expect([json, again.json]).toEqual(service.webhooks.sent);
  expect(receiver.calls.map(({ headers }) => headers['x-secret'])).toEqual(['sekret', 'sekret']);
  expect(text).not.toContain('sekret');
});

test('a service that closes ends a webhook under way at once', async () => {
  await using receiver = await startReceiver(() => {});
  await using service = await startOrderService({ control: true, webhooks: { timeoutMs: 3_600_000 } });
  const sending = ask(service, 'POST /webhooks', { event: 'paid', url: receiver.url }).catch(() => 'ended');
  await receiver.received(1);
  await service.close();
  expect(await sending).toBe('ended');
  expect(service.webhooks.sent).toMatchObject([{ attempts: [{ error: 'service_closed' }] }]);
});

test('refuses a page of another origin, and a body that is too large', async () => {
  await using service = await startOrderService({ control: true });
  const headers = { origin: 'http://example.test' };
  const page = await send(service, { method: 'DELETE', path: '/_control/faults', headers });
  expect([page.status, codeOf(page)]).toEqual([403, 'origin_refused']);
  const large = await ask(service, 'POST /faults', { when: 'x'.repeat(1_048_576) });
  expect(large.status).toBe(413);
});

test('answers HEAD without a body and an absolute target as any', async () => {
  await using service = await startOrderService({ control: true });
  const head = await ask(service, 'HEAD /');
  expect([head.status, head.text]).toEqual([200, '']);
  const socket = await openSocket(service);
  const authorization = `authorization: ${basic(`${service.key}:`)}`;
  socket.write(
    `GET ${service.url}/_control/journal?after=0 HTTP/1.1\r\nhost: x\r\n${authorization}\r\nconnection: close\r\n\r\n`,
  );
  const [answer] = await Promise.all([readAll(socket), once(socket, 'close')]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(bodyOf(answer)).toBe('{"entries":[],"next":"0","omitted":0}');
});
