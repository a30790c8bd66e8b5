import { expect, test } from 'vitest';
import { breakageNames } from '../packing/breakage.ts';
import { readArguments } from './read-arguments.ts';

test('runs the whole matrix unless told', () => {
  expect(readArguments([])).toEqual({ wish: 'matrix', only: /(?:)/, keep: false });
});

test('reads what to run and its options', () => {
  expect(readArguments(['--only', 'yarn', '--keep', '--break', 'exports'])).toEqual({
    wish: 'matrix',
    only: /yarn/i,
    keep: true,
    broken: 'exports',
  });
  expect(readArguments(['--list', '--only', '^node'])).toEqual({ wish: 'list', only: /^node/i });
  expect(readArguments(['broken'])).toEqual({ wish: 'broken', only: /(?:)/, breakages: breakageNames });
  expect(readArguments(['broken', '--break', 'types'])).toMatchObject({ breakages: ['types'] });
  expect(readArguments(['newcomer', '--keep'])).toEqual({ wish: 'newcomer', keep: true });
  expect(readArguments(['release'])).toEqual({ wish: 'release' });
});

test('shows its help', () => {
  expect(readArguments(['--help'])).toMatchObject({
    wish: 'print',
    text: expect.stringContaining('--break'),
  });
});

test.each([
  [['matrixx'], /'matrixx' is invalid.* matrix, broken/],
  [['release', '--keep'], 'release takes no --keep.'],
  [['newcomer', '--only', 'x'], 'newcomer takes no --only.'],
  [['--only', '('], /Give a regular expression/],
  [['--break', 'everything'], /Allowed choices are exports, dependency/],
  [['--nonsense'], "unknown option '--nonsense'"],
])('says in one line what is wrong with %j', (words, mistake) => {
  const wanted = readArguments(words);
  expect(wanted).toMatchObject({ wish: 'none', mistake: expect.stringMatching(mistake) });
  expect(wanted).not.toMatchObject({ mistake: expect.stringContaining('\n') });
});
