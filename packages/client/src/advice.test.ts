import { buildOrderUpdate, startMockOrderService } from '@orders/testing';
import { expect, test } from 'vitest';
import { type Advice, adviceIn, between } from '../../../.ci/advice.ts';
import { startProxy } from '../test/proxy.ts';
import { createOrdersClient } from './index.ts';

const messageOf = (options: object): string => {
  try {
    createOrdersClient({ baseUrl: 'https://api.example', apiKey: 'key', ...options } as never);
    return 'passed';
  } catch (error) {
    return (error as Error).message;
  }
};
const passes = (options: object): boolean => messageOf(options) === 'passed';
/** Whether each of the texts in quotes can be written for an option. */
const eachPasses = (option: string, message: string): boolean =>
  [...message.matchAll(/"([^"]+)"/g)].every(([, text]) => passes({ [option]: text }));
const withoutVersion = (message: string) => {
  const baseUrl = between('write "', '"')(message);
  return passes({ baseUrl }) ? baseUrl : 'refused';
};

const table: readonly Advice[] = [
  {
    mistake: 'the version in the base URL',
    message: messageOf({ baseUrl: 'https://api.example:8443/shop/v2/' }),
    follow: withoutVersion,
    means: 'https://api.example:8443/shop',
  },
  {
    mistake: 'the version twice in the base URL',
    message: messageOf({ baseUrl: 'https://api.example/v2/v2' }),
    follow: (message) => messageOf({ baseUrl: between('write "', '"')(message) }),
    means: 'baseUrl ends in /v2…, which the client adds itself: write "https://api.example".',
  },
  {
    mistake: 'an ordering that does not exist',
    message: messageOf({ ordering: 'order' }),
    follow: (message) => eachPasses('ordering', message),
    means: true,
  },
  {
    mistake: 'a number of retries',
    message: messageOf({ maxRetries: 2 }),
    follow: (message) => ({ maxAttempts: Number(between('maxAttempts: ', ' }')(message)) }),
    means: { maxAttempts: 3 },
  },
  {
    mistake: 'a timeout in another place',
    message: messageOf({ timeouts: 5_000 }),
    choice: 'Write timeouts: { total: 5000 } for the call, or { attempt: 5000 } for each attempt.',
    heeded: messageOf({ timeouts: { total: 5000, attempt: 5000 } }),
  },
  {
    mistake: 'a rate without its unit',
    message: messageOf({ rateLimit: 5 }),
    follow: (message) => passes({ rateLimit: { requestsPerSecond: Number(between(': ', ' }')(message)) } }),
    means: true,
  },
  {
    mistake: 'an option outside its group',
    message: messageOf({ burst: 5 }),
    choice: 'Write rateLimit: { burst: 5 }.',
    heeded: messageOf({ rateLimit: { requestsPerSecond: 5, burst: 5 } }),
  },
  {
    mistake: 'the name of another SDK',
    message: messageOf({ prefixUrl: 'https://api.example' }),
    follow: (message) => passes({ [between('mean "', '"')(message)]: 'https://api.example' }),
    means: true,
  },
  {
    mistake: 'no URL',
    message: messageOf({ baseUrl: 'api.example' }),
    choice: 'baseUrl: write the full URL, such as "https://api.example.com".',
    heeded: messageOf({ baseUrl: 'https://api.example.com' }),
  },
  {
    mistake: 'no duration',
    message: messageOf({ timeouts: { total: -1 } }),
    choice: 'at most 2147483647.',
    heeded: messageOf({ timeouts: { total: 2147483647 } }),
  },
  {
    mistake: 'no count',
    message: messageOf({ retry: { maxAttempts: 0 } }),
    choice: 'write a whole number from 1 on.',
    heeded: messageOf({ retry: { maxAttempts: 1 } }),
  },
  {
    mistake: 'no boolean',
    message: messageOf({ allowInsecureHttp: 'yes' }),
    choice: 'write true or false.',
    heeded: messageOf({ allowInsecureHttp: true }),
  },
  {
    mistake: 'no rate',
    message: messageOf({ rateLimit: { requestsPerSecond: 0 } }),
    choice: 'rateLimit.requestsPerSecond: write a number above 0.',
    heeded: messageOf({ rateLimit: { requestsPerSecond: 0.1 } }),
  },
  {
    mistake: 'a rate in another unit',
    message: messageOf({ rateLimit: { requestsPerMinute: 60 } }),
    choice: 'Known: requestsPerSecond, burst.',
    heeded: messageOf({ rateLimit: { requestsPerSecond: 1, burst: 60 } }),
  },
  {
    mistake: 'a proxy that is no URL',
    message: messageOf({ proxy: 'proxy.internal' }),
    follow: (message) => eachPasses('proxy', message),
    means: true,
  },
  {
    mistake: 'a servername that is no text',
    message: messageOf({ tls: { servername: 5 } }),
    choice: 'tls.servername: write a host name.',
    heeded: messageOf({ tls: { servername: 'api.example' } }),
  },
  {
    mistake: 'a proxy that asks for a password',
    message: await messageThroughProxy('http://'),
    follow: (message) => messageThroughProxy(message.includes('URL of proxy') ? 'http://user:secret@' : ''),
    means: 'passed',
  },
];

/** Sends an update through a proxy that lets one login through. */
async function messageThroughProxy(url: string): Promise<string> {
  await using service = await startMockOrderService({ orders: ['order_1234'] });
  await using proxy = await startProxy({ login: 'user:secret' });
  const options = { baseUrl: service.url, apiKey: service.key, proxy: proxy.url.replace('http://', url) };
  await using orders = createOrdersClient(options);
  const { error } = await orders.safeUpdateOrder('order_1234', buildOrderUpdate());
  return error?.message ?? 'passed';
}

test.each(table)(
  'the advice about $mistake keeps what was meant, or names the choice',
  async ({ message, follow, means, choice, heeded }) => {
    expect(message).not.toBe('passed');
    if (follow) expect(await follow(message)).toEqual(means);
    else expect([message.slice(-(choice?.length ?? 0)), heeded]).toEqual([choice, 'passed']);
  },
);

test('every advice in the sources has its row in this table', () => {
  const open = adviceIn(import.meta.dirname).filter(
    (advice) => !table.some(({ message }) => advice.test(message)),
  );
  expect(open).toEqual([]);
});
