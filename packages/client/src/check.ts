/** A timer of more milliseconds would fire at once. */
export const longest = 2 ** 31 - 1;

/** @throws TypeError with the message, which says what to write. */
export function check(isRight: unknown, message: string): asserts isRight {
  if (!isRight) throw new TypeError(message);
}

export function checkMs(name: string, value: number): number {
  check(value > 0 && value <= longest, `${name}: write milliseconds, more than 0 and at most ${longest}.`);
  return value;
}

export function checkWhole(name: string, value: number): number {
  check(Number.isSafeInteger(value) && value > 0, `${name}: write a whole number from 1 on.`);
  return value;
}

export function checkFunction(name: string, value: unknown): void {
  check(value === undefined || typeof value === 'function', `${name}: pass a function.`);
}
