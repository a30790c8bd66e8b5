import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresStore } from '@orders/outbox';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../.ci/free-ports.ts';
import { rowsOf } from '../server/database.ts';
import { addOrders } from '../server/stored-orders.ts';
import { enqueueUpdates } from '../server/updates.ts';
import { createWebhookSigner } from '../server/webhooks.ts';
import { followEvents } from './follow-events.ts';
import { openTestApp, openTestStore, type TestApp } from './open-test-app.ts';
import { createDatabase, needPostgres } from './open-test-postgres.ts';
import { tables } from './share-postgres.ts';

const tokens = ['order-1', 'order-2', 'order-3', 'order-4', 'order-5', 'order-6', 'order-7'];
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ orders: tokens.map((token) => ({ token, body: buildOrderUpdate() })) });
});
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
/** The sessions that the order service got in updates of an order, in their sequence. */
const sessions = (token: string) => app.mock.appliedUpdates(token).map(({ qr_session_id }) => qr_session_id);
const stored = (token: string) =>
  app.parts.inbox.list({ token, states: ['queued', 'handled', 'needs_review', 'discarded'] });

test('a scan becomes an update with its session, which the page hears of, and a replay changes nothing, not even after another session', async () => {
  const url = await urlOf('order-1');
  const heard = await followEvents(app);
  for (const session_id of ['qr-1', 'qr-2', 'qr-2', 'qr-1', 'qr-3'])
    expect(await post(url, { ...scanned, session_id })).toEqual({ status: 204, text: '' });
  await heard(async () => {
    const { updates } = (await app.call('/api/orders/order-1')).body;
    return updates.length === 3 && updates[0].state === 'applied';
  });
  expect(app.mock.appliedUpdates('order-1')).toEqual(
    ['qr-1', 'qr-2', 'qr-3'].map((qr_session_id) => ({ ...buildOrderUpdate(), qr_session_id })),
  );
  expect((await app.call('/api/orders/order-1')).body.updates[0]).toMatchObject({ source: 'webhook' });
});

test('who knows the URL of an order stores 100 sessions, and no more; one that comes again is known', async () => {
  const url = await urlOf('order-7');
  await app.parts.store.query(
    `insert into orders_outbox.events (id, token, position, state, settled_at)
     select 'before-' || n, 'order-7', n, 'handled', clock_timestamp() from generate_series(1, 99) as n`,
  );
  const statuses: number[] = [];
  for (const session_id of ['qr-100', 'qr-101', 'qr-100'])
    statuses.push((await post(url, { ...scanned, session_id })).status);
  expect(statuses).toEqual([204, 429, 204]);
  expect(await stored('order-7')).toHaveLength(100);
  expect(app.logged.splice(0)).toMatchObject([
    { level: 'warn', message: expect.stringContaining('100 sessions') },
  ]);
  await expect.poll(() => sessions('order-7')).toEqual(['qr-100']);
});

test('a scan of one order uses up the session of no other', async () => {
  for (const token of ['order-4', 'order-6'])
    expect((await post(await urlOf(token), { ...scanned, session_id: 'same' })).status).toBe(204);
  for (const token of ['order-4', 'order-6']) await expect.poll(() => sessions(token)).toEqual(['same']);
});

test('a scan undoes no edit that is queued', async () => {
  const edited = buildOrderUpdate({ order_id: 'edited' });
  app.mock.faults.next({ type: 'status', status: 429, headers: { 'retry-after': '600' } });
  await app.call('/api/orders/order-2/updates', { id: randomUUID(), update: edited });
  await expect.poll(async () => 'pausedUntil' in (await app.call('/api/status')).body).toBe(true);
  await post(await urlOf('order-2'), { ...scanned, session_id: 'qr-4' });
  await expect.poll(async () => (await app.outbox.history('order-2')).length).toBe(2);
  await app.call('/api/resume', {});
  await expect
    .poll(() => app.mock.appliedUpdates('order-2'))
    .toEqual([edited, { ...edited, qr_session_id: 'qr-4' }]);
});

test('a scan undoes no edit that is accepted while it is handled', async (context) => {
  needPostgres(context);
  const databaseUrl = await createDatabase(tables);
  const orders = [{ token: 'order-1', body: buildOrderUpdate() }];
  await using own = await openTestApp({ orders, data: { databaseUrl } });
  const { webhookUrl } = (await own.call('/api/orders/order-1')).body;
  const edited = buildOrderUpdate({ order_id: 'edited' });
  const other = postgresStore({ connectionString: databaseUrl });
  await other.transaction(async (tx) => {
    await tx.query('set local idle_in_transaction_session_timeout = 0');
    const edit = { id: randomUUID(), token: 'order-1', update: edited, source: 'editor' } as const;
    await enqueueUpdates(own.outbox, tx, [edit]);
    expect((await post(webhookUrl, scanned)).status).toBe(204);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    // Not in this transaction, which sees the connections that there were when it first looked.
    await expect.poll(() => rowsOf(other, waiting)).toHaveLength(1);
  });
  await other.close();
  await expect
    .poll(() => own.mock.appliedUpdates('order-1'))
    .toEqual([edited, { ...edited, qr_session_id: 'qr-1' }]);
});

test('an event of another name changes nothing', async () => {
  expect((await post(await urlOf('order-3'), { ...scanned, event: 'order_paid' })).status).toBe(204);
  expect(await stored('order-3')).toEqual([]);
});

test('a wrong secret and an unknown order get the same response', async () => {
  const url = await urlOf('order-3');
  const secret = url.split('/').at(-1) ?? '';
  expect(secret).toMatch(/^[\w-]{32,}$/);
  const root = app.webhookUrl;
  const urls = [
    `${root}/webhooks/order-3/${secret.slice(0, -1)}`,
    `${root}/webhooks/order-3/${secret}x`,
    `${root}/webhooks/order-1/${secret}`,
    `${root}/webhooks/order-9/${secret}`,
    `${root}/webhooks/order-9/x`,
    `${root}/webhooks/%00/${secret}`,
    `${root}/webhooks/%zz/${secret}`,
    `${root}/webhooks/order-3/${secret}/more`,
    `${root}/more/webhooks/order-3/${secret}`,
    root,
  ];
  for (const one of urls)
    expect(await post(one, scanned), one).toEqual({ status: 404, text: 'There is no such webhook.\n' });
  expect(await stored('order-3')).toEqual([]);
});

test('what is no event, or too large, is refused', async () => {
  const url = await urlOf('order-3');
  const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  const refused = [
    ['{"event":', 400],
    ['[]', 400],
    ['', 400],
    [deep, 400],
    [{ ...scanned, session_id: 'x'.repeat(256) }, 422],
    [{ ...scanned, session_id: 'qr\u0000' }, 422],
    [{ ...scanned, session_id: 1 }, 422],
    [{ ...scanned, session_id: undefined }, 422],
    [{ ...scanned, more: 'x'.repeat(16_384) }, 413],
  ] as const;
  for (const [body, status] of refused)
    expect((await post(url, body)).status, JSON.stringify(body).slice(0, 40)).toBe(status);
  const endless = new Blob(['{"a":"', 'x'.repeat(100_000), '"}']).stream();
  const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit;
  expect((await fetch(url, init)).status).toBe(413);
  expect(await stored('order-3')).toEqual([]);
  // Once, for the operator of the app: a field of another name would lose every event.
  expect(app.logged.splice(0)).toEqual([
    expect.objectContaining({
      level: 'warn',
      message: expect.stringContaining('422 to an event: it has no id'),
    }),
  ]);
});

test('a scan that cannot be handled needs review, with neither token nor session in the log, and a person has it handled again or discards it', async () => {
  const token = 'order-unknown-yet';
  const { path } = await createWebhookSigner(app.parts.store);
  const scan = (session_id: string) => post(app.webhookUrl + path(token), { ...scanned, session_id });
  const review = async (): Promise<string> => {
    // As if it had failed nine times before.
    await app.parts.store.query(
      `update orders_outbox.events set failures = 9, due_at = now() where state = 'queued'`,
    );
    const listed = async () => (await app.call('/api/status')).body.webhooks;
    const event = { token, message: expect.stringContaining('knows no such order') };
    await expect.poll(listed).toMatchObject([event]);
    return (await listed())[0].id;
  };
  await scan('qr-6');
  const first = await review();
  const heard = await followEvents(app);
  expect((await app.call(`/api/webhooks/${first}/discard`, {})).status).toBe(204);
  await heard(async () => (await app.call('/api/status')).body.webhooks.length === 0);
  expect((await app.call(`/api/webhooks/${first}/retry`, {})).status).toBe(409);
  await scan('qr-7');
  const second = await review();
  const order = { token, body: buildOrderUpdate() };
  app.mock.addOrder({ token, data: order.body });
  await addOrders(app.parts.store, [order]);
  expect((await app.call(`/api/webhooks/${second}/retry`, {})).status).toBe(204);
  await expect.poll(() => sessions(token)).toEqual(['qr-7']);
  const log = JSON.stringify(app.logged.splice(0));
  expect(log).toContain(`The event ${second} needs review`);
  expect(log).not.toMatch(/qr-[67]|order-unknown-yet/);
});

test('what comes while the app starts gets a response at once', async () => {
  let early: Awaited<ReturnType<typeof post>> | undefined;
  const starting = openTestApp({
    async connect(_, webhookUrl) {
      early = await post(webhookUrl('order-1'), scanned);
      throw new Error('no service');
    },
  });
  await expect(starting).rejects.toThrow('no service');
  expect(early).toMatchObject({ status: 503, text: 'The app is starting.\n' });
});

test('the webhook port serves nothing of the app, and the port of the app no webhook', async () => {
  for (const path of ['/', '/api/orders', '/api/status', '/assets/index.js', '/orders/order-1'])
    expect((await fetch(app.webhookUrl + path)).status, path).toBe(405);
  const { pathname } = new URL(await urlOf('order-3'));
  expect((await post(app.url + pathname, scanned)).status).toBe(404);
  expect(await stored('order-3')).toEqual([]);
});

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

test.runIf(hasNginx)(
  'behind nginx as it is by default, webhooks arrive and nothing else is public',
  async () => {
    await using proxy = await startNginx(app.webhookUrl);
    for (const path of ['/', '/api/orders', '/api/status', '/api/fault-injection', '/review'])
      for (const host of ['shop.example', 'localhost', '127.0.0.1'])
        expect((await fetch(proxy.url + path, { headers: { host } })).status, path).toBe(405);
    const { pathname } = new URL(await urlOf('order-5'));
    expect((await post(proxy.url + pathname, { ...scanned, session_id: 'through-nginx' })).status).toBe(204);
    await expect.poll(() => sessions('order-5')).toEqual(['through-nginx']);
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
    .toBe(405);
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

test('without its key in the database, no webhook URL is made', async () => {
  const store = await openTestStore();
  await store.query(`delete from merchant.settings where name = 'webhook_key'`);
  await expect(createWebhookSigner(store)).rejects.toThrow('webhook_key');
  await store.close();
});
