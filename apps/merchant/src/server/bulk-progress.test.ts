import { expect, test } from 'vitest';
import { createBulkProgress } from './bulk-progress.ts';

function progressAt(counts: { readonly waiting: number; readonly bad?: number }) {
  const clock = { ms: 0 };
  const progress = createBulkProgress(counts, () => clock.ms);
  const settle = (times: number) => {
    for (let time = 0; time < times; time++) {
      progress.move('waiting', 'sending');
      progress.move('sending', 'applied');
    }
  };
  return { clock, progress, settle };
}

test('counts rows by their state, and leaves out states without rows', () => {
  const { progress, settle } = progressAt({ waiting: 3, bad: 1 });
  settle(2);
  progress.move('waiting', 'sending');
  expect(progress.read().counts).toEqual({ applied: 2, sending: 1, bad: 1 });
  progress.move('sending', 'waiting');
  expect(progress.read().counts).toEqual({ applied: 2, waiting: 1, bad: 1 });
});

test('knows no rate within the first second', () => {
  const { clock, progress, settle } = progressAt({ waiting: 100 });
  settle(10);
  clock.ms = 999;
  expect(progress.read()).toEqual({ counts: { waiting: 90, applied: 10 } });
});

test('tells the rate of the last five seconds, and the time left at it', () => {
  const { clock, progress, settle } = progressAt({ waiting: 1_000 });
  clock.ms = 1_000;
  settle(100);
  clock.ms = 2_000;
  expect(progress.read()).toMatchObject({ ratePerSecond: 50, secondsLeft: 18 });
  clock.ms = 5_500;
  settle(50);
  expect(progress.read()).toMatchObject({ ratePerSecond: 30, secondsLeft: 29 });
  clock.ms = 6_500;
  expect(progress.read()).toMatchObject({ ratePerSecond: 10, secondsLeft: 85 });
});

test('tells no time left when nothing moves', () => {
  const { clock, progress } = progressAt({ waiting: 5 });
  clock.ms = 9_000;
  expect(progress.read()).toEqual({ counts: { waiting: 5 }, ratePerSecond: 0 });
});
