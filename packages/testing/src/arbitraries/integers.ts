import fc from 'fast-check';
import { withBoundaries } from './with-boundaries.ts';

/** Integers as far as JavaScript holds them exactly: any sign, and no other range (interface document, Cart item). */
export function integers(): fc.Arbitrary<number> {
  return integersWithin(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}

/** Integers of 32 bits (interface document, Order: the total and the V.A.T. amount). */
export function int32s(): fc.Arbitrary<number> {
  return integersWithin(-(2 ** 31), 2 ** 31 - 1);
}

function integersWithin(min: number, max: number): fc.Arbitrary<number> {
  return withBoundaries(
    fc.oneof(
      { arbitrary: fc.integer({ min: -100_000, max: 100_000 }), weight: 3 },
      { arbitrary: fc.integer({ min, max }), weight: 1 },
    ),
    fc.constantFrom(0, 1, -1, min, min + 1, max - 1, max),
  );
}
