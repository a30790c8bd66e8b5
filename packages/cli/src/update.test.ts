import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { runHere } from '../test/run-here.ts';
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
