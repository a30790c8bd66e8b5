import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildJournalEntry } from '../../test/control-sources.ts';
import { formatLogLine } from './log-line.ts';

const entry = buildJournalEntry(7, Buffer.alloc(0));

test('tells when, which, what, how it ended, how long it took and by what key', () => {
  const line = formatLogLine({ ...entry, answeredAt: 12 }, []);
  expect(line).toBe('1970-01-01T00:00:00.007Z req_7 PATCH /v2/orders/ord_1 200 5ms SalesChannelApiKey');
});

test('tells why no key was taken, and which fault was met', () => {
  const line = formatLogLine(
    { ...entry, status: 503, authorization: { problem: 'missing' }, fault: { fault: 'status', status: 503 } },
    [],
  );
  expect(line).toMatch(/ 503 0ms key missing, met status$/);
});

test('tells of a request that nobody answered', () => {
  const line = formatLogLine({ ...entry, status: undefined, answeredAt: undefined }, []);
  expect(line).toContain(' PATCH /v2/orders/ord_1 no answer 0ms SalesChannelApiKey');
});

test.each([
  ['/v2/orders/se/k?r', '/v2/orders/[redacted]'],
  ['/v2/orders/se%2fk%3fr/x', '/v2/orders/[redacted]/x'],
  ['/v2/orders/%73e%2Fk%3Fr', '/v2/orders/[redacted]'],
  [`/?auth=${Buffer.from('se/k?r:').toString('base64')}`, '/?auth=[redacted]'],
  ['/v2/orders/%zz', '/v2/orders/%zz'],
])('shows %s as %s', (path, shown) => {
  expect(formatLogLine({ ...entry, path }, ['other', 'se/k?r'])).toContain(` PATCH ${shown} 200 `);
});

test('is one line that never holds a key, wherever in the path it is put', () => {
  const key = fc
    .string({ unit: 'grapheme', minLength: 8 })
    .filter((text) => !/[:%\p{Cc}\p{Zl}\p{Zp}]/u.test(text));
  fc.assert(
    fc.property(key, fc.webPath(), (secret, path) => {
      const line = formatLogLine({ ...entry, path: `${path}/${encodeURIComponent(secret)}` }, [secret]);
      expect(line).not.toContain(secret);
      expect(line).not.toContain(encodeURIComponent(secret));
      expect(line).not.toContain('\n');
    }),
  );
});
