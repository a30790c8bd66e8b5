import { once } from 'node:events';
import { request } from 'node:http';
import { buildOrderUpdate } from '@orders/testing';
import { expect, test } from 'vitest';
import { openTestDesk, type TestDesk } from '../../test/open-test-desk.ts';

/** `fetch` would not send a `Host` or an `Origin` of our choice. */
async function statusOf({ desk }: TestDesk, method: 'GET' | 'POST', headers: Record<string, string>) {
  const path = method === 'GET' ? '/api/orders' : '/api/orders/order-1/update';
  const sent = request(desk.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.end(method === 'POST' ? JSON.stringify(buildOrderUpdate()) : undefined);
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}

test('lets its own page and a command line send', async () => {
  await using desk = await openTestDesk();
  const own = { origin: desk.desk.url, 'sec-fetch-site': 'same-origin' };
  expect(await statusOf(desk, 'POST', own)).toBe(200);
  expect(await statusOf(desk, 'POST', {})).toBe(200);
});

test.each([
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['another site in an old browser', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
])('refuses what %s sends', async (_, headers: Record<string, string>) => {
  await using desk = await openTestDesk();
  expect(await statusOf(desk, 'POST', headers)).toBe(403);
  expect(desk.service.journal).toEqual([]);
});

test('answers to an address and to localhost, and to no name that another site could point here', async () => {
  await using desk = await openTestDesk();
  const { port } = new URL(desk.desk.url);
  expect(await statusOf(desk, 'GET', { host: `localhost:${port}` })).toBe(200);
  expect(await statusOf(desk, 'GET', { host: `[::1]:${port}` })).toBe(200);
  expect(await statusOf(desk, 'GET', { host: `evil.example:${port}` })).toBe(421);
});
