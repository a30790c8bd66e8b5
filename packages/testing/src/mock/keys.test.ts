import fc from 'fast-check';
import { expect, test } from 'vitest';
import { basic, ECHO_PATH, send } from '../../test/send.ts';
import { createKeyRing, type ServiceKeys } from './keys.ts';
import { startMockOrderService } from './mock-order-service.ts';

test('each service has a random key of its own by default', async () => {
  await using one = await startMockOrderService();
  await using two = await startMockOrderService();
  expect(one.key).not.toBe(two.key);
  expect([(await send(one)).status, (await send(one, { key: two.key })).status]).toEqual([200, 401]);
});

test.each<[ServiceKeys]>([
  [['plain', { key: 'typed', type: 'ReportApiKey' }, { key: 'untyped' }]],
  [{ plain: 'SalesChannelApiKey', typed: 'ReportApiKey', untyped: 'SalesChannelApiKey' }],
])('the journal has the index and the type of the key: %j', async (keys) => {
  await using service = await startMockOrderService({ keys });
  for (const key of ['untyped', 'typed', 'plain', 'other'])
    await send(service, { method: 'GET', path: ECHO_PATH, key });
  await send(service, { headers: { authorization: 'Bearer plain' } });
  await send(service, { headers: { authorization: 'plain' } });
  await send(service, { headers: { authorization: 'Basic plain' } });
  await send(service, { headers: { authorization: null } });
  expect(service.journal.map(({ authorization }) => authorization)).toEqual([
    { scheme: 'basic', keyIndex: 2, keyType: 'SalesChannelApiKey' },
    { scheme: 'basic', keyIndex: 1, keyType: 'ReportApiKey' },
    { scheme: 'basic', keyIndex: 0, keyType: 'SalesChannelApiKey' },
    { scheme: 'basic', problem: 'unknown' },
    { scheme: 'bearer', problem: 'unsupported' },
    { scheme: 'other', problem: 'unsupported' },
    { scheme: 'basic', problem: 'malformed' },
    { problem: 'missing' },
  ]);
});

test.each<[ServiceKeys, string]>([
  [{ reading: 'ReportApiKey', updating: 'SalesChannelApiKey' }, 'updating'],
  [{ reading: 'ReportApiKey' }, 'reading'],
])('of %j, the key of the service is %s', async (keys, key) => {
  await using service = await startMockOrderService({ keys });
  expect(service.key).toBe(key);
});

test('only the base64 of a key and a colon counts as a key', () => {
  const { identify } = createKeyRing(['abc']);
  const pairs = fc.string({ unit: 'grapheme' }).map((key) => Buffer.from(`${key}:`).toString('base64'));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), pairs), (text) => {
      const { problem } = identify(`Basic ${text}`);
      const pair = Buffer.from(text, 'base64').toString();
      const isKey = /^[^:\p{Cc}]+:$/u.test(pair) && basic(pair) === `Basic ${text}`;
      expect(problem).toBe(isKey ? 'unknown' : 'malformed');
    }),
  );
});

test.each([
  ['', /^keys\[1\] is empty/],
  ['sec:ret', /^keys\[1\] holds a colon/],
  ['sec\nret', /^keys\[1\] holds a control character/],
  ['sec\ud800ret', /^keys\[1\] holds half a surrogate pair/],
  ['good', /^keys\[1\] is given twice/],
  [7 as unknown as string, /^keys\[1\]: expected an object/],
])('rejects the key %j without showing it', async (key, message) => {
  const error = await startMockOrderService({ keys: ['good', key] }).catch((reason) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toMatch(message);
  expect(error.message).not.toMatch(/sec|good|7/);
});

test.each([[[]], [{}]])('rejects no keys at all: %j', async (keys) => {
  await expect(startMockOrderService({ keys })).rejects.toThrow(/^keys: give at least one/);
});
