import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { basic, Secret } from './index.ts';

test('prints as [secret] wherever a value can be printed', () => {
  const secret = new Secret('swordfish');
  expect(String(secret)).toBe('[secret]');
  expect(`${secret}`).toBe('[secret]');
  expect([secret, 1].join()).toBe('[secret],1');
  expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
  expect(inspect(secret)).toBe('[secret]');
  expect(new Error(`failed with ${secret}`).message).toBe('failed with [secret]');
  expect(Object.keys(secret)).toEqual([]);
});

test('no way of printing shows any key or its base64', () => {
  const key = fc.stringMatching(/^[\w+/=-]{16,64}$/);
  fc.assert(
    fc.property(key, (text) => {
      const holder = { nested: [new Secret(text), basic(text), () => basic(text)] };
      const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true };
      const printed = [
        inspect(holder, deep),
        inspect(holder, { ...deep, customInspect: false }),
        JSON.stringify(holder),
        holder.nested.map(String).join(),
      ].join('\n');
      expect(printed).not.toContain(text);
      expect(printed).not.toContain(btoa(`${text}:`).replace(/=+$/, ''));
    }),
  );
});
