import { expect, test } from 'vitest';
import { judgeAll, quick } from '../../src/claims/measure.ts';
import { buildClaimsChart, buildClaimsReport, compareRows } from '../../src/claims/report.ts';
import { formatReport } from '../../src/report.ts';

const silent = () => {};

test('ours reports nothing wrong in any case', { timeout: 600_000 }, async () => {
  const { cases: _, ...all } = quick;
  const rows = await judgeAll({ ...all, timeout: '5s', clients: ['ours'] }, silent, silent);
  expect(rows.map(({ wrong, updates }) => [wrong, updates])).toEqual([
    [{}, 208],
    [{}, 208],
  ]);
});

test('every client settles what is healthy', { timeout: 600_000 }, async () => {
  const rows = await judgeAll(quick, silent, silent);
  expect(rows.length).toBeGreaterThanOrEqual(16);
  for (const { label, cases } of rows)
    expect([label, cases['healthy']]).toEqual([label, { settled: 8, wrong: {} }]);
  expect(formatReport('Tiny', buildClaimsReport(rows, quick))).toContain('applied twice');
  expect(buildClaimsChart(rows, quick)).toContain('of 40 in 5 cases');
  expect(compareRows(rows, rows)).toEqual([]);
});
