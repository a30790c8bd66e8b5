import { expect, test } from 'vitest';
import { foldOutcomes } from './operation.ts';

test.each([
  ['applied when any attempt was', ['unknown', 'applied', 'rejected'], 'applied'],
  ['unknown when any attempt was, and none was applied', ['unknown', 'rejected'], 'unknown'],
  ['otherwise what its last attempt was', ['not_sent', 'rejected'], 'rejected'],
  ['otherwise what its last attempt was', ['rejected', 'not_sent'], 'not_sent'],
  ['not sent without attempts', [], 'not_sent'],
] as const)('a call is %s: %j', (_name, outcomes, outcome) => {
  expect(foldOutcomes(outcomes)).toBe(outcome);
});
