/** A longer timeout would fire at once. */
const LARGEST_TIMEOUT = 2_147_483_647;

/** Throws a `TypeError` unless an option is a whole number that a size or a timer can hold. */
export function readWhole(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= LARGEST_TIMEOUT) return value;
  throw new TypeError(`${name}: ${value} cannot be used; give a whole number from 0 to ${LARGEST_TIMEOUT}.`);
}
