import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import process from 'node:process';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { copyTestFolder } from './copy-test-folder.ts';
import { runMerchant } from './run-merchant.ts';

// Windows ends a process at once: there is no signal that it could hear.
const hasSignals = process.platform !== 'win32';
const freePorts = ['--port', '0', '--service-port', '0'];

const ordersOf = async (desk: string) => (await (await fetch(`${desk}/api/orders`)).json()) as OrderList;

interface OrderList {
  readonly orders: readonly { readonly token: string }[];
}

test('prints the addresses and what became of one echo and one update, without colours, and knows its orders again', async () => {
  await using data = await copyTestFolder();
  const words = [...freePorts, '--data', data.folder];
  using merchant = runMerchant(words, { CI: 'true' });
  const [, desk = ''] = await merchant.printed(/Merchant's desk +(http:\/\/127\.0\.0\.1:\d+)\n/);
  await merchant.printed(/Order service +http:\/\/127\.0\.0\.1:\d+ /);
  const [, place] = await merchant.printed(/Kept in +(.+)\n/);
  expect(place).toContain(data.folder);
  await merchant.printed(/echo +the key is accepted +200, 1 attempt\n/);
  await merchant.printed(/update +applied to ord_\w+ +200, 1 attempt\n/);
  const { orders } = await ordersOf(desk);
  expect(orders).toMatchObject([{ lastUpdate: { state: 'applied' } }, {}, {}, {}]);
  expect((await fetch(desk)).status).toBe(200);

  const [first] = orders;
  const scan = await fetch(`${desk}/api/orders/${first?.token}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await scan.json()).toEqual({ delivered: true });
  if (!hasSignals) return;

  merchant.kill('SIGINT');
  expect(await merchant.ended).toMatchObject({ code: 0, stderr: '' });
  using again = runMerchant(words);
  const [, sameDesk = ''] = await again.printed(/desk +(http:\S+)/);
  await again.printed(/update +applied to ord_/);
  expect((await ordersOf(sameDesk)).orders.map(({ token }) => token)).toEqual(
    orders.map(({ token }) => token),
  );
});

test.runIf(hasSignals)('SIGTERM ends it with 0, with connections and a stream open', async () => {
  await using data = await copyTestFolder();
  using merchant = runMerchant([...freePorts, '--data', data.folder]);
  const [, port] = await merchant.printed(/desk +http:\/\/127\.0\.0\.1:(\d+)/);
  const stream = await fetch(`http://127.0.0.1:${port}/api/events`);
  const silent = connect(Number(port), '127.0.0.1');
  await once(silent, 'connect');
  const closed = once(silent.resume(), 'close');
  merchant.kill('SIGTERM');
  await stream.text();
  expect(await merchant.ended).toMatchObject({ code: 0, stderr: '' });
  await closed;
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
});

test.runIf(hasSignals)(
  'asks another order service for an echo alone, and ends at once while it keeps it waiting',
  async () => {
    await using data = await copyTestFolder();
    await using service = await startMockOrderService({ orders: ['theirs-1'], latencyMs: 60_000 });
    const words = ['--base-url', service.url, '--order', 'theirs-1', '--port', '0', '--data', data.folder];
    using merchant = runMerchant(words, { ORDERS_API_KEY: service.key });
    const [, desk = ''] = await merchant.printed(/desk +(http:\S+)/);
    await service.waitForRequests(1);
    expect(await ordersOf(desk)).toMatchObject({ orders: [{ token: 'theirs-1', lastUpdate: null }] });
    merchant.kill('SIGINT');
    const { code, stdout, stderr } = await merchant.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('echo');
    expect(stdout).not.toContain(service.key);
    expect(service.journal.map(({ method }) => method)).toEqual(['GET']);
  },
);

test.runIf(hasSignals)('tells an order service that does not answer, and serves all the same', async () => {
  await using data = await copyTestFolder();
  const service = await startMockOrderService();
  await service.close();
  const words = ['--base-url', service.url, '--port', '0', '--data', data.folder];
  using merchant = runMerchant(words, { ORDERS_API_KEY: service.key });
  const [, desk = ''] = await merchant.printed(/desk +(http:\S+)/);
  expect(await ordersOf(desk)).toEqual({ orders: [] });
  await merchant.printed(/✗ echo .*3 attempts/);
  merchant.kill('SIGINT');
  expect(await merchant.ended).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  ['--port', '--service-port'],
  ['--service-port', '--port'],
])('says in one line that the port of %s is taken, and ends with 1', async (taken, free) => {
  await using data = await copyTestFolder();
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  using merchant = runMerchant([taken, String(port), free, '0', '--data', data.folder]);
  expect(await merchant.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `merchant: port ${port} on 127.0.0.1 is taken; choose another with ${taken}.\n`,
  });
  holder.close();
});

test('says in one line that its data is in use by another desk, and ends with 1', async () => {
  await using data = await copyTestFolder();
  const words = [...freePorts, '--data', data.folder];
  using first = runMerchant(words);
  await first.printed(/Kept in/);
  using second = runMerchant(words);
  const { code, stdout, stderr } = await second.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^merchant: [^\n]*in use[^\n]*--data[^\n]*\n$/);
});

test('ends a bad option with one line and 2', async () => {
  using merchant = runMerchant(['--port', 'many']);
  const { code, stdout, stderr } = await merchant.ended;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^merchant: .*--port.*\n$/);
});

test('ends a base URL that would show the key to the network with one line and 1', async () => {
  using merchant = runMerchant(['--base-url', 'http://orders.example', '--port', '0'], {
    ORDERS_API_KEY: 'a-private-key',
  });
  const { code, stdout, stderr } = await merchant.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^merchant: [^\n]+\n$/);
  expect(stderr).not.toContain('a-private-key');
});
