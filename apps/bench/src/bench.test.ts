import { expect, test } from 'vitest';
import { drawChart } from './chart.ts';
import { holds } from './report.ts';
import { inRounds, ratioOf, spreadOf } from './rounds.ts';

test('the median and the quartiles do not depend on the sequence', () => {
  expect(spreadOf([9, 1, 5])).toEqual({ median: 5, low: 3, high: 7 });
  expect(spreadOf([4, 1, 2, 3])).toEqual({ median: 2.5, low: 1.75, high: 3.25 });
  expect(() => spreadOf([])).toThrow(RangeError);
});

test('a ratio is taken round by round, so that a slow round cancels out', () => {
  expect(ratioOf([2, 200, 3], [1, 100, 2])).toEqual({ median: 2, low: 1.75, high: 2 });
  expect(() => ratioOf([1, 2], [1])).toThrow(RangeError);
});

test('every second round runs in reverse', async () => {
  const ran: string[] = [];
  const measured = await inRounds(['a', 'b', 'c'], 3, async (row) => ran.push(row));
  expect(ran.join('')).toBe('abccbaabc');
  expect([...measured]).toEqual([
    ['a', [1, 6, 7]],
    ['b', [2, 5, 8]],
    ['c', [3, 4, 9]],
  ]);
});

test('a target holds at its bound, and not with a figure that is no number', () => {
  const target = { target: 'CPU', unit: 'times', bound: 1, figure: 1 };
  for (const sense of ['at most', 'at least'] as const) {
    expect(holds({ ...target, sense })).toBe(true);
    expect(holds({ ...target, sense, figure: Number.NaN })).toBe(false);
  }
  expect(holds({ ...target, sense: 'at most', figure: 1.01 })).toBe(false);
  expect(holds({ ...target, sense: 'at least', figure: 0.99 })).toBe(false);
});

test('the chart draws bars in proportion, and escapes its texts', () => {
  const bars = [
    { label: 'a', parts: [{ value: 1 }], note: '1', isOurs: true },
    { label: 'b', parts: [{ value: 1.5, color: 'a' }, { value: 0.5 }], note: '2  (all)', isOurs: false },
  ] as const;
  const svg = drawChart(bars, { title: 'A & B', subtitle: '<less>', notes: ['"note"'] });
  expect(svg).toContain('A &amp; B');
  expect(svg).toContain('&lt;less>');
  const widths = [...svg.matchAll(/<rect class="bar[^>]* width="(\d+)"/g)].map(([, width]) => Number(width));
  expect(widths).toEqual([247, 371, 124]);
  expect(svg).toContain('2  (all)');
});
