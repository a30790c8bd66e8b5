import fc from 'fast-check';
import type { Make } from './broken-values.ts';
import { put } from './flaw.ts';
import { controlCharacters, insertAnywhere, loneSurrogates } from './insert-anywhere.ts';
import { endlessProxy, longProxy, lyingProxy, revokedProxy, throwingProxy } from './proxies.ts';
import { texts } from './texts.ts';

/** Names that reach for a prototype, or that code asks of an object without meaning a field. */
export const DANGEROUS_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '__defineGetter__',
];

/** The bounds of what is made: enough to overflow a stack or to take seconds, not enough to take the memory. */
const BOUNDS = {
  depth: 5_000,
  length: 200_000,
  holes: 1_000_000,
  characters: 500_000,
  fields: 10_000,
};

/** Kinds that take long to make and to read: they are rarer than the others. */
export const LARGE_KINDS: readonly string[] = [
  'deep_lists',
  'deep_objects',
  'long_list',
  'long_proxy',
  'long_text',
  'many_fields',
  'shared_parts',
  'sparse_list',
] satisfies HostileKind[];

export type HostileKind = keyof ReturnType<typeof hostileValues>;

/** Makers of values that break what trusts its input, by kind. */
export function hostileValues() {
  return {
    anything: anything().map(
      (value): Make =>
        () =>
          value,
    ),
    deep_lists: fc.integer({ min: 100, max: BOUNDS.depth }).map(
      (depth): Make =>
        () =>
          nest(depth, (inner) => [inner]),
    ),
    deep_objects: fc.integer({ min: 100, max: BOUNDS.depth }).map(
      (depth): Make =>
        () =>
          nest(depth, (inner) => ({ cart: inner })),
    ),
    long_list: lengths(BOUNDS.length).map(
      (length): Make =>
        () =>
          new Array<number>(length).fill(0),
    ),
    sparse_list: lengths(BOUNDS.holes).map(
      (length): Make =>
        () =>
          new Array(length),
    ),
    shared_parts: fc.integer({ min: 2, max: 17 }).map(
      (depth): Make =>
        () =>
          nest(depth, (inner) => [inner, inner]),
    ),
    many_fields: lengths(BOUNDS.fields).map(
      (count): Make =>
        () => {
          return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, index]));
        },
    ),
    long_text: fc.tuple(fc.constantFrom('a', '\0', '"', '🧡', '\ud800'), lengths(BOUNDS.characters)).map(
      ([character, length]): Make =>
        () =>
          character.repeat(length / character.length),
    ),
    odd_text: insertAnywhere(
      texts(),
      fc.oneof(
        loneSurrogates(),
        controlCharacters(),
        fc.constantFrom('\u202e', '\ufeff', '\u2028', '{{a}}', "'; --"),
      ),
    ).map(
      (text): Make =>
        () =>
          text,
    ),
    odd_number: made(
      ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 5e-324, 1e300, 2 ** 53].map(
        (number) => () => number,
      ),
    ),
    bigint: fc.bigInt().map(
      (value): Make =>
        () =>
          value,
    ),
    dangerous_names: fc
      .tuple(
        fc.constantFrom(...DANGEROUS_NAMES),
        fc.constantFrom<Make[]>(
          () => ({ polluted: true }),
          () => null,
          () => 1,
        ),
      )
      .map(
        ([name, make]): Make =>
          () => {
            const value = {};
            put(value, name, name === 'constructor' ? { prototype: make() } : make());
            return value;
          },
      ),
    throwing_getter: made(() => Object.defineProperty({}, 'cart', { get: fail, enumerable: true })),
    changing_getter: made(changing),
    throwing_method: fc
      .constantFrom(
        'toJSON',
        'toString',
        'valueOf',
        'then',
        'constructor',
        Symbol.toPrimitive,
        Symbol.iterator,
      )
      .map(
        (name): Make =>
          () => ({ [name]: fail }),
      ),
    symbols: made(
      () => Symbol('a symbol'),
      () => ({ [Symbol('cart')]: {} }),
      () => Symbol.for('cart'),
    ),
    class_instance: made(
      () => new Date(Number.NaN),
      () => new Map([['cart', {}]]),
      () => new WeakMap(),
      () => Object.assign(new Error('an error'), { cart: {} }),
      () => new Uint8Array(1_000),
      () => new ArrayBuffer(8),
      () => new URL('https://shop.example'),
      () => /(a+)+$/,
      () => Promise.resolve({ cart: {} }),
      () => Object('boxed'),
      () => [][Symbol.iterator](),
    ),
    function: made(
      () => () => ({ cart: {} }),
      () => class {},
      () => Math.max,
    ),
    inherited_fields: made(
      () => Object.create({ cart: {}, items: [] }),
      () => Object.create(null),
      () => Object.create(Object.create(null)),
      () => Object.create([]),
    ),
    cycle: made(
      () => cyclic({}),
      () => cyclic([]),
    ),
    frozen: made(() => Object.freeze({ cart: Object.freeze([]) })),
    throwing_proxy: made(throwingProxy),
    lying_proxy: made(lyingProxy),
    endless_proxy: made(endlessProxy),
    long_proxy: made(longProxy),
    revoked_proxy: made(revokedProxy),
  };
}

/** Half of them are small, so that not every value takes long. */
export function lengths(max: number): fc.Arbitrary<number> {
  return fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max }));
}

function anything(): fc.Arbitrary<unknown> {
  return fc.anything({
    key: fc.oneof(fc.constantFrom('cart', 'items', 'hooks', ...DANGEROUS_NAMES), fc.string()),
    maxDepth: 4,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  });
}

function made(...makes: readonly Make[]): fc.Arbitrary<Make> {
  return fc.constantFrom(...makes);
}

function nest(depth: number, around: (inner: unknown) => object): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = around(value);
  return value;
}

/** Tells another value, of another type, at each read. */
function changing(): object {
  let reads = 0;
  return Object.defineProperty({}, 'cart', {
    get: () => [{}, null, 'text', Number.NaN][reads++ % 4],
    enumerable: true,
  });
}

function cyclic<T extends object>(value: T): T {
  return Object.assign(value, { 0: value });
}

function fail(): never {
  throw new Error('A value that throws.');
}
