import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { bearer } from '@orders/auth';
import { buildOrderUpdate, startOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { httpAnswer, startRawServer } from '../test/raw-server.ts';
import { ValidationError } from './errors.ts';
import { createOrdersClient } from './index.ts';

const run = promisify(execFile);
const apiKey = 'swordfish-$(id)-"å"\'';
const token = `it's/a?b#c {d} [e] $HOME`;

async function start() {
  const service = await startOrderService({ keys: { [apiKey]: 'SalesChannelApiKey' }, orders: [token] });
  return { service, orders: createOrdersClient({ baseUrl: service.url, apiKey }) };
}

test('what was prepared is what is sent, whatever happens to the update meanwhile', async () => {
  const { service, orders } = await start();
  await using _service = service;
  await using _orders = orders;
  const update = buildOrderUpdate({ order_id: 'before' });
  const prepared = orders.prepareUpdateOrder(token, update);
  const { body } = prepared;
  update.order_id = 'after';
  await expect(prepared.send()).resolves.toMatchObject({ outcome: 'applied' });
  expect(service.journal[0]?.body.toString()).toBe(body);
  expect(prepared.bodyBytes).toBe(service.journal[0]?.body.length);
  expect(`${service.url}${service.journal[0]?.path}`).toBe(prepared.url);
  expect(JSON.parse(body).order_id).toBe('before');
});

test('an update that is wrong is refused when it is prepared', async () => {
  const { service, orders } = await start();
  await using _service = service;
  await using _orders = orders;
  expect(() => orders.prepareUpdateOrder('..', buildOrderUpdate())).toThrow(ValidationError);
  expect(() => orders.prepareUpdateOrder(token, JSON.parse('{}'))).toThrow(/cart/);
});

test('it prints without the key, the body and the whole order token, and cannot be changed', async () => {
  const { service, orders } = await start();
  await using _service = service;
  await using _orders = orders;
  const prepared = orders.prepareUpdateOrder(
    'order_token_1234',
    buildOrderUpdate({ order_id: 'private-order' }),
  );
  const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true };
  const printed = [
    inspect(prepared),
    inspect(prepared, deep),
    inspect(prepared, { ...deep, customInspect: false }),
    JSON.stringify(prepared),
    String(prepared),
  ].join('\n');
  expect(printed).toContain('…1234');
  expect(printed).not.toMatch(/swordfish|private-order|order_token/);
  expect(() => Object.assign(prepared, { body: '{}' })).toThrow(TypeError);
});

test.each([2, 3_000])('its curl command runs and applies the same update of %d lines', async (lines) => {
  const { service, orders } = await start();
  await using _service = service;
  await using _orders = orders;
  const items = Array.from({ length: lines }, (_, index) => ({
    sku: `it's ${index} "$HOME" \`id\` \\ ✓`,
    quantity: 1,
  }));
  const update = buildOrderUpdate({ cart: { items } });
  const curl = orders.prepareUpdateOrder(token, update).toCurl();
  expect(curl).not.toContain('swordfish');
  const shell = run('sh', ['-s'], { env: { ...process.env, ORDERS_API_KEY: apiKey }, maxBuffer: 8_000_000 });
  shell.child.stdin?.end(curl.replace('curl ', 'curl --silent --fail '));
  const { stdout } = await shell;
  expect(JSON.parse(stdout)).toMatchObject({ revision: 1 });
  expect(service.appliedTo(token)).toEqual([update]);
});

test('its curl command is the true request: the headers of the client, a bearer token, and no key in sight', async () => {
  await using server = await startRawServer((socket) => socket.end(httpAnswer(200, {}, '{}')));
  const bearerToken = 'swordfish.token';
  await using orders = createOrdersClient({
    baseUrl: server.url,
    credentials: bearer(bearerToken),
    headers: { 'X-Shop': `it's 1` },
  });
  const curl = orders.prepareUpdateOrder('order_1234', buildOrderUpdate()).toCurl();
  // What a process is started with, others on the machine can see.
  const started = curl.replace(
    'curl ',
    () => 'sh -c \'tr "\\0" " " < /proc/$$/cmdline >&2; exec curl --silent "$@"\' sh ',
  );
  const env = { ...process.env, ORDERS_BEARER_TOKEN: bearerToken };
  const shell = run('sh', ['-s'], { env });
  shell.child.stdin?.end(started);
  const { stdout, stderr } = await shell;
  expect(stdout).toBe('{}');
  expect(stderr).toContain('--data');
  expect(stderr).not.toContain(bearerToken);
  const [head = ''] = (server.requests[0] ?? '').toLowerCase().split('\r\n\r\n');
  expect(head).toContain(`authorization: bearer ${bearerToken}`);
  expect(head).toContain(`x-shop: it's 1`);
  expect(head).toContain('accept: application/json');
  expect(head).toContain('content-type: application/json');
});
