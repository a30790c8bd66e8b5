import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { buildOrderUpdate, startOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { createOrdersClient } from './create-orders-client.ts';
import { InvalidRequestError } from './errors.ts';

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
  expect(() => orders.prepareUpdateOrder('..', buildOrderUpdate())).toThrow(InvalidRequestError);
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
