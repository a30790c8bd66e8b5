import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createOrdersClient } from '@orders/client';
import { buildOrderUpdate, type MockOrderService } from '@orders/testing';
import { describe, expect } from 'vitest';
import { type CurlRequest, curl, curlAll, hasCurl, httpPeers } from './http-peers.ts';
import { run } from './processes.ts';
import { apiKey, expectApplied, otherKey, specialToken, test, tooLarge, update } from './service.ts';

type Case = readonly [
  name: string,
  request: Omit<CurlRequest, 'baseUrl'>,
  status: number,
  /** What the JSON of the response holds, or its error code; without it the body is empty. */
  json?: object | string | undefined,
  /** More of the response. */
  response?: { readonly headers?: object; readonly interim?: readonly number[] },
  /** Headers that the service received. */
  received?: Readonly<Record<string, string>>,
];

const echo = { apiKey, method: 'GET' } as const;
const patch = { apiKey, method: 'PATCH', token: 'ord_1', body: update } as const;
const invalid = { ...patch, body: { cart: { items: [{ quantity: '2' }] } } };
const large = { ...patch, body: { cart: {}, note: 'x'.repeat(900_000) } };
const huge = { ...patch, body: tooLarge };
/** Longer than a command line may be, with characters that a shell would interpret. */
const awkward = { cart: {}, order_id: `it's "$HOME" \`id\` \\`, note: '🧡'.repeat(40_000) };

const applied = { revision: 1 };
const issues = { error: { code: 'body_refused', issues: [{ path: 'cart.items[0].quantity' }] } };
const echoed = { authenticated: true, key_type: 'SalesChannelApiKey' };
const echoLength = String(JSON.stringify(echoed).length);
const echoHeaders = { headers: { 'content-type': 'application/json', 'content-length': echoLength } };
const challenge = { headers: { 'www-authenticate': expect.stringMatching(/^Basic /) } };
const allowed = (methods: string): object => ({ headers: { allow: methods } });
const gzip = { 'accept-encoding': 'gzip' };
const chunked = { 'transfer-encoding': 'chunked' };
const expectContinue = { headers: { expect: '100-continue' } };
const encoded = { headers: { 'content-encoding': 'gzip' } };

const cases: readonly Case[] = [
  ['applies an update byte for byte', patch, 200, applied],
  ['reaches an order whose token has special characters', { ...patch, token: specialToken }, 200, applied],
  ['reads the issues of an invalid update', invalid, 422, issues],
  ['is refused with a wrong key', { ...patch, apiKey: 'wrong' }, 401, 'key_unknown', challenge],
  ['is refused with a key of another type', { ...patch, apiKey: otherKey }, 403, 'key_type_not_allowed'],
  ['is refused with an unknown token', { ...patch, token: 'ord_2' }, 404, 'order_not_found'],
  ['is refused, not reset, with a body of 2 MB', huge, 413, 'body_too_large'],
  ['calls the echo', echo, 200, echoed, echoHeaders],
  ['gets the headers of the echo by HEAD', { ...echo, method: 'HEAD' }, 200, undefined, echoHeaders],
  ['lists methods', { ...echo, method: 'OPTIONS' }, 204, undefined, allowed('GET, HEAD, OPTIONS')],
  ['is refused with PUT', { ...patch, method: 'PUT' }, 405, 'method_not_allowed', allowed('PATCH, OPTIONS')],
  ['reads the response when it accepts gzip', { ...echo, headers: gzip }, 200, echoed, {}, gzip],
];

const curlCases: readonly Case[] = [
  ['sends 900 kB after a 100', { ...large, ...expectContinue }, 200, applied, { interim: [100] }],
  ['is refused with 2 MB and "Expect"', { ...huge, ...expectContinue }, 413, 'body_too_large'],
  ['sends a body in chunks', { ...patch, headers: chunked }, 200, applied, {}, chunked],
  ['sends a body from a pipe', { ...large, isPiped: true }, 200, applied, {}, chunked],
  ['is refused with 2 MB in chunks', { ...huge, isPiped: true }, 413, 'body_too_large', {}, chunked],
  ['sends HTTP/1.0', { ...patch, options: ['--http1.0'] }, 200, applied],
  ['offers HTTP/2', { ...patch, options: ['--http2'] }, 200, applied, { interim: [] }, { upgrade: 'h2c' }],
  ['is refused with a content-encoding', { ...patch, ...encoded }, 415, 'media_type_unsupported'],
];

describe.each(Object.entries(httpPeers))('%s', (name, send) => {
  const isMissing = name === 'curl' && !hasCurl();

  test.for(cases)('%s', async (each, { service, skip }) => {
    const [, { method }] = each;
    skip(isMissing, 'curl is not on the PATH');
    skip(name === 'openapi-fetch' && method !== 'GET' && method !== 'PATCH', 'undocumented');
    await expectResponse(service, send, each);
  });

  test.skipIf(isMissing)('reuses its connection, after a refusal too', async ({ service }) => {
    const sockets = new Set<unknown>();
    const count = (message: unknown): void => {
      sockets.add((message as { readonly socket: unknown }).socket);
    };
    const requests = [echo, invalid, patch, echo, invalid, patch].map((request) => ({
      ...request,
      baseUrl: service.url,
    }));
    const statuses: number[] = [];
    subscribe('http.server.request.start', count);
    if (name === 'curl') statuses.push(...(await curlAll(requests)).map(({ status }) => status));
    else for (const request of requests) statuses.push((await send(request)).status);
    unsubscribe('http.server.request.start', count);
    expect(statuses).toEqual([200, 422, 200, 200, 422, 200]);
    // Node's `fetch` may open a second connection before it has put the first one back.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});

describe.skipIf(!hasCurl())('curl alone', () => {
  test.for(curlCases)('%s', (each, { service }) => expectResponse(service, curl, each));

  test.for([
    ['', buildOrderUpdate()],
    [' with a long body and special characters of the shell', awkward],
  ] as const)('runs the command of toCurl()%s', async ([, body], { service }) => {
    await using orders = createOrdersClient({ baseUrl: service.url, apiKey });
    const input = orders.prepareUpdateOrder('ord_1', body).toCurl();
    const { stdout, stderr } = await run('sh', [], { input, env: { ORDERS_API_KEY: apiKey } });
    expect(JSON.parse(stdout || stderr)).toMatchObject({ token: 'ord_1', revision: 1 });
    expect(service.ledger[0]?.body).toEqual(body);
  });
});

async function expectResponse(
  service: MockOrderService,
  send: (request: CurlRequest) => Promise<{ readonly body: string }>,
  [, request, status, json, response, received = {}]: Case,
): Promise<void> {
  const { body, ...rest } = await send({ ...request, baseUrl: service.url });
  expect(rest).toMatchObject({ status, ...response });
  if (json === undefined) expect(body).toBe('');
  else expect(JSON.parse(body)).toMatchObject(typeof json === 'string' ? { error: { code: json } } : json);
  expect(service.journal[0]?.headers).toMatchObject(received);
  if (request.method === 'PATCH' && status === 200) expectApplied(service, request);
  else expect(service.ledger).toEqual([]);
}
