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

test.each<[Partial<JournalEntry>, string]>([
  [{}, '200 5ms SalesChannelApiKey'],
  [{ status: undefined, respondedAt: undefined }, 'no response 0ms SalesChannelApiKey'],
  [{ status: 503, authorization: { problem: 'missing' } }, '503 5ms key missing'],
  [{ fault: { type: 'status', status: 200 } }, '200 5ms SalesChannelApiKey, fault status'],
])('has the time, the request, its status and duration, its key and its fault: %j', (fields, end) => {
  const line = formatLogLine({ ...entry, ...fields }, ['key']);
  expect(line).toBe(`1970-01-01T00:00:00.007Z req_7 PATCH /v2/orders/ord_1 ${end}`);
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
