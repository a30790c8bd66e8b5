import { type ClassifyResponse, createOrdersClient, type OrdersClient } from '@orders/client';
import { documentedExample } from '@orders/testing';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { bodies, type JsonBody, placesFound, sampleMistakes, sampleUpdates } from './bodies.ts';
import { basic, pathOf } from './http-peers.ts';
import { openApiFile, withResponses, writeGenerated } from './openapi.ts';
import { readViolations, startPrism, type Violation } from './prism.ts';
import { apiKey, expectApplied, otherKey, specialToken, test, tooLarge, update } from './service.ts';

const headers = { authorization: basic(apiKey), 'content-type': 'application/json' };
const patch = { method: 'PATCH', headers, body: JSON.stringify(update) };

/** Sends what our client would not. */
async function send(baseUrl: string, request: RequestInit, token?: string) {
  const url = baseUrl + pathOf(token);
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000), ...request });
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    body: await response.text(),
    violations: readViolations(response.headers.get('sl-violations')),
  };
}

/** Calls with our client, and expects Prism to find nothing wrong with its requests and their responses. */
async function useClient<Result>(baseUrl: string, call: (orders: OrdersClient) => Promise<Result>) {
  const violations: Violation[] = [];
  const classifyResponse: ClassifyResponse = ({ headers }) => {
    violations.push(...readViolations(headers['sl-violations']));
    return undefined;
  };
  await using orders = createOrdersClient({ baseUrl, apiKey, classifyResponse });
  const result = await call(orders);
  expect(violations).toEqual([]);
  return result;
}

describe('Prism as a mock of openapi.json', () => {
  let prism: Awaited<ReturnType<typeof startPrism>>;
  beforeAll(async () => {
    prism = await startPrism(openApiFile);
  });
  afterAll(() => prism[Symbol.asyncDispose]());

  const { cart, ...fields } = documentedExample();
  const line = cart.items[0] ?? {};
  const fieldByField = [
    ...Object.entries(fields).map(([name, value]) => ({ cart: {}, [name]: value })),
    ...Object.entries(line).map(([name, value]) => ({ cart: { items: [{ [name]: value }] } })),
    ...Object.entries(fields.hooks).map(([name, value]) => ({ cart: {}, hooks: { [name]: value } })),
  ];
  const valid = bodies.filter((each) => each.places.length === 0 && !each.isBeyondJsonSchema);

  test.for<[string, readonly { readonly cart: object }[]]>([
    ['the documented example', [documentedExample()]],
    ['a cart alone', [{ cart: {} }, { cart: { items: [] } }]],
    ['every documented field by itself', fieldByField],
    ["the valid cases of the schema's tests", valid.map(({ json }) => JSON.parse(json))],
    ['random valid updates', sampleUpdates(100)],
  ])('accepts %s from our client', async ([, updates]) => {
    expect(updates).not.toEqual([]);
    await useClient(prism.url, async (orders) => {
      for (const each of updates) await orders.updateOrder(specialToken, each);
    });
  });

  test('accepts the echo of our client', async () => {
    const { status } = await useClient(prism.url, (orders) => orders.echo());
    expect(status).toBe(200);
  });

  test.for<[string, readonly JsonBody[]]>([
    ["the invalid cases of the schema's tests", bodies],
    ['random invalid updates', sampleMistakes(100)],
  ])('refuses %s at the same places', async ([, given]) => {
    const invalid = given.filter(({ places }) => places.length > 0);
    expect(invalid).not.toEqual([]);
    for (const each of invalid) {
      const { name, json, places } = each;
      const { status, violations } = await send(prism.url, { ...patch, body: json }, specialToken);
      const found = violations.map(({ location }) => location.join('/').replace(/^request(\/body\/?)?/, ''));
      expect([name, status, placesFound(found, each)]).toEqual([name, 422, places]);
    }
  });

  test('accepts what only our schema can refuse, so that our client does not send it', async () => {
    await using orders = createOrdersClient({ baseUrl: prism.url, apiKey });
    const beyond = bodies.filter(({ isBeyondJsonSchema }) => isBeyondJsonSchema);
    expect(beyond).not.toEqual([]);
    for (const { name, json } of beyond) {
      const { status, violations } = await send(prism.url, { ...patch, body: json }, specialToken);
      expect([name, status, violations]).toEqual([name, 200, []]);
      const { error } = await orders.safeUpdateOrder(specialToken, JSON.parse(json));
      expect([name, error?.code, error?.outcome]).toEqual([name, 'validation_error', 'not_sent']);
    }
  });

  test.for<[string, RequestInit, number]>([
    ['a request without Authorization', { headers: { 'content-type': 'application/json' } }, 401],
    ['a bearer token', { headers: { ...headers, authorization: 'Bearer abc' } }, 401],
    ['a body of another type', { headers: { ...headers, 'content-type': 'text/plain' } }, 415],
    ['an update without a body', { headers: { authorization: basic(apiKey) }, body: null }, 422],
  ])('refuses %s', async ([, request, refused]) => {
    const { status, violations } = await send(prism.url, { ...patch, ...request }, specialToken);
    expect(status).toBe(refused);
    expect(violations).not.toEqual([]);
  });
});

describe('Prism as a proxy before the mock order service', () => {
  const key = (wrong: string): object => ({ headers: { ...headers, authorization: basic(wrong) } });
  const exchanges: readonly (readonly [status: number, request: RequestInit, token?: string])[] = [
    [200, patch, 'ord_1'],
    [200, patch, specialToken],
    [200, { headers }],
    [401, { ...patch, ...key('wrong') }, 'ord_1'],
    [401, key('wrong')],
    [403, { ...patch, ...key(otherKey) }, 'ord_1'],
    [404, patch, 'ord_2'],
    [406, { ...patch, headers: { ...headers, accept: 'text/html' } }, 'ord_1'],
    [413, { ...patch, body: JSON.stringify(tooLarge) }, 'ord_1'],
    [422, { ...patch, body: JSON.stringify({ cart: {}, orderId: 'misspelled' }) }, 'ord_1'],
  ];

  test('forwards an update of our client, and the response', async ({ service }) => {
    await using prism = await startPrism(openApiFile, service.url);
    const { data } = await useClient(prism.url, (orders) => orders.updateOrder('ord_1', update));
    expect(data).toEqual({ token: 'ord_1', revision: 1, order: update });
    expectApplied(service, { token: 'ord_1', body: update });
  });

  test.for([
    ['openapi.json', openApiFile],
    ['the responses in our README', writeGenerated('responses.json', JSON.stringify(withResponses()))],
  ] as const)('finds no violation in any response by %s', async ([, file], { service }) => {
    await using prism = await startPrism(file, service.url);
    for (const [index, [status, request, token]] of exchanges.entries()) {
      const response = await send(prism.url, request, token);
      // A response without the id of a request would be Prism's own, and prove nothing.
      expect(response).toMatchObject({ status, violations: [], requestId: expect.any(String) });
      expect(service.journal.length).toBe(index + 1);
    }
  });

  test('refuses a response that is not JSON', async ({ service }) => {
    await using prism = await startPrism(openApiFile, service.url);
    service.faults.next([{ type: 'wrong_media_type' }]);
    const response = await send(prism.url, patch, 'ord_1');
    const violation = { message: expect.stringContaining('text/html') };
    expect(response).toMatchObject({ status: 500, violations: [violation] });
  });
});
