import { expect, test } from 'vitest';
import { type Figures, judgeTargets } from './targets.ts';

const figures: Figures = {
  toByHand: 0.85,
  toRequest: 1.15,
  toFetch: 0.3,
  toAxios: 0.25,
  toDispatchLarge: 2.5,
  streamMiB: 32,
  streamGrowthMiB: 1,
  importToUndici: 1.5,
  bareToService: 2,
};

test('a figure that just reaches its bound holds', () => {
  expect(judgeTargets(figures).map(({ holds }) => holds)).toEqual(Array(9).fill(true));
});

test('a figure beyond its bound does not hold, and the others do', () => {
  for (const name of Object.keys(figures) as (keyof Figures)[]) {
    const worse = judgeTargets({ ...figures, [name]: (figures[name] ?? 0) + 0.01 });
    expect(worse.filter(({ holds }) => holds === false)).toHaveLength(1);
  }
});

test('what was not measured is not judged', () => {
  const [first] = judgeTargets({ ...figures, toByHand: undefined });
  expect(first).toMatchObject({ figure: null, holds: null });
});

test('a figure that is no number does not hold', () => {
  expect(judgeTargets({ ...figures, bareToService: Number.NaN }).at(-1)).toMatchObject({ holds: false });
});
