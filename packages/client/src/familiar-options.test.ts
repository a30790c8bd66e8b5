import { expect, test } from 'vitest';
import { createOrdersClient as createOverFetch } from './fetch.ts';
import { createOrdersClient } from './index.ts';

const required = { baseUrl: 'https://api.example.com', apiKey: 'swordfish-swordfish' };

function messageOf(options: object): string {
  try {
    createOrdersClient({ ...required, ...options } as never);
    return 'passed';
  } catch (error) {
    return (error as Error).message;
  }
}

const fourAttempts = 'Write retry: { maxAttempts: 4 }, which counts the first attempt.';
const timeouts = 'Write timeouts: { total: 5000 } for the call, or { attempt: 5000 } for each attempt.';

test.each<[sdk: string, options: object, advice: string]>([
  ['openai', { maxRetries: 3 }, fourAttempts],
  ['stripe', { maxNetworkRetries: 3 }, fourAttempts],
  ['ky', { retry: 3 }, fourAttempts],
  ['ky', { retry: { limit: 3 } }, fourAttempts],
  ['axios-retry', { retries: 3 }, fourAttempts],
  ['ofetch', { retryCount: 3 }, fourAttempts],
  ['p-retry', { retry: { retries: 3 } }, fourAttempts],
  ['this one', { retry: { maxRetries: 3 } }, fourAttempts],
  ['this one', { maxAttempts: 4 }, 'Write retry: { maxAttempts: 4 }.'],
  ['got', { retry: false }, 'Write retry: { maxAttempts: 1 }, which counts the first attempt.'],
  ['got', { retry: 0 }, 'Write retry: { maxAttempts: 1 }, which counts the first attempt.'],
  ['a function', { maxRetries: () => 3 }, 'Write retry: { maxAttempts: … }, which counts the first attempt.'],
  ['ky', { timeout: 5_000 }, timeouts],
  ['this one', { timeouts: 5_000 }, timeouts],
  ['got', { timeouts: { request: 5_000 } }, timeouts],
  ['AWS', { requestTimeout: 5_000 }, timeouts],
  ['this one', { timeoutMs: 5_000 }, timeouts],
  ['this one', { total: 5_000 }, 'Write timeouts: { total: 5000 }.'],
  ['this one', { connect: 5_000 }, 'Write timeouts: { connect: 5000 }.'],
  ['this one', { rateLimit: 5 }, 'Write rateLimit: { requestsPerSecond: 5 }.'],
  ['this one', { requestsPerSecond: 5 }, 'Write rateLimit: { requestsPerSecond: 5 }.'],
  ['axios', { baseURL: 'https://x.example' }, 'Did you mean "baseUrl"?'],
  ['ky', { prefixUrl: 'https://x.example' }, 'Did you mean "baseUrl"?'],
  ['stripe', { host: 'x.example' }, 'Did you mean "baseUrl"?'],
  ['AWS', { endpoint: 'https://x.example' }, 'Did you mean "baseUrl"?'],
  ['others', { secretKey: 'swordfish' }, 'Did you mean "apiKey"?'],
  ['others', { api_key: 'swordfish' }, 'Did you mean "apiKey"?'],
  ['octokit', { auth: 'swordfish' }, 'Did you mean "credentials"?'],
  ['others', { accessToken: 'swordfish' }, 'Did you mean "credentials"?'],
  ['stripe', { httpAgent: {} }, 'Did you mean "dispatcher"?'],
  ['axios', { proxy: {} }, 'proxy: write the http URL of a proxy'],
  ['node:https', { ca: 'swordfish' }, 'Write tls: { ca: … }.'],
  ['node:http', { maxSockets: 5 }, 'Did you mean "maxConnections"?'],
  ['openai', { defaultHeaders: {} }, 'Did you mean "headers"?'],
  ['axios', { maxContentLength: 9 }, 'Did you mean "maxResponseBytes"?'],
  ['axios', { validateStatus: () => true }, 'Did you mean "classifyResponse"?'],
  ['fetch', { headers: new Headers() }, 'Pass a plain object.'],
  ['fetch', { headers: [['a', 'b']] }, 'Pass a plain object.'],
])('says what an option that %s takes is called here: %o', (_sdk, options, advice) => {
  expect(messageOf(options)).toContain(advice);
  expect(messageOf(options)).not.toMatch(/swordfish|x\.example/);
});

test('an error about the options of a call names the method that they were passed to', async () => {
  for (const create of [createOrdersClient, createOverFetch]) {
    const orders = create(required);
    const update = { cart: {} };
    const calls = {
      updateOrder: (own: never) => orders.updateOrder('order_1234', update, own),
      safeUpdateOrder: (own: never) => orders.safeUpdateOrder('order_1234', update, own),
      echo: (own: never) => orders.echo(own),
      send: (own: never) => orders.prepareUpdateOrder('order_1234', update).send(own),
      updateOrders: async (own: never) => orders.updateOrders([], own),
    };
    for (const wrong of [
      { maxRetries: 2 },
      { retry: 2 },
      { retry: { maxAttempts: 0 } },
      { retry: { resendUnknown: 'no' } },
      { timeouts: 5_000 },
      { timeouts: { total: -1 } },
      { timeouts: { connect: 1 } },
      { apiKey: 'swordfish' },
      { signal: 'now' },
      { headers: { host: 'x' } },
      { headers: { x: '\n' } },
      { headers: { '': 'x' } },
      { credentials: 'swordfish' },
      { responseSchema: {} },
      { afterAttempt: 'log' },
      3,
    ])
      for (const [method, call] of Object.entries(calls)) {
        const thrown: unknown = await call(wrong as never).catch((error) => error);
        expect(thrown).toBeInstanceOf(TypeError);
        expect((thrown as Error).message.split(':')[0]).toBe(method);
      }
  }
});
