/** A cart of this many lines is drawn as a whole: it is searched by the browser itself, and printed whole. */
export const drawnWhole = 40;

export interface RowRange {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/**
 * The rows to draw, in their order: those in view, and around each of `kept` the one before and the one after, so that
 * what has the focus stays in the page, and Tab and Enter lead on from it.
 */
export function drawnRows({ first, last, count }: RowRange, kept: readonly number[]): number[] {
  const rows = new Set<number>();
  const add = (from: number, to: number) => {
    for (let row = Math.max(0, from); row <= Math.min(count - 1, to); row++) rows.add(row);
  };
  if (count <= drawnWhole) add(0, count - 1);
  add(first, last);
  for (const row of kept) add(row - 1, row + 1);
  return [...rows].sort((one, other) => one - other);
}
