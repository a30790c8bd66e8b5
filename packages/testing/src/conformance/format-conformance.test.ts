import { expect, test } from 'vitest';
import type { ConformanceReport, ConformanceResult } from './conformance-report.ts';
import { formatConformance } from './format-conformance.ts';

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

const differing: ConformanceResult = {
  ...passing,
  id: 'refuses-hooks-as-string',
  title: 'The field hooks is refused when it is a string',
  source: 'Order',
  strength: 'implied',
  verdict: 'differs',
  expected: 'refused (4xx)',
};

const { actual: _, ...unanswered } = passing;

const report: ConformanceReport = {
  baseUrl: 'https://api.example.com',
  counts: { pass: 1, differs: 1, skipped: 2, error: 1 },
  results: [
    passing,
    differing,
    { ...unanswered, id: 'a', verdict: 'skipped', reason: 'asked to be skipped' },
    { ...unanswered, id: 'b', verdict: 'skipped', reason: 'asked to be skipped' },
    { ...unanswered, id: 'c', verdict: 'error', reason: 'no whole answer came within 40 ms' },
  ],
};

test('has a row for each case, what differs in full, skips by reason, and a sum', () => {
  const text = formatConformance(report);
  const rows = text.split('\n').filter((row) => row.startsWith('│'));
  const words = rows.map((row) => row.replace(/ *│ */g, '|'));
  expect(words).toEqual([
    '|case|verdict|answer|section|strength|',
    '|accepts-hooks|pass|201|Hooks|stated|',
    '|refuses-hooks-as-string|differs|201|Order|implied|',
    '|a|skipped||Hooks|stated|',
    '|b|skipped||Hooks|stated|',
    '|c|error||Hooks|stated|',
  ]);
  expect(text.slice(text.indexOf('\n\n') + 2).split('\n\n')).toEqual([
    [
      'refuses-hooks-as-string: The field hooks is refused when it is a string (interface document, Order; implied)',
      '  expected: refused (4xx)',
      '  found:    201, application/json: {"taken":true}',
    ].join('\n'),
    [
      'c: The four hooks together are accepted (interface document, Hooks; stated)',
      '  expected: accepted (2xx)',
      '  found:    no answer to judge',
      '  because:  no whole answer came within 40 ms',
    ].join('\n'),
    'Skipped 2: asked to be skipped.',
    'https://api.example.com: 1 passed, 1 differed (1 of them implied only), 1 could not be judged, 2 skipped.',
  ]);
});

test('paints verdicts where it is told how', () => {
  const text = formatConformance(report, { paint: (word, verdict) => `<${verdict}>${word}</>` });
  expect(text).toContain('<pass>pass</>');
  expect(text).toContain('<error>error</>');
  expect(formatConformance(report)).not.toContain('\u001b');
});

test('shows where a redirect points', () => {
  const actual = { status: 301, location: 'https://elsewhere.example/' };
  const text = formatConformance({ ...report, results: [{ ...differing, actual }] });
  expect(text).toContain('301 to https://elsewhere.example/, no media type');
});

test('has nothing but the table and the sum when all pass', () => {
  const counts = { pass: 1, differs: 0, skipped: 0, error: 0 };
  const parts = formatConformance({ ...report, counts, results: [passing] }).split('\n\n');
  expect(parts.slice(1)).toEqual([
    'https://api.example.com: 1 passed, 0 differed, 0 could not be judged, 0 skipped.',
  ]);
});
