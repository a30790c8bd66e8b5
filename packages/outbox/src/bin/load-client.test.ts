import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { loadClient } from './load-client.ts';

const allowInsecureHttp = false;

test('makes a client that sends to the address with the key', async () => {
  await using service = await startMockOrderService();
  const { client, to, close } = await loadClient({
    baseUrl: service.url,
    apiKey: service.key,
    allowInsecureHttp,
  });
  expect(await client.safeUpdateOrder(service.token, { cart: {} })).toMatchObject({ ok: true });
  expect(to).toBe(service.url);
  await close();
});

test.each([
  [
    { baseUrl: 'nowhere', apiKey: 'sekret' },
    'the base URL: write the full URL, such as "https://api.example.com".',
  ],
  [{ baseUrl: 'http://api.example.com', apiKey: 'sekret' }, /use https, or set --allow-insecure-http\.$/],
  [
    { baseUrl: 'https://me:sekret@api.example.com', apiKey: 'x' },
    /pass the key as ORDERS_API_KEY instead\.$/,
  ],
  [{ baseUrl: 'https://api.example.com', apiKey: 'sekret:' }, /holds a colon/],
])('tells of a mistake in %j without the key', async (sender, message) => {
  const error = (await loadClient({ ...sender, allowInsecureHttp }).catch(
    (thrown: unknown) => thrown,
  )) as Error;
  expect(error).toMatchObject({ name: 'CommandFailure', exitCode: 2 });
  if (typeof message === 'string') expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
  expect(error.message).not.toContain('sekret');
});

test('takes the client that a module exports, and says what is wrong with one that does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orders-outbox-client-'));
  try {
    const fileOf = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const good = await fileOf(
      'good.mjs',
      'export const client = { prepareUpdateOrder() {}, safeUpdateOrder: () => 7 };',
    );
    const { client, to } = await loadClient({ file: good });
    expect(client.safeUpdateOrder('ord_1', { cart: {} })).toBe(7);
    expect(to).toBe(good);
    const bad = await fileOf('bad.mjs', 'export const client = { prepareUpdateOrder() {} };');
    await expect(loadClient({ file: bad })).rejects.toThrow('export an orders client by the name "client"');
    await expect(loadClient({ file: join(folder, 'none.mjs') })).rejects.toMatchObject({
      name: 'CommandFailure',
      message: expect.stringMatching(/none\.mjs cannot be loaded: /),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
