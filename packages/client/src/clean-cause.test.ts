import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitizeCause } from './redact.ts';

const asIs = (text: string): string => text;

test('keeps name, message and code of a cause, and drops what else it carries', () => {
  const cause = Object.assign(new TypeError(' no room '), { code: 'ENOSPC', query: 'insert the body' });
  const clean = sanitizeCause(cause, asIs);
  expect(clean).toMatchObject({ name: 'TypeError', message: 'no room', code: 'ENOSPC' });
  expect(clean).not.toHaveProperty('query');
  expect(clean?.stack).toBe('TypeError: no room');
});

test('anything can be a cause, and is an Error then', () => {
  const unreadable = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
    },
  );
  const any = fc.anything({ withNullPrototype: true, withBigInt: true, withObjectString: true });
  fc.assert(
    fc.property(fc.oneof(any, fc.constant(unreadable), fc.constant(Symbol('s'))), (cause) => {
      const clean = sanitizeCause(cause, asIs);
      expect(clean instanceof Error).toBe(cause !== undefined);
    }),
  );
});
