import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { runHere, startHere } from '../test/run-here.ts';
import { createFolder } from '../test/run-orders.ts';

const key = 'sk_test_4f1b9c27';

test('a dry run escapes what would control the terminal, and is JSON all the same', async () => {
  const orderId = 'A\u009b31m\u202e-1';
  await using folder = await createFolder({
    'a.json': JSON.stringify({ cart: {}, order_id: orderId }),
  });
  const words = [
    'update',
    'ord_1',
    folder.file('a.json'),
    '--dry-run',
    '--base-url',
    'https://api.example.com',
  ];
  const { code, stdout } = await runHere(words);
  expect(code).toBe(0);
  expect(stdout).toContain(String.raw`A\u009b31m\u202e-1`);
  expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
  const { curl, body } = JSON.parse((await runHere([...words, '--json'])).stdout);
  expect(body).toEqual({ cart: {}, order_id: orderId });
  expect(curl).toMatch(/^curl /);
});

test.each([
  [401, 'Is it the private key, and of this environment?'],
  [403, 'Is it the private key, and of this environment?'],
  [404, 'Is the token of this environment?'],
] as const)('a rejection with %i has a hint what to check', async (status, hint) => {
  await using service = await startMockOrderService({ keys: [key], orders: ['ord_1'] });
  await using folder = await createFolder({ 'a.json': '{"cart":{}}' });
  service.faults.always({ type: 'status', status });
  const words = ['update', 'ord_1', folder.file('a.json'), '--base-url', service.url];
  const { code, stdout } = await runHere(words, { env: { ORDERS_API_KEY: key } });
  expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(hint)]);
  const json = await runHere([...words, '--json'], { env: { ORDERS_API_KEY: key } });
  expect(JSON.parse(json.stdout)).toMatchObject({ status, hint: expect.stringContaining(hint) });
});

test('an update with its token around it, as a file for send has it, is refused with what to write', async () => {
  await using folder = await createFolder({ 'a.json': '{"token":"ord_1","update":{"cart":{}}}' });
  const run = await runHere(['update', 'ord_1', folder.file('a.json'), '--dry-run']);
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toMatch(
    /holds \{ "token", "update" \}.* Write the update alone: \{ "cart": \.\.\. \}\.\n$/,
  );
});

test('what an export may have changed is noted, and amounts with the decimals of --decimals are refused', async () => {
  const text = '{"cart":{"items":[{"sku":"a","unit_price":258.00}]},"order_id":"6.9E+12"}';
  await using folder = await createFolder({ 'a.json': text });
  const words = ['update', 'ord_1', './a.json', '--dry-run', '--base-url', 'https://api.example.com'];
  const sent = await runHere(words, { folder });
  expect(sent.code).toBe(0);
  expect(sent.stderr.split('\n')).toEqual([
    expect.stringMatching(/^a\.json:1:\d+: order_id: Found "6\.9E\+12"\. A spreadsheet writes long numbers/),
    expect.stringMatching(
      /^a\.json:1:\d+: cart\.items\[0\]\.unit_price: Found 258\.00\. The decimals are not sent/,
    ),
    '',
  ]);
  const refused = await runHere([...words, '--decimals', '2'], { folder });
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /orders: a\.json:1:\d+: Found 258\.00\. .*Write the integer that is sent\.\n$/,
    ),
  });
});

test('Ctrl-C says what became of the update', async () => {
  await using service = await startMockOrderService({ keys: [key], orders: ['ord_1'] });
  service.faults.always({ type: 'stalled_headers', applied: true });
  await using folder = await createFolder({ 'a.json': '{"cart":{}}' });
  const words = ['update', 'ord_1', './a.json', '--json', '--base-url', service.url];
  await using running = startHere(words, { folder, env: { ORDERS_API_KEY: key } });
  await service.waitForRequests(1);
  running.signal('SIGINT');
  const { code, stdout } = await running.ended;
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    expect.objectContaining({ outcome: 'unknown', code: 'aborted', attemptCount: 1 }),
  ]);
});
