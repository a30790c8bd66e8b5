import { once as occurs } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createOrdersClient } from '@orders/client';
import { defineOrderUpdate } from '@orders/schema';
import { startMockOrderService } from '@orders/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../test/run-here.ts';
import { createFolder, runOrders } from '../test/run-orders.ts';

type Event = { readonly id: string; readonly order_token: string; readonly session_id: string };

/** An endpoint that sends what it makes of an event before it responds, and the mock service to which it sends. */
async function startEndpoint(
  make: (event: Event, send: (event: Event) => Promise<unknown>) => Promise<number | undefined>,
) {
  const service = await startMockOrderService({ orders: ['ord_1', 'ord_2'], admin: true });
  const schema = defineOrderUpdate({ qrSessionId: 'qr_session' });
  const client = createOrdersClient({ baseUrl: service.url, apiKey: service.key, schema });
  const send = ({ order_token, session_id }: Event) =>
    client.updateOrder(order_token, { cart: { items: [] }, qr_session: session_id });
  const server = createServer(async (request, response) => {
    const status = await make((await json(request)) as Event, send);
    response.writeHead(status ?? 204).end();
  }).listen(0, '127.0.0.1');
  await occurs(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await client.close();
    await service.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hooks`;
  const trigger = (...words: readonly string[]) =>
    runHere(['trigger', 'start_qr_session', '--forward-to', url, '--mock', service.url, ...words], {
      env: { ORDERS_API_KEY: service.key },
    });
  return { trigger, service, url };
}

function once() {
  const seen = new Set<string>();
  return async (event: Event, send: (event: Event) => Promise<unknown>): Promise<undefined> => {
    if (seen.has(event.id)) return;
    seen.add(event.id);
    await send(event);
  };
}

const repeated = [
  '--events',
  '4',
  '--times',
  '3',
  '--late',
  '10ms',
  '--wait',
  '1s',
  '--token',
  'ord_1',
  '--token',
  'ord_2',
];

test('an endpoint that knows repeated events is distinguished from one that does not', async () => {
  const good = await startEndpoint(once());
  const passed = await good.trigger(...repeated, '--shuffle');
  expect(passed.stdout).toContain(
    'Each event had one effect: yes\nEvents of an order took effect in sequence: yes\n',
  );
  expect(passed).toMatchObject({ code: 0, stderr: '' });
  expect(good.service.ledger).toHaveLength(4);

  const bad = await startEndpoint(async (event, send) => void (await send(event)));
  const failed = await bad.trigger(...repeated, '--json');
  expect(JSON.parse(failed.stdout)).toMatchObject({ deduplicated: false, inSequence: true, updates: 12 });
  expect(failed.code).toBe(1);
});

test('one that handles events in another sequence is noticed', async () => {
  const held: Event[] = [];
  const { trigger } = await startEndpoint(async (event, send) => {
    held.push(event);
    if (held.length === 2) for (const each of held.reverse()) await send(each);
  });
  const { code, stdout } = await trigger('--events', '2', '--wait', '1s', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ deduplicated: true, inSequence: false });
  expect(code).toBe(1);
});

test('what does not show is not known, and what is not accepted fails', async () => {
  const silent = await startEndpoint(async () => {});
  const { code, stdout } = await silent.trigger('--wait', '1ms');
  expect(code).toBe(3);
  expect(stdout).toContain('one effect: not known\n');
  expect(stdout).toContain('does the endpoint send to the mock service?');
  const seen = new Set<string>();
  const refusingRepeats = await startEndpoint(async ({ id }) =>
    seen.size === seen.add(id).size ? 409 : 204,
  );
  expect(await refusingRepeats.trigger('--times', '2', '--wait', '1ms')).toMatchObject({ code: 1 });
  const refusing = await startEndpoint(async () => 401);
  const refused = await refusing.trigger();
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^401 .*\nNo event was accepted\.\n$/),
  });
  const run = (name: string, ...words: readonly string[]) =>
    runHere(['trigger', name, '--forward-to', silent.url, ...words], {
      env: { ORDERS_API_KEY: silent.service.key },
    });
  expect(await run('start_qr_session')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('pass --mock'),
  });
  for (const words of [[], ['--mock', silent.service.url]]) {
    const { code: ended, stdout: drawn } = await run('any.event', ...words);
    expect(ended).toBe(0);
    expect(drawn).toContain('only start_qr_session carries');
    expect(drawn).not.toContain('pass --mock');
  }
});

test('an event whose first delivery failed may take effect before one that was accepted earlier', async () => {
  const seen = new Set<string>();
  const { trigger } = await startEndpoint(async (event, send) => {
    if (seen.has(event.id)) return undefined;
    seen.add(event.id);
    await send(event);
    return seen.size === 1 ? 500 : undefined;
  });
  const { code, stdout } = await trigger('--events', '3', '--times', '2', '--wait', '1s', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ deduplicated: true, inSequence: true });
  expect(code).toBe(0);
});

test('a payload and a signature of yours are sent', async () => {
  await using folder = await createFolder({
    'hooks.mjs': `export const payload = ({ id, token, sessionId }) => ({ id, order_token: token, session_id: sessionId, own: true });
      export const sign = (body) => ({ 'x-signature': String(body.length) });`,
  });
  const seen: object[] = [];
  const { url } = await startEndpoint(async (event) => void seen.push(event));
  await runHere(['trigger', 'paid', '--forward-to', url, '--webhooks', './hooks.mjs', '--token', 'ord_9'], {
    folder,
  });
  expect(seen).toMatchObject([{ order_token: 'ord_9', own: true }]);
});

test.each([
  [['--forward-to', 'nowhere'], 'orders: --forward-to: no absolute http or https URL.\n', 2],
  [['--forward-to', 'http://%:x@127.0.0.1/'], 'orders: --forward-to: its user name or password', 2],
  [
    ['--forward-to', 'http://192.0.2.1/'],
    'orders: 192.0.2.1 is not a loopback address; pass --allow-remote to send to other machines.\n',
    2,
  ],
  [['--forward-to', 'http://127.0.0.1:1', '--mock', 'http://127.0.0.1:1'], 'set ORDERS_API_KEY', 2],
  [[], '--forward-to', 2],
])('refuses %j in one line', async (words, message, code) => {
  const ended = await runHere(['trigger', 'start_qr_session', ...words]);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toMatch(/^orders: [^\n]+\n$/);
  expect(ended.stderr).toContain(message);
});

test('a mock service without its admin API is named', async () => {
  await using service = await startMockOrderService();
  const env = { ORDERS_API_KEY: service.key };
  const ended = await runHere(['trigger', 'x', '--forward-to', 'http://127.0.0.1:1', '--mock', service.url], {
    env,
  });
  expect(ended).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('does not show its ledger (status 404)'),
  });
});

test('the key goes over plain http to another machine with --allow-insecure-http alone', async () => {
  const words = ['trigger', 'x', '--forward-to', 'http://127.0.0.1:1', '--mock', 'http://mock.invalid'];
  const env = { ORDERS_API_KEY: 'a key of this test' };
  expect(await runHere(words, { env })).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'orders: --mock: plain http would show the key to the network; use https, or pass --allow-insecure-http.\n',
  });
  const { stderr } = await runHere([...words, '--allow-insecure-http'], { env });
  expect(stderr).toContain('does not show its ledger (getaddrinfo ENOTFOUND');
});

test.each([
  ['Promise.reject(new TypeError(text)); await new Promise(() => {})', /A module threw TypeError; its/],
  ['export default new Proxy({ a: 1 }, { get() { throw new RangeError(text); } })', /it threw RangeError\./],
  ['export const payload = () => { throw new RangeError(text); }', /payload threw RangeError\. Its/],
])('no error of a --webhooks module shows its secret: %s', async (code, message) => {
  const secret = 'whsec_4f1b9c27';
  await using folder = await createFolder({ 'hooks.mjs': `const text = '${secret}';\n${code}` });
  const words = ['trigger', 'x', '--forward-to', 'http://127.0.0.1:1', '--webhooks', 'hooks.mjs'];
  // What a module throws later ends its process.
  const { stdout, stderr } = await runOrders(words, { cwd: folder.path });
  expect([stdout, stderr]).toEqual(['', expect.stringMatching(message)]);
  expect(stderr).not.toContain(secret);
});
