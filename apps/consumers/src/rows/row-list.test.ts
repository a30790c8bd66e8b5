import { expect, test } from 'vitest';
import { breakageNames } from '../packing/breakage.ts';
import { rows } from './row-list.ts';

const names = rows.map(({ name }) => name);

test('no two rows have the same name, and each tells its group', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[A-Za-z]+, \S/.test(name))).toEqual([]);
});

test('TypeScript is there in every way that is promised', () => {
  const ways = names.filter((name) => name.startsWith('TypeScript'));
  expect(ways).toHaveLength(3 * 2 * 2 * 2);
});

test.each(breakageNames)(
  'some rows must notice a package that is broken by %s, and some must not',
  (broken) => {
    const red = rows.filter(({ redWhen }) => redWhen.includes(broken));
    expect(red.length).toBeGreaterThan(0);
    expect(red.length).toBeLessThan(rows.length);
  },
);
