import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makePrintable } from './make-printable.ts';
import { revokedProxy, throwingProxy } from './proxies.ts';

test('prints what throws when it is read, and what is nested too deep', () => {
  let deep: unknown = 0;
  for (let depth = 0; depth < 50_000; depth++) deep = [deep];
  const getter = Object.defineProperty({}, 'cart', {
    enumerable: true,
    get: () => {
      throw new Error('A getter that throws.');
    },
  });
  expect(() => fc.stringify({ getter })).toThrow('A getter that throws.');
  expect(() => fc.stringify(deep)).toThrow(RangeError);
  expect(fc.stringify(makePrintable({ getter }))).toBe('{ getter: { cart: [Getter] } }');
  expect(fc.stringify(makePrintable([deep]))).toContain('[Array]');
  expect(fc.stringify(makePrintable({ cart: revokedProxy() }))).toBe('{ cart: <Revoked Proxy> }');
  expect(fc.stringify(makePrintable(throwingProxy()))).toBe('[proxy that throws]');
});

test('prints a large value in part', () => {
  const names = Array.from({ length: 5_000 }, (_, index) => [`name_${index}`, index]);
  expect(fc.stringify(makePrintable(Object.fromEntries(names))).length).toBeLessThan(5_000);
});

test('leaves fields, JSON text and copies as they are', () => {
  const value = makePrintable({ cart: {} });
  expect(Object.keys(value)).toEqual(['cart']);
  expect(JSON.stringify(value)).toBe('{"cart":{}}');
  expect(Object.getOwnPropertySymbols({ ...value })).toEqual([]);
  expect(Object.isFrozen(makePrintable(Object.freeze({})))).toBe(true);
  expect(makePrintable('text')).toBe('text');
});
