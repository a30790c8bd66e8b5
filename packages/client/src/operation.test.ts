import { expect, test } from 'vitest';
import { foldOutcomes } from './operation.ts';

test('a call is applied when any attempt was', () => {
  expect(foldOutcomes(['unknown', 'applied', 'rejected'])).toBe('applied');
});

test('a call is unknown when any attempt was, and none was applied', () => {
  expect(foldOutcomes(['unknown', 'rejected'])).toBe('unknown');
});

test('otherwise a call has the outcome of its last attempt', () => {
  expect(foldOutcomes(['not_sent', 'rejected'])).toBe('rejected');
  expect(foldOutcomes(['rejected', 'not_sent'])).toBe('not_sent');
});

test('a call without attempts is not sent', () => {
  expect(foldOutcomes([])).toBe('not_sent');
});
