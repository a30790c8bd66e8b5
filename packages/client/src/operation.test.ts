import { expect, test } from 'vitest';
import { foldOutcomes } from './operation.ts';

test('an applied attempt decides, wherever it stands', () => {
  expect(foldOutcomes(['unknown', 'applied', 'rejected'])).toBe('applied');
});

test('a reset followed by a 409 is told as unknown', () => {
  expect(foldOutcomes(['unknown', 'rejected'])).toBe('unknown');
});

test('otherwise the last attempt decides', () => {
  expect(foldOutcomes(['not_sent', 'rejected'])).toBe('rejected');
  expect(foldOutcomes(['rejected', 'not_sent'])).toBe('not_sent');
});

test('a call without attempts sent nothing', () => {
  expect(foldOutcomes([])).toBe('not_sent');
});
