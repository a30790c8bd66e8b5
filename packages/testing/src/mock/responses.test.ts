import { OrderUpdate } from '@orders/schema';
import { expect, expectTypeOf, test } from 'vitest';
import { exchange } from '../../test/raw-update.ts';
import { codeOf, ECHO_PATH, type Sent, send } from '../../test/send.ts';
import { type MockOrderServiceOptions, startMockOrderService } from './mock-order-service.ts';
import type { MockResponses } from './responses.ts';

const start = (responses: MockResponses, options: MockOrderServiceOptions = {}) =>
  startMockOrderService({ orders: ['a'], responses, ...options });
const echo = { method: 'GET', path: ECHO_PATH } as const;

test('responds with the given statuses, and the others as usual', async () => {
  await using service = await start({
    statuses: { order_updated: 202, key_echoed: 203, key_unknown: 403 },
  });
  const sent = [{}, echo, { key: 'other' }, { body: '' }] as const;
  const responses = await Promise.all(sent.map((one) => send(service, one)));
  expect(responses.map(({ status }) => status)).toEqual([202, 203, 403, 400]);
});

test('responds with the given bodies, a scripted error included', async () => {
  await using service = await start({
    updateBody: ({ token, revision }) => ({ id: token, version: revision }),
    echoBody: (keyType) => keyType,
    errorBody: ({ error }, status) => ({ status, reason: error.code }),
  });
  expect((await send(service)).json).toEqual({ id: 'a', version: 1 });
  expect((await send(service, echo)).json).toBe('SalesChannelApiKey');
  const rejected = await send(service, { key: 'other' });
  expect(rejected.json).toEqual({ status: 401, reason: 'key_unknown' });
  expect(rejected.headers['www-authenticate']).toMatch(/^Basic /);
  service.faults.next({ type: 'status', status: 409 });
  expect(await send(service)).toMatchObject({ status: 409, json: { status: 409, reason: 'fault_scripted' } });
});

test.each<[MockResponses, number, string | undefined]>([
  [{ updateBody: () => undefined }, 200, '0'],
  [{ statuses: { order_updated: 204 } }, 204, undefined],
])('responds without a body where there is none: %o', async (responses, status, length) => {
  await using service = await start(responses);
  const response = await send(service);
  expect([response.status, response.text]).toEqual([status, '']);
  expect([response.headers['content-type'], response.headers['content-length']]).toEqual([undefined, length]);
  expect(service.ledger).toHaveLength(1);
});

test('merges by the given function, which gets frozen objects', async () => {
  const frozen: boolean[] = [];
  await using service = await start({
    merge: (held, update) => {
      frozen.push(...[held, held.cart, update, update.cart].map(Object.isFrozen));
      return {
        ...held,
        ...update,
        cart: { items: [...(held.cart?.items ?? []), ...(update.cart.items ?? [])] },
      };
    },
  });
  for (const sku of ['one', 'two']) await send(service, { body: { cart: { items: [{ sku }] } } });
  expect(service.order('a')?.data).toEqual({ cart: { items: [{ sku: 'one' }, { sku: 'two' }] } });
  expect(service.appliedUpdates('a').map(({ cart }) => cart.items)).toEqual([
    [{ sku: 'one' }],
    [{ sku: 'two' }],
  ]);
  expect(frozen).toEqual(Array(8).fill(true));
  expect(Object.isFrozen(service.order('a')?.data.cart?.items)).toBe(true);
});

const failingSchema = Object.assign(Object.create(OrderUpdate), { safeParse: fail });

test.each<[string, MockResponses, Sent, MockOrderServiceOptions?]>([
  ['updateBody', { updateBody: fail }, {}],
  ['echoBody', { echoBody: fail }, echo],
  ['merge', { merge: fail }, {}],
  ['errorBody', { errorBody: fail }, { key: 'other' }],
  ['the schema', {}, {}, { schema: failingSchema }],
])('a failure in %s leads to a 500, and applies nothing', async (_, responses, sent, options) => {
  await using service = await start(responses, options);
  const response = await send(service, sent);
  expect([response.status, codeOf(response)]).toEqual([500, 'service_failed']);
  expect(service.order('a')).toEqual({ token: 'a', data: {}, revision: 0 });
  expect(service.ledger).toEqual([]);
});

test.each<[string, MockResponses, Sent]>([
  ['updateBody', { updateBody: async () => ({}) }, {}],
  ['echoBody', { echoBody: async () => ({}) }, echo],
  ['merge', { merge: (async () => ({})) as never }, {}],
  ['errorBody', { errorBody: async () => ({}) }, { key: 'other' }],
  ['a rejected updateBody', { updateBody: async () => fail() }, {}],
])('a promise of %s leads to a 500 that says so, and applies nothing', async (_, responses, sent) => {
  await using service = await start(responses);
  const response = await send(service, sent);
  expect([response.status, codeOf(response)]).toEqual([500, 'service_failed']);
  expect(response.text).toMatch(/responses\.\w+: return the value itself, not a promise/);
  expect(service.order('a')).toEqual({ token: 'a', data: {}, revision: 0 });
  expect(service.ledger).toEqual([]);
});

test('a failure in errorBody reaches a scripted error and what is not HTTP as a response, too', async () => {
  await using service = await start({ errorBody: fail });
  service.faults.next('unavailable');
  const response = await send(service);
  expect([response.status, codeOf(response)]).toEqual([503, 'service_failed']);
  expect((await exchange(service, 'hello\r\n\r\n')).text).toMatch(/^HTTP\/1\.1 500 [\s\S]*"service_failed"/);
});

test.each([99, 199, 600, 200.5, Number.NaN])('rejects the status %d', async (status) => {
  const started = start({ statuses: { key_unknown: status } });
  await expect(started).rejects.toThrow(
    new TypeError(`responses.statuses.key_unknown: ${status} is not a whole number from 200 to 599.`),
  );
});

test('types know the fields of a schema of your own', () => {
  type Mine = { cart: Record<never, never>; total?: number };
  expectTypeOf<MockResponses<Mine>['merge'] & {}>().parameter(1).toEqualTypeOf<Mine>();
});

function fail(): never {
  throw new Error('A function of the test failed.');
}
