import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { PGlite } from '@electric-sql/pglite';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { copyFolder } from '../../../.ci/copy-folder.ts';
import { keepPglite } from '../../../.ci/make-pglite.ts';
import type { BulkView, OrderDetail, OrderSummary } from '../page/api.ts';
import { StartError } from '../server/database.ts';
import { openTestApp } from './open-test-app.ts';
import { makeTestFolder, type RunningMerchant, runMerchant } from './run-merchant.ts';

// Windows ends a process at once, without a signal that it could handle.
const hasSignals = process.platform !== 'win32';
const freePorts = ['--port', '0', '--webhook-port', '0', '--service-port', '0'];
const appUrl = (merchant: RunningMerchant) => merchant.printed(/Merchant app +(http:\S+)/);

async function getJson<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

async function postJson(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** A folder that no app has used: PGlite takes several times as long to make one as to copy it. */
async function makeDataFolder(folder: string): Promise<void> {
  const kept = await keepPglite(PGlite, import.meta.url);
  await copyFolder(kept, join(folder, 'data'));
  await writeFile(join(folder, 'lock.sqlite'), '');
}

test('a folder that no app has used starts with an echo and one update; the next start has the same orders, follows a bulk file, and ends at once at the second Ctrl-C', async () => {
  await using data = await makeTestFolder();
  await makeDataFolder(data.folder);
  const words = [...freePorts, '--data', data.folder];
  using first = runMerchant(words, { CI: 'true' });
  const url = await appUrl(first);
  await first.printed(/Webhooks +(http:\/\/127\.0\.0\.1:\d+)\n/);
  await first.printed(/Order service +(http:\/\/127\.0\.0\.1:\d+) /);
  expect(await first.printed(/Stored in +(.+)\n/)).toBe(data.folder);
  await first.printed(/✓ echo +the order service accepts the key +200\n/);
  const token = await first.printed(/✓ update +applied to (\S+) +200\n/);
  const tokens = (await getJson<{ orders: OrderSummary[] }>(`${url}/api/orders`)).orders.map(
    (order) => order.token,
  );
  expect(tokens[0]).toBe(token);
  const { updates } = await getJson<OrderDetail>(`${url}/api/orders/${token}`);
  expect(updates).toMatchObject([{ state: 'applied', source: 'start' }]);
  // The list reads a copy, which follows.
  const listed = async () => (await getJson<{ orders: OrderSummary[] }>(`${url}/api/orders`)).orders[0];
  await expect.poll(listed).toMatchObject({ token, lastUpdate: { state: 'applied' } });
  expect((await postJson(`${url}/api/fault-injection/scan`, { token })).status).toBe(204);
  const latest = async () => (await getJson<OrderDetail>(`${url}/api/orders/${token}`)).updates[0];
  await expect.poll(latest).toMatchObject({ state: 'applied', source: 'webhook' });
  if (!hasSignals) return;

  const stream = await fetch(`${url}/api/events`);
  const silent = connect(Number(new URL(url).port), '127.0.0.1').resume();
  await once(silent, 'connect');
  first.kill('SIGTERM');
  await Promise.all([stream.text(), once(silent, 'close')]);
  expect(await first.ended).toMatchObject({ code: 0, stderr: '' });

  // On every address, it prints one that others can open, and warns.
  await using service = await startMockOrderService({ orders: tokens });
  const elsewhere = [...words, '--host', '0.0.0.0', '--base-url', service.url];
  using again = runMerchant(elsewhere, { ORDERS_API_KEY: service.key });
  const outsideUrl = new URL(await appUrl(again));
  await again.printed(/(Ctrl-C)/);
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  expect(outside.length > 0 ? outside : ['0.0.0.0']).toContain(outsideUrl.hostname);
  const local = `http://127.0.0.1:${outsideUrl.port}`;
  const kept = await getJson<{ orders: OrderSummary[] }>(`${local}/api/orders`);
  expect(kept.orders.map((order) => order.token)).toEqual(tokens);

  const headers = { 'content-type': 'text/csv' };
  const file = `token,order_id,cart.items[0].sku\n${token},from-bulk,MUG\n`;
  const uploaded = await fetch(`${local}/api/bulks?name=a.csv`, { method: 'POST', headers, body: file });
  await postJson(`${local}/api/bulks/${((await uploaded.json()) as BulkView).id}/send`, {});
  const bodyOf = async () => (await getJson<OrderDetail>(`${local}/api/orders/${token}`)).body;
  await expect.poll(bodyOf).toEqual({ order_id: 'from-bulk', cart: { items: [{ sku: 'MUG' }] } });

  service.faults.next({ type: 'stalled_headers' }, { operation: 'update' });
  const update = { id: randomUUID(), update: buildOrderUpdate() };
  await postJson(`${local}/api/orders/${token}/updates`, update);
  const state = async () => (await getJson<OrderDetail>(`${local}/api/orders/${token}`)).updates[0]?.state;
  await expect.poll(state).toBe('sending');
  again.kill('SIGINT');
  // It closes its ports first, and waits for the update; the second Ctrl-C ends it at once.
  const isClosed = () =>
    fetch(local).then(
      () => false,
      () => true,
    );
  await expect.poll(isClosed, { interval: 10 }).toBe(true);
  again.kill('SIGINT');
  const { code, stdout, stderr } = await again.ended;
  expect({ code, updates: stdout.includes('update') }).toEqual({ code: 1, updates: false });
  expect(JSON.parse(stderr)).toMatchObject({
    level: 'warn',
    message: expect.stringMatching(/no login.*http:\/\//),
  });
});

const password = 'swordfish';

test('what it cannot start with is one line, with 2 as exit code', async () => {
  const cases: readonly [
    words: readonly string[],
    env: Record<string, string>,
    code: number,
    text: RegExp,
  ][] = [
    [['--data', 'x'], { DATABASE_URL: 'postgres://db/shop' }, 2, /--data and DATABASE_URL/],
    [['--base-url', 'https://orders.example'], {}, 2, /ORDERS_API_KEY/],
    [[], { DATABASE_URL: `postgres:shop:${password}@db/shop` }, 2, /DATABASE_URL is not a URL/],
  ];
  await Promise.all(
    cases.map(async ([words, env, code, text]) => {
      using merchant = runMerchant(words, env);
      const ended = await merchant.ended;
      expect({ code: ended.code, stdout: ended.stdout }, `${words}`).toEqual({ code, stdout: '' });
      expect(ended.stderr).toMatch(/^merchant: [^\n]+\n$/);
      expect(ended.stderr).toMatch(text);
      expect(ended.stderr).not.toContain(password);
    }),
  );
});

test('reports all ports that are taken in one line', async () => {
  const holders = [1, 2, 3].map(() => createServer().listen(0, '127.0.0.1'));
  try {
    await Promise.all(holders.map((holder) => once(holder, 'listening')));
    const ports = holders.map((holder) => (holder.address() as AddressInfo).port);
    const options = ['--port', '--webhook-port', '--service-port'];
    const words = options.flatMap((option, index) => [option, String(ports[index])]);
    await using made = await makeTestFolder();
    using merchant = runMerchant([...words, '--data', made.folder]);
    expect(await merchant.ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `merchant: ${options
        .map((option, index) => `port ${ports[index]} on 127.0.0.1 is taken; choose another with ${option}.`)
        .join(' ')}\n`,
    });
  } finally {
    for (const holder of holders) holder.close();
  }
});

test('a port that is taken and an order service without TLS are refused, with what to do', async () => {
  await using holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const taken = `port ${port} on 127.0.0.1 is taken; choose another with --port.`;
  await expect(openTestApp({ port })).rejects.toThrow(new StartError(taken));
  const connect = async () => ({ baseUrl: 'http://orders.example', apiKey: password, orders: [] });
  const refused = await openTestApp({ connect }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StartError);
  expect(String(refused)).toMatch(/http/);
  expect(String(refused)).not.toContain(password);
});

interface ExportedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly links: readonly { readonly spanId: string }[];
}

test('with a collector, it exports the request that enqueued, the send that is linked to it, and four metrics, without a token', async () => {
  if (!hasSignals) return;
  await using data = await makeTestFolder();
  await makeDataFolder(data.folder);
  const bodies: string[] = [];
  const collector = createHttpServer(async (request, response) => {
    bodies.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  try {
    using merchant = runMerchant([...freePorts, '--data', data.folder], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_METRIC_EXPORT_TIMEOUT: '500',
    });
    const url = await appUrl(merchant);
    await merchant.printed(/(Ctrl-C)/);
    const [order] = (await getJson<{ orders: OrderSummary[] }>(`${url}/api/orders`)).orders;
    const id = randomUUID();
    const body = { id, update: buildOrderUpdate() };
    expect((await postJson(`${url}/api/orders/${order?.token}/updates`, body)).status).toBe(202);
    await expect.poll(() => getJson(`${url}/api/updates/${id}`)).toMatchObject({ state: 'applied' });
    for (const name of ['update.outcomes', 'update.duration', 'outbox.updates', 'outbox.oldest_due'])
      await expect.poll(() => bodies.join()).toContain(`"orders.${name}"`);
    merchant.kill('SIGTERM');
    expect(await merchant.ended).toMatchObject({ code: 0 });
  } finally {
    collector.close();
  }
  const spans = bodies.flatMap((body) =>
    ((JSON.parse(body).resourceSpans ?? []) as { scopeSpans: { spans: ExportedSpan[] }[] }[]).flatMap(
      ({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [request] = named('POST /api/orders/{id}/updates');
  expect(named('orders.outbox.send').flatMap(({ links }) => links.map(({ spanId }) => spanId))).toEqual([
    request?.spanId,
  ]);
  expect(bodies.join()).not.toMatch(/ord_\w|test_key|webhooks\/(?!{id})/);
});
