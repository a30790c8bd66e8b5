/** The median of some numbers, and the quartiles. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** @throws RangeError when there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('Expected at least one value.');
  const sorted = values.toSorted((a, b) => a - b);
  const quantile = (share: number): number => {
    const place = (sorted.length - 1) * share;
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    const above = sorted[Math.ceil(place)] ?? Number.NaN;
    return below + (above - below) * (place % 1);
  };
  return { median: quantile(0.5), low: quantile(0.25), high: quantile(0.75) };
}

/**
 * The ratio of two measurements, round by round: what slowed down both in a round cancels out.
 *
 * @throws RangeError when they do not have the same number of rounds.
 */
export function ratioOf(values: readonly number[], to: readonly number[]): Spread {
  if (values.length !== to.length) throw new RangeError(`${values.length} rounds beside ${to.length}.`);
  return spreadOf(values.map((value, round) => value / (to[round] ?? Number.NaN)));
}

/** Measures each row once in each round. Every second round runs in reverse, so that no row always follows the same one. */
export async function inRounds<Row, Figures>(
  rows: readonly Row[],
  rounds: number,
  measure: (row: Row) => Promise<Figures>,
): Promise<Map<Row, Figures[]>> {
  const measured = new Map(rows.map((row): [Row, Figures[]] => [row, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) {
      measured.get(row)?.push(await measure(row));
    }
  }
  return measured;
}
