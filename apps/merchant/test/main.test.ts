import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import process from 'node:process';
import { startOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { runMerchant } from './run-merchant.ts';

// Windows ends a process at once: there is no signal that it could hear.
const hasSignals = process.platform !== 'win32';
const freePorts = ['--port', '0', '--service-port', '0'];

test('prints the addresses and what became of one echo and one update, without colours, and serves', async () => {
  using merchant = runMerchant(freePorts, { CI: 'true' });
  const [, desk = ''] = await merchant.printed(/Merchant's desk +(http:\/\/127\.0\.0\.1:\d+)\n/);
  await merchant.printed(/Order service +http:\/\/127\.0\.0\.1:\d+ /);
  await merchant.printed(/echo +the key is accepted +200, 1 attempt\n/);
  await merchant.printed(/update +applied to ord_\w+ +200, 1 attempt\n/);
  const answer = await fetch(`${desk}/api/orders`);
  expect(await answer.json()).toMatchObject({ orders: [{ report: { outcome: 'applied' } }, {}, {}, {}] });
  expect((await fetch(desk)).status).toBe(200);
});

test.runIf(hasSignals).each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends it with 0, with connections open',
  async (signal) => {
    using merchant = runMerchant(freePorts);
    const [, port] = await merchant.printed(/desk +http:\/\/127\.0\.0\.1:(\d+)/);
    await fetch(`http://127.0.0.1:${port}/api/orders`);
    const silent = connect(Number(port), '127.0.0.1');
    await once(silent, 'connect');
    const closed = once(silent.resume(), 'close');
    merchant.kill(signal);
    expect(await merchant.ended).toMatchObject({ code: 0, stderr: '' });
    await closed;
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  },
);

test.runIf(hasSignals)('SIGINT ends it at once while the order service keeps it waiting', async () => {
  await using service = await startOrderService({ latencyMs: 60_000 });
  using merchant = runMerchant(['--base-url', service.url, '--port', '0'], { ORDERS_API_KEY: service.key });
  await merchant.printed(/desk +http/);
  await service.received(1);
  merchant.kill('SIGINT');
  const { code, stdout, stderr } = await merchant.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toContain('echo');
});

test.each([
  ['--port', '--service-port'],
  ['--service-port', '--port'],
])('says in one line that the port of %s is taken, and ends with 1', async (taken, free) => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  using merchant = runMerchant([taken, String(port), free, '0']);
  expect(await merchant.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `merchant: port ${port} on 127.0.0.1 is taken; choose another with ${taken}.\n`,
  });
  holder.close();
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

test.runIf(hasSignals)('asks another order service for an echo, and changes nothing there', async () => {
  await using service = await startOrderService({ orders: ['theirs-1'] });
  using merchant = runMerchant(['--base-url', service.url, '--order', 'theirs-1', '--port', '0'], {
    ORDERS_API_KEY: service.key,
  });
  const [, desk = ''] = await merchant.printed(/desk +(http:\S+)/);
  await merchant.printed(/Ctrl-C/);
  expect(service.journal.map(({ method, status }) => [method, status])).toEqual([['GET', 200]]);
  const answer = await fetch(`${desk}/api/orders`);
  expect(await answer.json()).toMatchObject({ orders: [{ token: 'theirs-1', report: null }] });
  merchant.kill('SIGINT');
  const { code, stdout } = await merchant.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain(service.key);
});

test.runIf(hasSignals)('tells an order service that does not answer, and serves all the same', async () => {
  const service = await startOrderService();
  await service.close();
  using merchant = runMerchant(['--base-url', service.url, '--port', '0'], { ORDERS_API_KEY: service.key });
  const [, desk = ''] = await merchant.printed(/desk +(http:\S+)/);
  expect(await (await fetch(`${desk}/api/orders`)).json()).toEqual({ orders: [] });
  await merchant.printed(/✗ echo .*3 attempts/);
  merchant.kill('SIGINT');
  expect(await merchant.ended).toMatchObject({ code: 0, stderr: '' });
});
