import { createOrdersClient } from '@orders/client';
import { expect, test } from 'vitest';
import { createApp } from '../app.ts';

test('the endpoints of a shop refuse a body that is too large, and a type that another site can post', async () => {
  const { app } = createApp(createOrdersClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key' }), 's3cret');
  const post = async (path: string, body: string, type: string) =>
    (await app.request(path, { method: 'POST', headers: { 'content-type': type }, body })).status;
  expect(await post('/orders/A-1001', '{"mug":2}', 'text/plain')).toBe(415);
  const large = `{"mug":2}${' '.repeat(5 * 1_048_576)}`;
  expect(await post('/orders/A-1001', large, 'application/json')).toBe(413);
  expect(await post('/hooks', large, 'application/json')).toBe(413);
});
