import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import process from 'node:process';
import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import type { OrderDetail } from '../shared/api.ts';
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

test('a new folder starts with an echo and one update; the next start has the same orders and sends nothing', async () => {
  await using data = await makeTestFolder();
  const words = [...freePorts, '--data', data.folder];
  using first = runMerchant(words, { CI: 'true' });
  const url = await appUrl(first);
  await first.printed(/Webhooks +(http:\/\/127\.0\.0\.1:\d+)\n/);
  await first.printed(/Order service +(http:\/\/127\.0\.0\.1:\d+) /);
  expect(await first.printed(/Stored in +(.+)\n/)).toBe(data.folder);
  await first.printed(/✓ echo +the order service accepts the key +200\n/);
  const token = await first.printed(/✓ update +applied to (\S+) +200\n/);
  const { orders } = await getJson<{ orders: OrderDetail[] }>(`${url}/api/orders`);
  expect(orders[0]).toMatchObject({ token, lastUpdate: { state: 'applied', source: 'start' } });
  expect((await postJson(`${url}/api/fault-injection/scan`, { token })).status).toBe(204);
  if (!hasSignals) return;

  const stream = await fetch(`${url}/api/events`);
  const silent = connect(Number(new URL(url).port), '127.0.0.1').resume();
  await once(silent, 'connect');
  first.kill('SIGTERM');
  await Promise.all([stream.text(), once(silent, 'close')]);
  expect(await first.ended).toMatchObject({ code: 0, stderr: '' });

  using again = runMerchant(words);
  const sameUrl = await appUrl(again);
  await again.printed(/(Ctrl-C)/);
  const kept = await getJson<{ orders: OrderDetail[] }>(`${sameUrl}/api/orders`);
  expect(kept.orders.map((order) => order.token)).toEqual(orders.map((order) => order.token));
  again.kill('SIGINT');
  const { code, stdout } = await again.ended;
  expect({ code, updates: stdout.includes('update') }).toEqual({ code: 0, updates: false });
}, 120_000);

test.runIf(hasSignals)(
  'on every address it prints one that others can open and warns; the second Ctrl-C ends it at once',
  async () => {
    await using service = await startMockOrderService({ orders: ['order-1'] });
    const words = [
      '--host',
      '0.0.0.0',
      '--base-url',
      service.url,
      '--order',
      'order-1',
      '--memory',
      ...freePorts.slice(0, 4),
    ];
    using merchant = runMerchant(words, { ORDERS_API_KEY: service.key });
    const url = await appUrl(merchant);
    await merchant.printed(/(Ctrl-C)/);
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const outside = own
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    expect(outside.length > 0 ? outside : ['0.0.0.0']).toContain(new URL(url).hostname);

    const local = `http://127.0.0.1:${new URL(url).port}`;
    service.faults.next({ type: 'stalled_headers', applied: false }, { operation: 'update' });
    await postJson(`${local}/api/orders/order-1/updates`, { id: randomUUID(), update: buildOrderUpdate() });
    await service.waitForRequests(2);
    merchant.kill('SIGINT');
    // It closes its ports first, and waits for the update.
    await expect
      .poll(() =>
        fetch(local).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    const started = performance.now();
    merchant.kill('SIGINT');
    const { code, stderr } = await merchant.ended;
    expect(code).toBe(1);
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/no login.*http:\/\//),
    });
  },
  120_000,
);

test('what it cannot start with is one line, with 1 or 2 as exit code', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const password = 'swordfish';
  const cases: readonly [
    words: readonly string[],
    env: Record<string, string>,
    code: number,
    text: RegExp,
  ][] = [
    [['--memory', '--data', 'x'], {}, 2, /--data and --memory/],
    [['--base-url', 'https://orders.example'], {}, 2, /ORDERS_API_KEY/],
    [[], { DATABASE_URL: `postgres:shop:${password}@db/shop` }, 2, /DATABASE_URL is not a URL/],
    [['--base-url', 'http://orders.example', '--memory'], { ORDERS_API_KEY: password }, 1, /http/],
    [
      ['--memory', ...freePorts, '--port', String(port)],
      {},
      1,
      new RegExp(`port ${port} on 127.0.0.1 is taken; choose another with --port`),
    ],
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
  holder.close();
}, 120_000);
