import fc from 'fast-check';
import { texts } from './texts.ts';

/** A field of this name would change an object's prototype in many a receiver, so no valid body has one. */
export const PROTO = '__proto__';

/** Any JSON that comes back from JSON text as it was: no `-0`, no field named `__proto__`, no lone surrogate. */
export function jsonValues(): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom(null, true, false),
      // Minus zero is zero in JSON text.
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      texts(),
      fc.array(tie('value'), { maxLength: 3 }),
      jsonObjects(tie('value')),
    ),
  })).value;
}

/** Plain objects of any names but `__proto__`. */
export function jsonObjects(values: fc.Arbitrary<unknown> = jsonValues()): fc.Arbitrary<object> {
  const names = texts().filter((name) => name !== PROTO);
  return fc.dictionary(names, values, { maxKeys: 3, noNullPrototype: true });
}
