import { expect, test } from 'vitest';
import { type ConformanceResult, formatConformance } from './report.ts';

const passing: ConformanceResult = {
  id: 'accepts-hooks',
  title: 'The four hooks together are accepted',
  source: 'Hooks',
  strength: 'stated',
  verdict: 'pass',
  expected: 'accepted (2xx)',
  actual: { status: 201, mediaType: 'application/json', excerpt: '{"taken":true}' },
  durationMs: 3,
};

const failing: ConformanceResult = {
  ...passing,
  id: 'refuses-hooks-as-string',
  title: 'The field hooks is refused when it is a string',
  source: 'Order',
  strength: 'implied',
  verdict: 'fail',
  expected: 'refused (4xx)',
};

const { actual: _, ...withoutResponse } = passing;
const baseUrl = 'https://api.example.com';

test('formats a line for each result, failures and errors in full, reasons for skipping, and a summary', () => {
  const results: ConformanceResult[] = [
    passing,
    failing,
    { ...withoutResponse, id: 'a', verdict: 'skipped', reason: 'in the option skip' },
    { ...withoutResponse, id: 'b', verdict: 'skipped', reason: 'in the option skip' },
    { ...withoutResponse, id: 'c', verdict: 'error', reason: 'no complete response within 40 ms' },
  ];
  expect(formatConformance({ baseUrl, results })).toBe(`\
pass     accepts-hooks            201  Hooks (stated)
fail     refuses-hooks-as-string  201  Order (implied)
skipped  a                             Hooks (stated)
skipped  b                             Hooks (stated)
error    c                             Hooks (stated)

refuses-hooks-as-string: The field hooks is refused when it is a string (API reference, Order; implied)
  expected: refused (4xx)
  received: 201, application/json: {"taken":true}

c: The four hooks together are accepted (API reference, Hooks; stated)
  expected: accepted (2xx)
  received: no complete response
  reason:   no complete response within 40 ms

Skipped 2: in the option skip.

https://api.example.com: 1 passed, 1 failed (1 of them only implied), 1 inconclusive, 2 skipped.`);
});

test('when every case passes, only lines and a summary are left', () => {
  expect(formatConformance({ baseUrl, results: [passing] })).toBe(
    'pass     accepts-hooks  201  Hooks (stated)\n\nhttps://api.example.com: 1 passed, 0 failed, 0 inconclusive, 0 skipped.',
  );
});

test('shows where a redirect points', () => {
  const actual = { status: 301, location: 'https://elsewhere.example/' };
  const text = formatConformance({ baseUrl, results: [{ ...failing, actual }] });
  expect(text).toContain('received: 301 to https://elsewhere.example/, no media type');
});
