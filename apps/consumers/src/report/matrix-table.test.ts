import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { Row } from '../rows/row.ts';
import { matrixTable, reasonsOf, totalsOf } from './matrix-table.ts';

const row = (name: string): Row => ({ name, redWhen: [], run: async () => '' });
const results = [
  { row: row('alone, @orders/auth'), seconds: 1.25, told: '1 package' },
  { row: row('node, 24 by import'), seconds: 12, reason: 'node a.mjs ended with 1\nno such file' },
  { row: row('node, 24 by require'), seconds: 2, reason: 'node a.cjs ended with 1\nno such file' },
];

test('lists rows under their group', () => {
  expect(stripVTControlCharacters(matrixTable(results)).split('\n')).toEqual([
    'alone',
    '  ✓ @orders/auth     1.3 s  1 package',
    'node',
    '  ✗ 24 by import    12.0 s  does not work',
    '  ✗ 24 by require    2.0 s  does not work',
  ]);
});

test('tells a cause once, with all the rows that have it', () => {
  expect(stripVTControlCharacters(reasonsOf(results)).split('\n')).toEqual([
    '✗ node, 24 by import',
    '  node, 24 by require',
    '    node a.mjs ended with 1',
    '    no such file',
  ]);
});

test('counts what works and what does not', () => {
  expect(totalsOf(results)).toBe('1 work, 2 do not');
});
