import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildPayload, encodePayload } from './webhook-payload.ts';

const content = { id: 'evt_1', event: 'paid', token: 'ord_1', sessionId: undefined, fields: {} };

test('names no session where there is none, and lays the fields over all', () => {
  expect(buildPayload(content)).toEqual({ id: 'evt_1', event: 'paid', order_token: 'ord_1' });
  expect(buildPayload({ ...content, sessionId: 'qr_1', fields: { id: 'own', at: 5 } })).toEqual({
    id: 'own',
    event: 'paid',
    order_token: 'ord_1',
    session_id: 'qr_1',
    at: 5,
  });
});

test('writes every object of JSON so that it reads back', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
      // A field of this name is refused at every level.
      fc.pre(!JSON.stringify(payload).includes('"__proto__":'));
      const text = encodePayload(payload);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(payload)));
      expect(Buffer.from(text).toString('utf8')).toBe(text);
    }),
  );
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

test.each([
  ['a list', [1], 'payload: Expected an object, got a list. Write an object.'],
  ['nothing', undefined, /^payload: /],
  ['text', '{}', /^payload: Expected an object/],
  ['a number that JSON cannot hold', { total: Number.NaN }, /^payload: total: Cannot send NaN\. /],
  ['a date', { data: [{ at: new Date(0) }] }, /^payload: data\[0\]\.at: /],
  ['a function', { toJSON: () => ({}) }, /^payload: toJSON: /],
  ['a cycle', cyclic, /^payload: self: /],
])('refuses %s', (_what, payload, message) => {
  expect(() => encodePayload(payload)).toThrow(TypeError);
  expect(() => encodePayload(payload)).toThrow(message);
});
