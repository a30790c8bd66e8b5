import { expect, test } from 'vitest';
import { getRetryAfterMs } from './response.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

test.each([
  ['120', 120_000],
  ['0', 0],
  [' 5 ', 5_000],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
  ['1.5', 1_500],
  ['999999999', 999_999_999_000],
  // A Unix time, in seconds.
  [String(now / 1_000 + 30), 30_000],
  ['9999999999', 9_999_999_999_000 - now],
])('reads Retry-After %j', (value, ms) => {
  expect(getRetryAfterMs({ status: 503, headers: { 'retry-after': value } }, now)).toBe(ms);
});

test.each(['', '-1', '1.', 'soon', '1e3', 'Sat, never', undefined])(
  'takes Retry-After %j as absent',
  (value) => {
    expect(getRetryAfterMs({ status: 503, headers: { 'retry-after': value } }, now)).toBeUndefined();
  },
);

test('reads the reset of a rate limit for a 429 without Retry-After', () => {
  expect(getRetryAfterMs({ status: 429, headers: { 'ratelimit-reset': '7' } }, now)).toBe(7_000);
  expect(getRetryAfterMs({ status: 429, headers: { 'x-ratelimit-reset': '0.5' } }, now)).toBe(500);
  expect(
    getRetryAfterMs({ status: 429, headers: { 'x-ratelimit-reset': String(now / 1_000 + 9) } }, now),
  ).toBe(9_000);
  expect(getRetryAfterMs({ status: 429, headers: { 'retry-after': '1', 'ratelimit-reset': '7' } }, now)).toBe(
    1_000,
  );
});

test('does not read the reset of a rate limit for other statuses', () => {
  expect(getRetryAfterMs({ status: 503, headers: { 'ratelimit-reset': '7' } }, now)).toBeUndefined();
  expect(getRetryAfterMs({ status: 429, headers: {} }, now)).toBeUndefined();
});
