import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { createApp } from '../server/app.ts';
import { createWebhookSigner } from '../server/webhooks.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

const orders = ['order-1', 'order-2', 'order-3'].map((token) => ({ token, body: buildOrderUpdate() }));
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ orders });
});
afterAll(() => app.close());

/** Parts of a path that are no id, each as it is written in a URL. */
const ids = [
  '-'.repeat(36),
  'f'.repeat(36),
  '00000000-0000-0000-0000-00000000000',
  '00000000-0000-0000-0000-000000000000',
  '0000000000000000000000000000000000-0',
  randomUUID().toUpperCase(),
  `%7B${randomUUID()}%7D`,
  'none',
  '0',
  '-1',
  '1e309',
  '..',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%00',
  `${randomUUID()}%00`,
  '%ED%A0%80',
  '%FF%FE',
  '%E2%80%AE',
  '%',
  '%zz',
  'x'.repeat(3_000),
  "'%3B%20drop%20table%20merchant.orders%3B--",
  '%25%5C_',
  '__proto__',
  'constructor',
  'null',
];

const bodies = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '1e999',
  '{}',
  '{"__proto__":{"id":1}}',
  '{"id":"none","update":{"cart":{}}}',
  `{"id":"${'-'.repeat(36)}","update":{"cart":{}}}`,
  `{"id":"${randomUUID()}","update":null}`,
  `{"id":"${randomUUID()}","update":{"cart":{"items":[{"quantity":1e300}]}}}`,
  `{"id":"${randomUUID()}","update":{"cart":{},"x":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
  '{"note":"\\u0000\\ud800"}',
  '{"note":5}',
  '{"token":"\\u0000"}',
  '{"scenario":"__proto__","percent":1}',
  '{"scenario":"down","percent":1e9}',
  '{"orders":1e9,"updates":1e9}',
  '\u0000',
  '\ufeff{}',
];

const queries = [
  'limit=1e999&offset=1e30&after=1e30&updates=1e30',
  'limit=-1&offset=-1&after=-1&updates=-1',
  'limit=NaN&offset=NaN&after=NaN&updates=NaN',
  'limit=9007199254740993&offset=9007199254740993&after=9223372036854775808&updates=9e15',
  'state=%00&after=%00&search=%00&name=%00',
  'state=__proto__&after=__proto__&search=__proto__&name=__proto__',
  `state=%25&after=${'-'.repeat(36)}&search=%25%5C_&name=%ED%A0%80`,
  `state=${'x'.repeat(5_000)}&after=${randomUUID()}&search=${'x'.repeat(5_000)}&name=${'x'.repeat(5_000)}`,
  `after=${randomUUID()}%00&search=%5C&name=..%2f..%2fx`,
  'after=1970-01-01T00:00:00Z&search=%22%27%3B&name=',
  'after=5,5&search=(&name=%0d%0aX:1',
];

/** In brief, every third of them: others on each route, so that each is tried on some. */
const someOf = <T>(all: readonly T[], route: number): readonly T[] =>
  inFull ? all : all.filter((_, index) => (index + route) % 3 === 0);

/** A request as it is written, also one that `fetch` would not send. Resolves with its status. */
function send(url: string, { method, path, body = '' }: { method: string; path: string; body?: string }) {
  const { hostname, port } = new URL(url);
  const length = ['GET', 'HEAD'].includes(method) ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return new Promise<number>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n` +
          `Content-Type: application/json\r\n${length}\r\n${length ? body : ''}`,
      ),
    );
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      if (status === undefined) return;
      resolve(Number(status));
      socket.destroy();
    });
    socket.on('error', reject);
    // Node closes the socket of a CONNECT without a listener.
    socket.on('close', () => resolve(0));
  });
}

/** Every route, each with the values of its parameters that are right. */
function routes(): readonly { readonly method: string; readonly path: string }[] {
  const faultInjection = app.service.faultInjection?.(app.parts);
  const found = createApp({ ...app.parts, faultInjection }).routes;
  return found.filter(({ method, path }) => method !== 'ALL' && path !== '/api/events');
}

const failed = (statuses: Readonly<Record<string, number>>) =>
  Object.entries(statuses).filter(([, status]) => status >= 500);

test('an id that is none is not found, on every route that has one', async () => {
  const statuses: Record<string, number> = {};
  const found: string[] = [];
  const withId = routes().filter(({ path }) => path.includes(':'));
  for (const [route, { method, path }] of withId.entries())
    for (const id of someOf(ids, route)) {
      const to = path.replace(/:\w+/, id);
      const body = path.endsWith('/updates')
        ? JSON.stringify({ id: randomUUID(), update: { cart: {} } })
        : '{}';
      const status = await send(app.url, { method, path: to, body });
      statuses[`${method} ${to}`] = status;
      // What is no text at all may be a bad request.
      const isBad = status === 400 && /%00/.test(id);
      // An inbox keeps no event apart that is unknown, and one that is handled.
      const isNoEvent = status === 409 && path.startsWith('/api/webhooks/');
      if (status !== 404 && !isBad && !isNoEvent && id !== '..') found.push(`${method} ${to}: ${status}`);
    }
  expect(failed(statuses)).toEqual([]);
  expect(found).toEqual([]);
  expect(app.logged.splice(0)).toEqual([]);
});

test('a body that is none is refused, on every route, and fails nothing', async () => {
  const statuses: Record<string, number> = {};
  const known = {
    ':token': 'order-1',
    ':id': randomUUID(),
  };
  const writing = routes().filter(({ method }) => method !== 'GET');
  for (const [route, { method, path }] of writing.entries())
    for (const [index, body] of someOf([...bodies.entries()], route)) {
      const to = path.replace(/:token|:id/, (name) => known[name as keyof typeof known]);
      statuses[`${method} ${to} body ${index}`] = await send(app.url, { method, path: to, body });
    }
  expect(failed(statuses)).toEqual([]);
  expect(app.logged.splice(0)).toEqual([]);
});

test('a query of any kind fails nothing, on every list', async () => {
  const uploaded = await app.call('/api/bulks?name=a.csv', undefined, {
    method: 'POST',
    body: 'token,order_id,cart.items[0].sku\norder-3,A-1,MUG\n',
    headers: { 'content-type': 'text/csv' },
  });
  const statuses: Record<string, number> = {};
  const paths = [
    '/api/orders',
    '/api/orders/order-1',
    '/api/updates',
    '/api/bulks',
    `/api/bulks/${uploaded.body.id}`,
    `/api/bulks/${uploaded.body.id}/result.csv`,
    '/api/status',
    '/api/fault-injection/outcomes',
    '/orders/x',
  ];
  for (const [index, path] of paths.entries())
    for (const query of someOf(queries, index))
      statuses[`${path}?${query.slice(0, 60)}`] = await send(app.url, {
        method: 'GET',
        path: `${path}?${query}`,
      });
  expect(failed(statuses)).toEqual([]);
  expect(app.logged.splice(0)).toEqual([]);
});

test.each(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'CONNECT', 'PROPFIND', 'QUERY'])(
  '%s fails nothing, on any path',
  async (method) => {
    const paths = ['/', ...new Set(routes().map(({ path }) => path.replace(/:\w+/, 'order-1')))];
    const statuses: Record<string, number> = {};
    for (const path of paths) statuses[path] = await send(app.url, { method, path, body: '{}' });
    expect(failed(statuses)).toEqual([]);
    expect(app.logged.splice(0)).toEqual([]);
    // It still listens.
    expect((await app.call('/api/status')).status).toBe(200);
  },
);

test('a webhook of any token, secret, method and body fails nothing', async () => {
  const { path } = await createWebhookSigner(app.parts.store);
  const statuses: Record<string, number> = {};
  for (const id of ids) {
    statuses[`token ${id}`] = await send(app.webhookUrl, {
      method: 'POST',
      path: `/webhooks/${id}/x`,
      body: '{}',
    });
    statuses[`secret ${id}`] = await send(app.webhookUrl, {
      method: 'POST',
      path: `/webhooks/order-1/${id}`,
      body: '{}',
    });
  }
  const sessions = ['"\\u0000"', '"\\ud800"', '5', 'null', '{}', `"${'x'.repeat(300)}"`, '"__proto__"'];
  for (const body of [...bodies, ...sessions.map((id) => `{"event":"start_qr_session","session_id":${id}}`)])
    for (const token of ['order-1', '\u0000'])
      statuses[`${JSON.stringify(token)} ${body.slice(0, 80)}`] = await send(app.webhookUrl, {
        method: 'POST',
        path: path(token),
        body,
      });
  for (const method of ['GET', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'CONNECT'])
    statuses[method] = await send(app.webhookUrl, { method, path: path('order-1'), body: '{}' });
  expect(failed(statuses)).toEqual([]);
  const unlike422 = app.logged
    .splice(0)
    .filter(({ message }) => !message.includes('422 to an event: it has no '));
  expect(unlike422).toEqual([]);
});
