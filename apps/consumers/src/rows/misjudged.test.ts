import { expect, test } from 'vitest';
import { misjudged } from './misjudged.ts';
import type { Row } from './row.ts';

const row = (name: string, redWhen: Row['redWhen']): Row => ({ name, redWhen, run: async () => '' });

test('names the rows that did not notice a breakage, and those that it should not touch', () => {
  const results = [
    { row: row('noticed', ['exports']), seconds: 1, reason: 'no such file' },
    { row: row('blind', ['exports', 'dependency']), seconds: 1, told: '' },
    { row: row('untouched', ['dependency']), seconds: 1, told: '' },
    { row: row('frightened', []), seconds: 1, reason: 'it broke' },
  ];
  expect(misjudged(results, 'exports')).toEqual(['blind: did not notice', 'frightened: it broke']);
});
