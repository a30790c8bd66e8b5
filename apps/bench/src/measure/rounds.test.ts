import { expect, test } from 'vitest';
import { alternate, roundsOf, turnsOfRound } from './rounds.ts';

test('everybody takes every turn, and the order is reversed from time to time', () => {
  expect(alternate(['a', 'b', 'c'], 2)).toEqual(['a', 'b', 'c', 'c', 'b', 'a']);
});

test('the turns of a round are added up, and the peak is the highest', () => {
  const turn = (peakBytes: number) => ({ requests: 10, cpuMs: 2, wallMs: 3, peakBytes });
  const turns = Array.from({ length: 2 * turnsOfRound }, (_, index) => turn(index));
  expect(roundsOf(turns)).toEqual([
    {
      requests: 10 * turnsOfRound,
      cpuMs: 2 * turnsOfRound,
      wallMs: 3 * turnsOfRound,
      peakBytes: turnsOfRound - 1,
    },
    {
      requests: 10 * turnsOfRound,
      cpuMs: 2 * turnsOfRound,
      wallMs: 3 * turnsOfRound,
      peakBytes: 2 * turnsOfRound - 1,
    },
  ]);
});
