import * as z from 'zod/mini';
import { rule } from './rule.ts';

/** An integer of any sign, as far as JavaScript holds integers exactly; no other range is shown. */
export function integer(): z.ZodMiniNumber {
  return integerUpTo(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER);
}

/** An integer of 32 bits (interface document: the total and the V.A.T. amount are int32). */
export function int32(): z.ZodMiniNumber {
  return integerUpTo(2 ** 31 - 1, -(2 ** 31));
}

function integerUpTo(maximum: number, minimum: number): z.ZodMiniNumber {
  return new z.ZodMiniNumber({ type: 'number', checks: [] }).check(
    rule({ type: 'integer', minimum, maximum }, (value) => {
      if (!Number.isInteger(value)) {
        return {
          rule: 'not_integer',
          message: `Expected an integer, got ${value}`,
          hint: `Amounts, rates and quantities are whole numbers, and ${value} is not: round it, or check its unit.`,
        };
      }
      return value < minimum || value > maximum
        ? {
            rule: 'out_of_range',
            message: `Expected an integer from ${minimum} to ${maximum}, got ${value}`,
            hint: 'Write a number in this range, or check its unit.',
          }
        : undefined;
    }),
  );
}
