import { createOrdersClient } from '@orders/client';
import type { OrderService } from '@orders/testing';
import { documentWithAnswers } from './answers-document.ts';
import { type Case, check, checkSame } from './case.ts';
import { readOpenApi } from './documents.ts';
import { type Prism, startPrism } from './prism.ts';
import { apiKey, checkApplied, otherKey, startService, update } from './service-cases.ts';
import { violationsOf, watchAnswers } from './violations.ts';

/** What Prism lets through and our service then refuses, and with which status. */
const refusals: readonly Exchange[] = [
  { status: 401, key: 'wrong' },
  { status: 401, key: 'wrong', path: '/v2/echo_with_private_key', method: 'GET' },
  { status: 403, key: otherKey },
  { status: 404, path: '/v2/orders/ord_2' },
  { status: 406, accept: 'text/html' },
  { status: 413, body: { cart: {}, note: 'x'.repeat(2_097_152) } },
  { status: 422, body: { cart: {}, orderId: 'misspelled' } },
];
const successes: readonly Exchange[] = [
  { status: 200 },
  { status: 200, path: `/v2/orders/${encodeURIComponent('a/b?c#d%2f')}` },
  { status: 200, path: '/v2/echo_with_private_key', method: 'GET' },
];

interface Exchange {
  readonly status: number;
  readonly key?: string;
  readonly path?: string;
  readonly method?: 'GET';
  readonly accept?: string;
  readonly body?: object;
}

type Meet = (prism: Prism, service: OrderService) => Promise<string>;

function row(name: string, meet: Meet, document: object = readOpenApi()): Case {
  const run = async (): Promise<string> => {
    await using service = await startService();
    await using prism = await startPrism(document, service.url);
    return await meet(prism, service);
  };
  return { peer: 'prism proxy', name, run };
}

/** Prism between a client and our order service: it judges what both of them send. */
export const prismProxyCases: readonly Case[] = [
  row('passes an update of our client on, and the answer back', async (prism, service) => {
    await using orders = createOrdersClient({ baseUrl: prism.url, apiKey });
    const { token } = service;
    const { value, violations } = await watchAnswers(prism.url, () => orders.updateOrder(token, update));
    checkSame('violations', violations, []);
    checkSame('answer', value.data, { token, revision: 1, order: update });
    return checkApplied(service, update);
  }),
  row('holds nothing against any answer of the service', exchangeAll),
  row('nor by a document that describes the answers as our README does', exchangeAll, documentWithAnswers()),
  row('does judge answers: it objects to one that is no JSON', async (prism, service) => {
    service.faults.next([{ fault: 'wrong_media_type' }]);
    const answer = await exchange(prism, { status: 200 });
    checkSame('status', answer.status, 500);
    return `${answer.status}: ${violationsOf(answer).map(({ message }) => message)}`;
  }),
];

async function exchangeAll(prism: Prism, service: OrderService): Promise<string> {
  const exchanges = [...successes, ...refusals];
  for (const [index, each] of exchanges.entries()) {
    const answer = await exchange(prism, each);
    const text = await answer.text();
    checkSame(`violations of ${each.status}`, violationsOf(answer), []);
    check(answer.status === each.status, `${answer.status} instead of ${each.status}: ${text}`);
    // An answer that Prism made by itself would prove nothing.
    check(answer.headers.get('x-request-id') !== null, `not an answer of the service: ${text}`);
    checkSame('requests', service.journal.length, index + 1);
  }
  return `no violation in ${exchanges.length} answers: ${exchanges.map(({ status }) => status).join(', ')}`;
}

function exchange({ url }: Prism, wanted: Exchange): Promise<Response> {
  const { path = '/v2/orders/ord_1', method = 'PATCH', key = apiKey, accept = 'application/json' } = wanted;
  const headers = { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`, accept };
  const signal = AbortSignal.timeout(10_000);
  if (method === 'GET') return fetch(url + path, { headers, signal });
  const body = JSON.stringify(wanted.body ?? update);
  return fetch(url + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    signal,
  });
}
