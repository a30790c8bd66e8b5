import { expect, test } from 'vitest';
import { formatBytes } from './sizes.ts';

test('shows a digit after the point as long as it says something', () => {
  expect([5_501, 87_770, 999_999, 8_912_345, 12_345_678].map(formatBytes)).toEqual([
    '5.5 kB',
    '88 kB',
    '1000 kB',
    '8.9 MB',
    '12 MB',
  ]);
});
