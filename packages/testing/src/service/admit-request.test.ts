import { expect, test } from 'vitest';
import { exchange } from '../../test/raw-update.ts';
import { basic, codeOf, ECHO_PATH, orderPath, type Sent, send } from '../../test/send.ts';
import { startOrderService } from './order-service.ts';

async function answerTo(sent: Sent) {
  await using service = await startOrderService({
    keys: { updating: 'SalesChannelApiKey', reading: 'ReportApiKey' },
    orders: ['order-1'],
  });
  const answer = await send(service, sent);
  return {
    ...answer,
    code: answer.status === 200 ? undefined : codeOf(answer),
    applied: service.ledger.length,
  };
}

test('takes the documented request with 200', async () => {
  expect(await answerTo({})).toMatchObject({ status: 200, applied: 1 });
});

test.each([
  ['no header', null],
  ['an empty header', ''],
] as const)('refuses %s instead of a key with 401', async (_, authorization) => {
  const answer = await answerTo({ headers: { authorization } });
  expect(answer).toMatchObject({ status: 401, applied: 0 });
  expect(answer.headers['www-authenticate']).toBe('Basic realm="orders", charset="UTF-8"');
});

test.each([
  ['a missing key', { authorization: null }, 'key_missing'],
  ['a malformed one', { authorization: 'Basic !' }, 'key_malformed'],
  ['two of them', { authorization: [basic('updating:'), basic('updating:')] }, 'key_malformed'],
  ['a password', { authorization: basic('updating:secret') }, 'key_malformed'],
  ['an unknown key', { authorization: basic('another:') }, 'key_unknown'],
  ['the start of a key', { authorization: basic('updatin:') }, 'key_unknown'],
  ['a bearer token', { authorization: 'Bearer updating' }, 'scheme_unsupported'],
] as const)('refuses %s with 401 and says which it was', async (_, headers, code) => {
  expect(await answerTo({ headers })).toMatchObject({ status: 401, code, applied: 0 });
});

test('refuses an update by a key of another type with 403', async () => {
  const answer = await answerTo({ key: 'reading' });
  expect(answer).toMatchObject({ status: 403, code: 'key_type_not_allowed', applied: 0 });
});

test('answers the echo to a key of any type', async () => {
  const answer = await answerTo({ method: 'GET', path: ECHO_PATH, key: 'reading' });
  expect(answer).toMatchObject({ status: 200, json: { authenticated: true, key_type: 'ReportApiKey' } });
});

test('refuses the echo to an unknown key with 401', async () => {
  expect(await answerTo({ method: 'GET', path: ECHO_PATH, key: 'another' })).toMatchObject({ status: 401 });
});

test.each([
  ['/v2/orders/order-1', 'PATCH, OPTIONS'],
  ['/v2/orders/unknown', 'PATCH, OPTIONS'],
  [ECHO_PATH, 'GET, HEAD, OPTIONS'],
  ['*', 'OPTIONS'],
])('answers OPTIONS %s with what it allows, without a key', async (path, allow) => {
  await using service = await startOrderService({ orders: ['order-1'] });
  const { text } = await exchange(
    service,
    `OPTIONS ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
  );
  expect(text).toMatch(/^HTTP\/1\.1 204 /);
  expect(text).toContain(`\r\nallow: ${allow}\r\n`);
  expect(text).not.toMatch(/content-length|access-control/i);
});

test.each(['GET', 'PATCH'])('answers %s * with 405', async (method) => {
  await using service = await startOrderService();
  const { text } = await exchange(service, `${method} * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1\.1 405 /);
});

test('answers HEAD on the echo with its headers and no body', async () => {
  const answer = await answerTo({ method: 'HEAD', path: ECHO_PATH });
  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(Number(answer.headers['content-length'])).toBeGreaterThan(0);
});

test('answers an unknown order with 404', async () => {
  expect(await answerTo({ path: orderPath('order-2') })).toMatchObject({
    status: 404,
    code: 'order_not_found',
  });
});

test.each([
  '/',
  '/v2',
  '/v2/orders',
  '/v2/orders/',
  '/v2/orders/order-1/',
  '/v1/orders/order-1',
  '/v2/order/order-1',
])('answers the path %s with 404', async (path) => {
  expect(await answerTo({ path })).toMatchObject({ status: 404, code: 'path_not_found', applied: 0 });
});

test.each(['%', '%2', '%zz', '%ff', 'order-1%00%80'])(
  'answers the malformed token %s with 400',
  async (segment) => {
    expect(await answerTo({ path: `/v2/orders/${segment}` })).toMatchObject({
      status: 400,
      code: 'path_malformed',
    });
  },
);

test.each([
  ['PUT', orderPath('order-1'), 'PATCH'],
  ['POST', orderPath('order-1'), 'PATCH'],
  ['GET', orderPath('order-1'), 'PATCH'],
  ['PATCH', ECHO_PATH, 'GET, HEAD'],
])('answers %s %s with 405 and what it allows', async (method, path, allow) => {
  const answer = await answerTo({ method, path });
  expect(answer).toMatchObject({ status: 405, code: 'method_not_allowed', applied: 0 });
  expect(answer.headers['allow']).toBe(`${allow}, OPTIONS`);
});

test.each([null, 'text/plain', 'application/json; charset=latin1', 'application/merge-patch+json'])(
  'refuses a body of type %s with 415',
  async (contentType) => {
    const answer = await answerTo({ headers: { 'content-type': contentType } });
    expect(answer).toMatchObject({ status: 415, code: 'media_type_unsupported', applied: 0 });
  },
);

test('refuses an encoded body with 415', async () => {
  expect(await answerTo({ headers: { 'content-encoding': 'gzip' } })).toMatchObject({
    status: 415,
    applied: 0,
  });
});

test.each(['text/html', 'application/json;q=0, */*', 'application/xml, text/*'])(
  'refuses Accept: %s with 406',
  async (accept) => {
    expect(await answerTo({ headers: { accept } })).toMatchObject({
      status: 406,
      code: 'not_acceptable',
      applied: 0,
    });
  },
);

test('judges the key before the order, so that tokens cannot be guessed without one', async () => {
  expect(await answerTo({ path: orderPath('order-2'), key: 'another' })).toMatchObject({ status: 401 });
});

test('never echoes a key, whatever is wrong with the request', async () => {
  const key = 'updating';
  const wrongs: Sent[] = [
    { key, path: `/v2/${key}` },
    { key, path: orderPath(key) },
    { key, method: 'PUT' },
    { key, headers: { authorization: `Basic ${key}` } },
    { key, headers: { authorization: key } },
    { key, method: 'GET', path: ECHO_PATH },
    { key, body: '{' },
  ];
  for (const wrong of wrongs) {
    const { text, headers } = await answerTo(wrong);
    expect(text + JSON.stringify(headers)).not.toContain(key);
  }
});
