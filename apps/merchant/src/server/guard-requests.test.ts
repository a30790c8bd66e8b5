import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { openTestDesk, pageDirectory, type TestDesk } from '../../test/open-test-desk.ts';
import { createApp } from './create-app.ts';

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `fetch` would not send a `Host` or an `Origin` of our choice. */
async function statusOf({ desk }: Pick<TestDesk, 'desk'>, ask: Ask): Promise<number | undefined> {
  const { method = 'GET', path = '/api/orders', headers = {} } = ask;
  const sent = request(desk.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.end(/GET|DELETE/.test(method) ? undefined : '{"draft":null}');
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}

/** Every route that changes something, with a token, a secret and an id that are made up. */
function changingRoutes(open: TestDesk) {
  const app = createApp({
    ...open,
    desk: open.updates,
    pageDirectory,
    host: '127.0.0.1',
    publicUrl: 'http://127.0.0.1',
    signal: new AbortController().signal,
  });
  const routes = app.routes.filter(({ method }) => !/^(GET|HEAD|ALL)$/.test(method));
  return [
    ...new Set(routes.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, 'order-1')}`)),
  ].map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { method, path };
  });
}

test('refuses whatever another site, another port or an old browser sends to a route that changes something', async () => {
  await using open = await openTestDesk();
  const others = [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
  ];
  const routes = changingRoutes(open);
  expect(routes).toContainEqual({ method: 'POST', path: '/hooks/order-1/order-1' });
  expect(routes).toContainEqual({ method: 'PUT', path: '/api/orders/order-1/draft' });
  expect(routes.length).toBeGreaterThanOrEqual(13);
  for (const route of routes)
    for (const headers of others)
      expect(await statusOf(open, { ...route, headers }), `${route.method} ${route.path}`).toBe(403);
  expect(open.service.journal).toEqual([]);
  expect(await open.storage.events.lastSeq()).toBe(0);
});

test('lets its own page, a command line and the order service send', async () => {
  await using open = await openTestDesk();
  const own = { origin: open.desk.url, 'sec-fetch-site': 'same-origin' };
  const route = { method: 'PUT', path: '/api/orders/order-1/draft' };
  expect(await statusOf(open, { ...route, headers: own })).toBe(204);
  expect(await statusOf(open, route)).toBe(204);
  const file = { method: 'POST', path: '/api/bulks', headers: { 'content-type': 'text/csv' } };
  expect([201, 422]).toContain(await statusOf(open, file));
  const { webhookSecret } = (await open.storage.orders.find('order-1')) ?? {};
  expect(await statusOf(open, { method: 'POST', path: `/hooks/order-1/${webhookSecret}` })).toBe(204);
});

test('refuses a body that a form of another site could post', async () => {
  await using open = await openTestDesk();
  const route = { method: 'POST', path: '/api/orders/order-1/updates' };
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  ])
    expect(await statusOf(open, { ...route, headers: { 'content-type': type } })).toBe(415);
});

test('answers to an address and to localhost, and to no name that another site could point here', async () => {
  await using open = await openTestDesk();
  const { port } = new URL(open.desk.url);
  expect(await statusOf(open, { headers: { host: `localhost:${port}` } })).toBe(200);
  expect(await statusOf(open, { headers: { host: `[::1]:${port}` } })).toBe(200);
  expect(await statusOf(open, { headers: { host: `evil.example:${port}` } })).toBe(421);
});

test('answers to its public name for webhooks and for nothing else', async () => {
  await using open = await openTestDesk({ publicUrl: 'https://desk.example' });
  const headers = { host: 'desk.example' };
  const { webhookSecret } = (await open.storage.orders.find('order-1')) ?? {};
  expect(await statusOf(open, { method: 'POST', path: `/hooks/order-1/${webhookSecret}`, headers })).toBe(
    204,
  );
  for (const path of ['/', '/api/orders', '/hooks/../api/orders'])
    expect(await statusOf(open, { path, headers })).toBe(421);
});
