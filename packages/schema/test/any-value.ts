import fc from 'fast-check';

/** Any code point. The unit `binary` takes a second to make. */
const character = fc.nat({ max: 0x10ffff }).map((point) => String.fromCodePoint(point));

/** Any value of JavaScript, whose fields often have the given names or those that every object inherits. */
export function anyValue(names: readonly string[] = []): fc.Arbitrary<unknown> {
  return fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
    stringUnit: character,
    key: fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', ...names), fc.string()),
    maxDepth: 4,
  });
}
