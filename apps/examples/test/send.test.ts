import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { startProgram } from './run-program.ts';

test('prints outcome, message and receipt of an update that was rejected, but no key', async () => {
  await using service = await startMockOrderService();
  const { printed, ended } = startProgram('send.ts', {
    ORDERS_BASE_URL: service.url,
    ORDERS_API_KEY: 'not-a-key-of-this-service',
    ORDER_TOKEN: service.token,
  });
  expect(await ended).toBe(1);
  expect(printed()).toMatch(/^rejected: .*401.*\n.*receipt/s);
  expect(printed()).not.toContain('not-a-key');
});

test('names the mistake when the token or the key is missing', async () => {
  await using service = await startMockOrderService();
  const env = { ORDERS_BASE_URL: service.url, ORDERS_API_KEY: service.key, ORDER_TOKEN: '' };
  const invalid = startProgram('send.ts', env);
  const withoutKey = startProgram('send.ts', {
    ...env,
    ORDERS_API_KEY: undefined,
    ORDER_TOKEN: service.token,
  });
  expect(await Promise.all([invalid.ended, withoutKey.ended])).toEqual([1, 1]);
  expect(invalid.printed()).toMatch(/^not_sent: .*order_?token/is);
  expect(withoutKey.printed()).toMatch(/^not_sent: .*(credentials|apiKey)/s);
  expect(service.journal).toEqual([]);
});
