import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalEntry } from './journal.ts';
import { formatLogLine } from './log-line.ts';

const entry: JournalEntry = {
  requestId: 'req_7',
  at: 7,
  method: 'PATCH',
  path: '/v2/orders/ord_1',
  operation: 'update',
  token: 'ord_1',
  headers: {},
  authorization: { scheme: 'basic', keyIndex: 0, keyType: 'SalesChannelApiKey' },
  fault: undefined,
  body: Buffer.alloc(0),
  complete: true,
  status: 200,
  respondedAt: 12,
};

test('has the time, the request, its status and duration, and the type of the key', () => {
  expect(formatLogLine(entry, [])).toBe(
    '1970-01-01T00:00:00.007Z req_7 PATCH /v2/orders/ord_1 200 5ms SalesChannelApiKey',
  );
});

test('has what is wrong with the key, and the fault', () => {
  const line = formatLogLine(
    { ...entry, status: 503, authorization: { problem: 'missing' }, fault: { type: 'status', status: 503 } },
    [],
  );
  expect(line).toMatch(/ 503 5ms key missing, fault status$/);
});

test('shows a request without a response', () => {
  const line = formatLogLine({ ...entry, status: undefined, respondedAt: undefined }, []);
  expect(line).toContain(' PATCH /v2/orders/ord_1 no response 0ms SalesChannelApiKey');
});

test.each([
  ['/v2/orders/se/k?r', '/v2/orders/[redacted]'],
  ['/v2/orders/se%2fk%3Fr/x', '/v2/orders/[redacted]/x'],
  [`/?auth=${btoa('se/k?r:')}`, '/?auth=[redacted]'],
  [`/?auth=${btoa('se/k?r').replaceAll('=', '')}&x`, '/?auth=[redacted]&x'],
  [`/${Buffer.from('se/k?r').toString('hex')}`, '/[redacted]'],
  ['/v2/orders/%zz', '/v2/orders/%zz'],
])('shows %s as %s', (path, shown) => {
  expect(formatLogLine({ ...entry, path }, ['other', 'se/k?r'])).toContain(` PATCH ${shown} 200 `);
});

test('is one line without the key, wherever the path has it', () => {
  const key = fc
    .string({ unit: 'grapheme', minLength: 8 })
    .filter((text) => !/[:%\p{Cc}\p{Zl}\p{Zp}]/u.test(text));
  const path = fc.stringMatching(/^(\/([\w.~!$&'()*+,;=:@-]|%[\dA-F]{2})*)+$/);
  fc.assert(
    fc.property(key, path, (secret, path) => {
      const line = formatLogLine({ ...entry, path: `${path}/${encodeURIComponent(secret)}%0a` }, [secret]);
      expect(line).not.toContain(secret);
      expect(line).not.toContain(encodeURIComponent(secret));
      expect(line).not.toContain('\n');
    }),
  );
});
