import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import * as undici6 from 'undici6';
import { expect, test } from 'vitest';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { createOrdersClient, type OrdersClientOptions } from './index.ts';
import { Agent, MockAgent, ProxyAgent } from './undici.ts';

const update = buildOrderUpdate();

function destroyed(): Agent {
  const agent = new Agent();
  void agent.destroy();
  return agent;
}

function closed(): Agent {
  const agent = new Agent();
  void agent.close();
  return agent;
}

function withoutMock(): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent.get('http://127.0.0.1');
  return agent;
}

const old =
  /UND_ERR_INVALID_ARG: the dispatcher is of undici 6 or older\. Pass an Agent of @orders\/client\/undici/;

test.each<[name: string, create: (url: string) => unknown, message: RegExp]>([
  ['an Agent of undici 6', () => new undici6.Agent(), old],
  ['a Pool of undici 6', (url) => new undici6.Pool(url), old],
  ['a Client of undici 6', (url) => new undici6.Client(url), old],
  ['a ProxyAgent of undici 6', (url) => new undici6.ProxyAgent(url), old],
  [
    'a RetryAgent of undici 6',
    () => new undici6.RetryAgent(new undici6.Agent()),
    /onConnect is not a function/,
  ],
  ['a MockAgent of undici 6', () => new undici6.MockAgent(), old],
  ['a destroyed Agent', destroyed, /the dispatcher was destroyed\. Close it after the client/],
  ['a closed Agent', closed, /the dispatcher was (closed|destroyed)\. Close it after the client/],
  ['a MockAgent without a mock', withoutMock, /the MockAgent has no mock for this request/],
])('%s is a mistake that is not retried', async (_name, create, message) => {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  const dispatcher = create(service.url) as NonNullable<OrdersClientOptions['dispatcher']>;
  await using orders = createOrdersClient({ baseUrl: service.url, apiKey: service.key, dispatcher });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({
    code: 'connection_error',
    outcome: 'not_sent',
    attemptCount: 1,
    retryable: false,
  });
  expect(error?.message).toMatch(message);
  expect(service.journal).toEqual([]);
});

test.each([
  ['undefined', undefined],
  ['a promise of an Agent', Promise.resolve(new Agent())],
  ['the class', Agent],
  ['an object', {}],
  ['a URL of a proxy', 'http://127.0.0.1:1'],
])('%s as the dispatcher is the default or a TypeError', (_name, dispatcher) => {
  const create = () =>
    createOrdersClient({ baseUrl: 'http://127.0.0.1', apiKey: 'swordfish', dispatcher: dispatcher as never });
  if (dispatcher === undefined) expect(create).not.toThrow();
  else expect(create).toThrow('dispatcher: pass a dispatcher of undici');
});

test('a ProxyAgent whose proxy refuses the connection is retried', async () => {
  await using server = await startRawServer((socket) => socket.resetAndDestroy());
  const dispatcher = new ProxyAgent({ uri: server.url, proxyTunnel: true });
  await using orders = createOrdersClient({
    baseUrl: 'https://127.0.0.1:1',
    apiKey: 'swordfish',
    dispatcher,
    retry: { maxAttempts: 1 },
  });
  const { error } = await orders.safeUpdateOrder('order_1234', update);
  expect(error).toMatchObject({ outcome: 'not_sent', retryable: true });
});

const earlyHints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n';

// undici takes a `100 Continue` that it did not ask for as a broken response, and has no option for it.
test.each([
  ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n', true],
  ['103 Early Hints', earlyHints, true],
  ['103 Early Hints a hundred times', earlyHints.repeat(100), true],
  ['199', 'HTTP/1.1 199 Odd\r\n\r\n', true],
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n', false],
  ['101 Switching Protocols', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', false],
])('a response after %s is read, or the update is unknown', async (_name, interim, isRead) => {
  await using server = await startRawServer((socket) => socket.write(interim + httpAnswer(200, {}, '{}')));
  await using orders = createOrdersClient({ baseUrl: server.url, apiKey: 'swordfish' });
  const result = await orders.safeUpdateOrder('order_1234', update);
  expect(result).toMatchObject(
    isRead ? { ok: true, data: {} } : { ok: false, error: { outcome: 'unknown' } },
  );
});
