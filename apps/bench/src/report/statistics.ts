/** The middle of some numbers, and the two between which the middle half of them lies. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median and the quartiles. @throws RangeError when there are no numbers. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** Of sorted numbers, the one at a share of the way, with a straight line between neighbours. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined)
    throw new RangeError('There is nothing to take a quantile of.');
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * How many times the second the first is, round by round: what two neighbours in time shared, such as a
 * slow spell of the machine, cancels out.
 *
 * @throws RangeError when they are not of the same length.
 */
export function ratioOf(values: readonly number[], to: readonly number[]): Spread {
  if (values.length !== to.length) throw new RangeError('Each round needs both numbers.');
  return spreadOf(values.map((value, index) => value / (to[index] ?? Number.NaN)));
}
