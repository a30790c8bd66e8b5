import { inspect } from 'node:util';
import fc from 'fast-check';

const LIMITS = {
  customInspect: false,
  showProxy: true,
  depth: 6,
  maxArrayLength: 20,
  maxStringLength: 200,
  breakLength: Number.POSITIVE_INFINITY,
} as const;

const MAX_CHARACTERS = 4_000;

/**
 * Lets fast-check print a value whose getters throw, or that is too deep or too large to be printed whole: its own
 * printer would end in another error, and hide the one that was found. The value gets a symbol that is not enumerable.
 */
export function makePrintable<T>(value: T): T {
  // A proxy answers for itself, and may throw when asked whether it can be extended.
  if (typeof value !== 'object' || value === null || fc.hasToStringMethod(value)) return value;
  if (!Object.isExtensible(value)) return value;
  const print = () => {
    const text = inspect(value, LIMITS);
    return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  };
  return Object.defineProperty(value, fc.toStringMethod, { value: print });
}
