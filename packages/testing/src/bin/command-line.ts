import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';

/** The version in the manifest of this package. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(Object(manifest).version);
}

/** Reads an option that is a whole number of nine digits at most, between two bounds. */
export function readWholeOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** The message of an error of commander, on one line and without a key. */
export function formatUsageError(message: string): string {
  // What follows the equals sign of a misspelled option may be a key.
  const oneLine = message.replace(/\s+/g, ' ').replace(/^error: /, '');
  return oneLine.replace(/^(unknown option '[^=']*)=.*$/, "$1'");
}
