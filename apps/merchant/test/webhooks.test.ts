import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../.ci/free-ports.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

const tokens = ['order-1', 'order-2', 'order-3', 'order-4', 'order-5', 'order-6'];
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ orders: tokens.map((token) => ({ token, body: buildOrderUpdate() })) });
}, 60_000);
afterAll(() => app.close());

const scanned = { id: 'evt_1', event: 'start_qr_session', order_token: 'order-1', session_id: 'qr-1' };

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  return { status: response.status, text: await response.text() };
}

const urlOf = async (token: string): Promise<string> =>
  (await app.call(`/api/orders/${token}`)).body.webhookUrl;
const session = async (token: string): Promise<string | undefined> =>
  (await app.call(`/api/orders/${token}`)).body.qrSession?.id;

test('a scan is noted, and a replay changes nothing, not even after another session', async () => {
  const url = await urlOf('order-1');
  let changes = 0;
  const leave = app.parts.events.subscribe(() => {
    changes += 1;
  });
  for (const session_id of ['qr-1', 'qr-2', 'qr-2', 'qr-1'])
    expect(await post(url, { ...scanned, session_id })).toEqual({ status: 204, text: '' });
  expect(await session('order-1')).toBe('qr-2');
  await expect.poll(() => changes).toBeGreaterThan(0);
  leave();
});

test('the sessions of an order are bounded: the latest are kept', async () => {
  const url = await urlOf('order-6');
  await app.parts.store.query(
    `insert into merchant.qr_sessions (token, id, at)
     select 'order-6', 'qr-' || n, now() + (n - 1000) * interval '1 ms' from generate_series(1, 100) as n`,
  );
  for (const index of [101, 102, 103])
    expect((await post(url, { ...scanned, session_id: `qr-${index}` })).status).toBe(204);
  const { rows } = await app.parts.store.query(
    `select id from merchant.qr_sessions where token = 'order-6' order by at`,
  );
  expect(rows).toEqual(Array.from({ length: 100 }, (_, index) => ({ id: `qr-${index + 4}` })));
  expect(await session('order-6')).toBe('qr-103');
});

test('an event of another name changes nothing', async () => {
  expect((await post(await urlOf('order-2'), { ...scanned, event: 'order_paid' })).status).toBe(204);
  expect(await session('order-2')).toBeUndefined();
});

test('a wrong secret and an unknown order get the same response', async () => {
  const url = await urlOf('order-2');
  const secret = url.split('/').at(-1) ?? '';
  expect(secret).toMatch(/^[\w-]{32,}$/);
  const root = app.webhookUrl;
  const urls = [
    `${root}/webhooks/order-2/${secret.slice(0, -1)}`,
    `${root}/webhooks/order-2/${secret}x`,
    `${root}/webhooks/order-1/${secret}`,
    `${root}/webhooks/order-9/${secret}`,
    `${root}/webhooks/order-9/x`,
    `${root}/webhooks/%00/${secret}`,
  ];
  const error = { code: 'not_found', message: 'There is no such webhook.' };
  for (const one of urls) {
    const { status, text } = await post(one, scanned);
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toMatchObject(error);
  }
  for (const token of ['order-1', 'order-2']) expect(await session(token)).not.toBe('qr-1');
});

test('what is no event, or too large, is refused', async () => {
  const url = await urlOf('order-3');
  const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  const refused = [
    ['{"event":', 400],
    ['[]', 400],
    ['', 400],
    [deep, 400],
    [{ ...scanned, session_id: 'x'.repeat(256) }, 400],
    [{ ...scanned, session_id: 'qr\u0000' }, 400],
    [{ ...scanned, more: 'x'.repeat(16_384) }, 413],
  ] as const;
  for (const [body, status] of refused)
    expect((await post(url, body)).status, JSON.stringify(body).slice(0, 40)).toBe(status);
  const endless = new Blob(['{"a":"', 'x'.repeat(100_000), '"}']).stream();
  const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit;
  expect((await fetch(url, init)).status).toBe(413);
  expect(await session('order-3')).toBeUndefined();
  expect(app.logged).toEqual([]);
});

test('the webhook port serves nothing of the app, and the port of the app no webhook', async () => {
  for (const path of ['/', '/api/orders', '/api/status', '/assets/index.js', '/orders/order-1'])
    expect((await fetch(app.webhookUrl + path)).status, path).toBe(404);
  const { pathname } = new URL(await urlOf('order-4'));
  expect((await post(app.url + pathname, scanned)).status).toBe(404);
  expect(await session('order-4')).toBeUndefined();
});

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

test.runIf(hasNginx)(
  'behind nginx as it is by default, webhooks arrive and nothing else is public',
  async () => {
    await using proxy = await startNginx(app.webhookUrl);
    for (const path of ['/', '/api/orders', '/api/status', '/api/fault-injection', '/review'])
      for (const host of ['shop.example', 'localhost', '127.0.0.1'])
        expect((await fetch(proxy.url + path, { headers: { host } })).status, path).toBe(404);
    const { pathname } = new URL(await urlOf('order-5'));
    expect((await post(proxy.url + pathname, { ...scanned, session_id: 'through-nginx' })).status).toBe(204);
    expect(await session('order-5')).toBe('through-nginx');
  },
);

/** The least that makes nginx a proxy: it sends a Host of its own. */
async function startNginx(upstream: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-nginx-'));
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
     events {} http { access_log off; ${paths.join(' ')}
     server { listen 127.0.0.1:${port}; server_name shop.example; location / { proxy_pass ${upstream}; } } }`,
  );
  const nginx: ChildProcess = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(404);
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(nginx, 'exit');
      nginx.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
