import process from 'node:process';

/** Milliseconds by a clock that all processes of the machine share, and that nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
