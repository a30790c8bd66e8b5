import { expect, test } from 'vitest';
import { findLines } from './find-lines.ts';

const lines = [
  { sku: 'MUG-1', name: 'Blue mug', kind: 'physical' },
  { sku: 'SHIP', name: '', kind: 'shipping_fee' },
  { sku: '', name: 'Smuggler', kind: 'physical' },
];

test('finds lines by SKU, name and type, in either case', () => {
  expect(findLines(lines, ' mug ')).toEqual([0, 2]);
  expect(findLines(lines, 'FEE')).toEqual([1]);
  expect(findLines(lines, 'kettle')).toEqual([]);
});

test('finds nothing for no text', () => {
  expect(findLines(lines, ' ')).toEqual([]);
});
