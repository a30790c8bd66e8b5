import fc from 'fast-check';
import { expect, test } from 'vitest';
import { misspellingsByCase, misspellingsByEdit } from './misspellings.ts';

const item = { level: 'item', declared: ['quantity', 'unit_price', 'sku'] } as const;
const many = { numRuns: 2_000, seed: 1 };

test('a name is written in the cases that other languages write it', () => {
  const names = misspellingsByCase({ ...item, meant: 'unit_price' }) ?? fc.constant('none');
  expect(new Set(fc.sample(names, many))).toEqual(
    new Set(['unitPrice', 'UnitPrice', 'UNIT_PRICE', 'unitprice', '_unit_price']),
  );
});

test('a letter of a name is left out, added, replaced or swapped', () => {
  const edits = misspellingsByEdit({ ...item, meant: 'quantity' }) ?? fc.constant('none');
  const names = fc.sample(edits, many);
  expect(names).toEqual(expect.arrayContaining(['uantity', 'quantit', 'qauntity', 'quantiyt']));
  expect(new Set(names.map((name) => name.length))).toEqual(new Set([7, 8, 9]));
  expect(names.filter((name) => name.length === 8 && !/^[quantiy]*$/.test(name)).length).toBeGreaterThan(100);
  expect(names).not.toContain('quantity');
});

test('a name of less than six letters has no misspelling by edit', () => {
  expect(misspellingsByEdit({ ...item, meant: 'sku' })).toBeUndefined();
});

test('what is declared, or refused for another reason, is no misspelling', () => {
  const declared = ['Note', 'NOTE', '_note', 'note'];
  expect(misspellingsByCase({ level: 'cart', declared, meant: 'note' })).toBeUndefined();
  const atTheTop =
    misspellingsByCase({ level: 'order', declared: [], meant: 'Items' }) ?? fc.constant('none');
  expect(fc.sample(atTheTop, many)).not.toContain('items');
});
