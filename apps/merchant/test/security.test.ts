import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../server/app.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';
import { sendRequest } from './send-request.ts';

const token = 'order-1';
const trustProxy = 'https://shop.example';
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ orders: [{ token, body: buildOrderUpdate() }], trustProxy });
});
afterAll(() => app.close());

const json = { 'content-type': 'application/json' };
const resume = { method: 'POST', headers: json };
const resumeUrl = (own: TestApp) => `${own.url}/api/resume`;

/** Every route that changes something. */
function changingRoutes(): readonly { readonly method: string; readonly path: string }[] {
  const faultInjection = app.service.faultInjection?.(app.parts);
  const { routes } = createApp({ ...app.parts, faultInjection });
  const found = routes.filter(({ method }) => !/^(GET|HEAD|ALL)$/.test(method));
  return found.map(({ method, path }) => ({
    method,
    path: path.replace(':token', token).replace(/:\w+/, randomUUID()),
  }));
}

test('what another site makes a browser send is refused by every route that changes something', async () => {
  const before = await app.call(`/api/orders/${token}`);
  const routes = changingRoutes();
  expect(routes.map(({ path }) => path)).toContain(`/api/orders/${token}/updates`);
  expect(routes.map(({ path }) => path)).toContain('/api/fault-injection/burst');
  expect(routes.length).toBeGreaterThanOrEqual(14);
  for (const { method, path } of routes)
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const body = method === 'DELETE' ? {} : { body: '{}' };
      const { status } = await sendRequest(app.url + path, {
        method,
        headers: { ...json, ...headers },
        ...body,
      });
      expect(status, `${method} ${path}`).toBe(403);
    }
  expect((await app.call(`/api/orders/${token}`)).body).toEqual(before.body);
});

test('a form of another site cannot post', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    expect(
      await sendRequest(`${app.url}/api/resume`, { method: 'POST', headers: { 'content-type': type } }),
    ).toMatchObject({
      status: 415,
    });
});

test('the page and a command line may send', async () => {
  const headers = { ...json, origin: app.url, 'sec-fetch-site': 'same-origin' };
  expect((await sendRequest(resumeUrl(app), { ...resume, headers })).status).toBe(204);
  expect((await sendRequest(resumeUrl(app), resume)).status).toBe(204);
});

test('only its own names and addresses are served, so that no site can point a name at it', async () => {
  const { port } = new URL(app.url);
  const statusOf = async (host: string) =>
    (await sendRequest(`${app.url}/api/orders`, { headers: { host } })).status;
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'shop.example'])
    expect(await statusOf(host)).toBe(200);
  for (const host of [`evil.example:${port}`, 'shop.example.evil.example', 'localhost.evil.example'])
    expect(await statusOf(host)).toBe(421);
});

/** A reverse proxy that ends TLS, as a browser sees it: the page is at https://shop.example. */
async function throughProxy(
  host: (own: string) => string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { hostname, port } = new URL(app.url);
  const proxy = createServer((incoming, outgoing) => {
    const own = host(`${hostname}:${port}`);
    const passed = request({
      hostname,
      port,
      path: incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, host: own },
    });
    incoming.pipe(passed).on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/resume`;
  const { status } = await sendRequest(url, { ...resume, headers: { ...json, ...headers } });
  await new Promise((resolve) => proxy.close(resolve));
  return status;
}

test.each([
  ['passes on the name', () => 'shop.example'],
  ['sends the address of the app', (own: string) => own],
])('behind a TLS proxy that %s, its own page may write and other sites may not', async (_, host) => {
  const site = { 'sec-fetch-site': 'same-origin' };
  expect(await throughProxy(host, { ...site, origin: trustProxy })).toBe(204);
  expect(await throughProxy(host, { origin: 'https://evil.example' })).toBe(403);
  expect(await throughProxy(host, { origin: trustProxy, 'sec-fetch-site': 'cross-site' })).toBe(403);
});

test('without --trust-proxy, a page of another origin may not write', async () => {
  await using plain = await openTestApp({ orders: [{ token, body: buildOrderUpdate() }] });
  const url = resumeUrl(plain);
  expect((await sendRequest(url, { ...resume, headers: { ...json, origin: trustProxy } })).status).toBe(403);
  expect((await sendRequest(url, { ...resume, headers: { ...json, host: 'shop.example' } })).status).toBe(
    421,
  );
});

test('the page runs its own scripts alone, and each request has a nonce of its own for styles', async () => {
  const nonces = new Set<string>();
  for (const path of ['/', '/orders/a.b', '/review']) {
    const { status, headers, text } = await app.call(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 200, cache: 'no-store' });
    expect(policy).toMatch(/^default-src 'self'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]+';/);
    expect(policy).not.toContain('unsafe');
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
    expect(text).toContain(`nonce="${nonce}"`);
    expect(text).not.toContain('NONCE');
    nonces.add(nonce);
  }
  expect(nonces.size).toBe(3);
});

test('files of the page are packed and cached, and no other file is served', async () => {
  const { text } = await app.call('/');
  const [script = ''] = /\/assets\/[\w-]+\.js/.exec(text) ?? [];
  const { status, headers } = await app.call(script);
  expect({ status, encoding: headers.get('content-encoding') }).toEqual({ status: 200, encoding: 'gzip' });
  expect(headers.get('cache-control')).toContain('immutable');
  for (const path of ['/assets/..%2f..%2fserver%2fmain.js', '/assets/none.js', '/api/none'])
    expect((await app.call(path)).status, path).toBe(404);
});

test('no response and no file of the page holds the key', async () => {
  const key = app.service.apiKey;
  const id = randomUUID();
  // The service sends the key back, as some gateways do in their error pages.
  app.mock.faults.next(
    { type: 'status', status: 422, body: JSON.stringify({ key, basic: btoa(`${key}:`) }) },
    { operation: 'update' },
  );
  const texts = [await app.call(`/api/orders/${token}/updates`, { id, update: buildOrderUpdate() })];
  await expect.poll(async () => (await app.outbox.get(id))?.state).toBe('rejected');
  for (const path of [
    '/',
    '/api/orders',
    `/api/orders/${token}`,
    '/api/updates',
    '/api/status',
    '/api/bulks',
    '/api/fault-injection',
    '/api/fault-injection/outcomes',
    '/api/none',
  ])
    texts.push(await app.call(path));
  expect(texts.map(({ status }) => status)).toEqual([202, ...Array(8).fill(200), 404]);
  const files = globSync('**/*', { cwd: join(import.meta.dirname, '../dist/page') }).filter((name) =>
    /\.\w+$/.test(name),
  );
  expect(files.length).toBeGreaterThan(2);
  const all = [
    ...texts.map(({ text, headers }) => text + JSON.stringify([...headers])),
    ...files.map((name) => readFileSync(join(import.meta.dirname, '../dist/page', name), 'latin1')),
  ];
  for (const secret of [key, btoa(`${key}:`)])
    expect(all.findIndex((text) => text.includes(secret))).toBe(-1);
});

test('what fails inside is logged once with its request id, without a body, and the page gets no more than the id', async () => {
  const { store } = app.parts;
  const before = app.logged.length;
  await store.query('alter table merchant.bulks rename to gone');
  const { status, body, headers } = await app
    .call('/api/bulks?name=a.csv', undefined, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: `token,merchant_note,cart.items[0].sku\n${token},a secret note,MUG\n`,
    })
    .finally(() => store.query('alter table merchant.gone rename to bulks'));
  const logged = app.logged.splice(before);
  expect(status).toBe(500);
  expect(body.error).toEqual({
    code: 'internal_error',
    message: expect.any(String),
    requestId: headers.get('x-request-id'),
  });
  expect(logged).toMatchObject([
    {
      level: 'error',
      requestId: body.error.requestId,
      route: 'POST /api/bulks',
      stack: expect.any(String),
    },
  ]);
  expect(JSON.stringify(logged)).not.toMatch(/a secret note/);
});

test('a zero character, in a path or in a body, is a bad request', async () => {
  const update = { id: randomUUID(), update: buildOrderUpdate() };
  const refused = [
    await app.call('/api/orders/%00'),
    await app.call(`/api/orders/${token}%00/updates`, update),
  ];
  expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
    Array(2).fill([400, 'bad_request']),
  );
  expect(app.logged).toEqual([]);
});

test('a body that is too large or nested too deep is refused', async () => {
  const path = `/api/orders/${token}/updates`;
  const post = (body: string) =>
    sendRequest(app.url + path, {
      method: 'POST',
      headers: { ...json, 'content-length': String(Buffer.byteLength(body)) },
      body,
    });
  const refused = await app.call(path, { update: { cart: {}, note: 'x'.repeat(1_100_000) } });
  expect([refused.status, refused.headers.get('connection')]).toEqual([413, 'close']);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const update = `{"id":"${randomUUID()}","update":{"cart":{},"note":${deep}}}`;
  expect((await post(update)).status).toBe(422);
  expect((await post('{"update":')).status).toBe(400);
  expect(app.logged).toEqual([]);
});
