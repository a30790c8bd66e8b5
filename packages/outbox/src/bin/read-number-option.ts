import { InvalidArgumentError } from 'commander';

/** Reads an option that is a whole number of nine digits at most, between two bounds. */
export function readWholeOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

/** Reads an option that is a number with three decimals at most, between two bounds. */
export function readNumberOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a number from ${least} to ${most}.`);
  };
}
