import { expect, test } from 'vitest';
import type { ConformanceStrength } from '../conformance/conformance-case.ts';
import type { ConformanceReport, ConformanceVerdict } from '../conformance/conformance-report.ts';
import { conformanceExitCode } from './conformance-exit-code.ts';

type Row = readonly [ConformanceVerdict, ConformanceStrength];

function reportOf(rows: readonly Row[]): ConformanceReport {
  const count = (wanted: ConformanceVerdict) => rows.filter(([verdict]) => verdict === wanted).length;
  return {
    baseUrl: 'https://api.example.com',
    counts: {
      pass: count('pass'),
      differs: count('differs'),
      skipped: count('skipped'),
      error: count('error'),
    },
    results: rows.map(([verdict, strength]) => ({
      id: 'a',
      title: 'A',
      source: 'Order',
      strength,
      verdict,
      expected: 'accepted (2xx)',
      durationMs: 0,
    })),
  };
}

const pass: Row = ['pass', 'stated'];
const skipped: Row = ['skipped', 'stated'];
const error: Row = ['error', 'stated'];
const stated: Row = ['differs', 'stated'];
const implied: Row = ['differs', 'implied'];

test.each<[string, readonly Row[], number, number]>([
  ['all pass', [pass, pass], 0, 0],
  ['some are skipped', [pass, skipped], 0, 0],
  ['all are skipped', [skipped], 3, 3],
  ['there is none', [], 3, 3],
  ['one could not be judged', [pass, error], 3, 3],
  ['one differs', [pass, stated], 1, 1],
  ['one differs and one could not be judged', [stated, error], 1, 1],
  ['one differs in what is implied', [pass, implied], 1, 0],
  ['that is all there is', [implied], 1, 0],
  ['it differs beside one that could not be judged', [implied, error], 1, 3],
])('when %s', (_, rows, failing, warning) => {
  expect(conformanceExitCode(reportOf(rows), 'fail')).toBe(failing);
  expect(conformanceExitCode(reportOf(rows), 'warn')).toBe(warning);
});
