import { expect, expectTypeOf, test } from 'vitest';
import { codeOf, ECHO_PATH, send } from '../../test/send.ts';
import type { ServiceChoices } from './choices.ts';
import type { Fault } from './faults/fault.ts';
import { type OrderService, startOrderService } from './order-service.ts';

const start = (choices: ServiceChoices): Promise<OrderService> =>
  startOrderService({ orders: ['a'], choices });
const echo = { method: 'GET', path: ECHO_PATH } as const;

test('answers with the statuses that were chosen, and the others as usual', async () => {
  await using service = await start({ statuses: { order_updated: 202, key_echoed: 203, key_unknown: 403 } });
  const sent = [{}, echo, { key: 'other' }, { body: '' }] as const;
  const answers = await Promise.all(sent.map((one) => send(service, one)));
  expect(answers.map(({ status }) => status)).toEqual([202, 203, 403, 400]);
});

test('answers with the bodies that were chosen', async () => {
  await using service = await start({
    updateBody: ({ token, revision }) => ({ id: token, version: revision }),
    echoBody: (keyType) => keyType,
    errorBody: ({ error }, status) => ({ status, reason: error.code }),
  });
  expect((await send(service)).json).toEqual({ id: 'a', version: 1 });
  expect((await send(service, echo)).json).toBe('SalesChannelApiKey');
  const refused = await send(service, { key: 'other' });
  expect(refused.json).toEqual({ status: 401, reason: 'key_unknown' });
  expect(refused.headers['www-authenticate']).toMatch(/^Basic /);
});

test('answers without a body where the choice makes none', async () => {
  await using service = await start({ updateBody: () => undefined });
  const answer = await send(service);
  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(answer.headers['content-type']).toBeUndefined();
  expect(service.ledger).toHaveLength(1);
});

test('sends no body and no length with a 204', async () => {
  await using service = await start({ statuses: { order_updated: 204 } });
  const answer = await send(service);
  expect(answer).toMatchObject({ status: 204, text: '' });
  expect(answer.headers).not.toHaveProperty('content-length');
});

test('merges as was chosen', async () => {
  await using service = await start({
    merge: (held, update) => ({
      ...held,
      ...update,
      cart: { items: [...(held.cart?.items ?? []), ...(update.cart.items ?? [])] },
    }),
  });
  for (const sku of ['one', 'two']) await send(service, { body: { cart: { items: [{ sku }] } } });
  expect(service.order('a')?.data).toEqual({ cart: { items: [{ sku: 'one' }, { sku: 'two' }] } });
  expect(service.appliedTo('a').map(({ cart }) => cart.items)).toEqual([[{ sku: 'one' }], [{ sku: 'two' }]]);
  expect(Object.isFrozen(service.order('a')?.data.cart?.items)).toBe(true);
});

test('cannot be made to change what it holds or what was sent', async () => {
  await using service = await start({ merge: (held, update) => Object.assign(held, update) });
  const answer = await send(service);
  expect([answer.status, codeOf(answer)]).toEqual([500, 'service_failed']);
  expect(service.order('a')).toEqual({ token: 'a', data: {}, revision: 0 });
  expect(service.ledger).toEqual([]);
});

test.each<[string, ServiceChoices]>([
  ['answering an update', { updateBody: fail }],
  ['answering an echo', { echoBody: fail }],
  ['merging', { merge: fail }],
  ['answering a refusal', { errorBody: fail }],
])('answers a choice that throws in %s with 500, and applies nothing', async (name, choices) => {
  await using service = await start(choices);
  const sent = name.includes('echo') ? echo : name.includes('refusal') ? { key: 'other' } : {};
  const answer = await send(service, sent);
  expect([answer.status, codeOf(answer)]).toEqual([500, 'service_failed']);
  expect(service.ledger).toEqual([]);
});

test('leaves a scripted status to the script, in the shape that was chosen', async () => {
  await using service = await start({ errorBody: ({ error }) => [error.code] });
  const fault: Fault = { fault: 'status', status: 409 };
  service.faults.next(fault);
  expect(await send(service)).toMatchObject({ status: 409, json: ['fault_scripted'] });
});

test.each([99, 100, 199, 600, 200.5, Number.NaN])('refuses the status %d', async (status) => {
  const started = start({ statuses: { key_unknown: status } });
  await expect(started).rejects.toThrow(TypeError);
  await expect(started).rejects.toThrow(/^choices\.statuses\.key_unknown: /);
});

test('knows the fields of a schema of your own', () => {
  type Mine = { cart: Record<never, never>; total?: number };
  expectTypeOf<ServiceChoices<Mine>['merge'] & {}>().parameter(1).toEqualTypeOf<Mine>();
});

function fail(): never {
  throw new Error('A choice failed.');
}
