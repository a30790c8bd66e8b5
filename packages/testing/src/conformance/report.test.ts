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
  source: 'Update order',
  strength: 'implied',
  verdict: 'fail',
  expected: 'refused (4xx)',
};

const { actual: _, ...withoutResponse } = passing;
const baseUrl = 'https://api.example.com';

test('formats a line for each result, a paragraph for each failed response and each reason, and a summary', () => {
  const busy = { status: 503, mediaType: 'text/plain', excerpt: 'busy' };
  const results: ConformanceResult[] = [
    passing,
    failing,
    { ...failing, id: 'f', title: 'F', actual: { status: 301, location: 'https://elsewhere.example/' } },
    { ...failing, id: 'g', title: 'G', strength: 'stated' },
    { ...withoutResponse, id: 'a', verdict: 'skipped', reason: 'in the option skip' },
    { ...withoutResponse, id: 'b', verdict: 'skipped', reason: 'in the option skip' },
    { ...withoutResponse, id: 'c', verdict: 'inconclusive', reason: 'no complete response within 40 ms' },
    { ...passing, id: 'd', verdict: 'inconclusive', reason: 'status 503 proves nothing', actual: busy },
    { ...withoutResponse, id: 'e', verdict: 'inconclusive', reason: 'no complete response within 40 ms' },
  ];
  expect(formatConformance({ baseUrl, results })).toBe(`\
pass          accepts-hooks            201  Hooks
fail          refuses-hooks-as-string  201  Update order
fail          f                        301  Update order
fail          g                        201  Update order
skipped       a                             Hooks
skipped       b                             Hooks
inconclusive  c                             Hooks
inconclusive  d                        503  Hooks
inconclusive  e                             Hooks

refuses-hooks-as-string: The field hooks is refused when it is a string (API reference, Update order; implied)
g: G (API reference, Update order; stated)
  expected: refused (4xx)
  received: 201, application/json: {"taken":true}

f: F (API reference, Update order; implied)
  expected: refused (4xx)
  received: 301 to https://elsewhere.example/, no media type

Inconclusive 2: no complete response within 40 ms.
  cases:    c, e

Inconclusive 1: status 503 proves nothing.
  received: 503, text/plain: busy
  cases:    d

Skipped 2: in the option skip.

https://api.example.com: 1 passed, 3 failed (2 of them only implied), 3 inconclusive, 2 skipped.`);
});

test('when every case passes, only lines and a summary are left', () => {
  expect(formatConformance({ baseUrl, results: [passing] })).toBe(
    'pass          accepts-hooks  201  Hooks\n\nhttps://api.example.com: 1 passed, 0 failed, 0 inconclusive, 0 skipped.',
  );
});
