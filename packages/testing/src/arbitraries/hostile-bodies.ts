import fc from 'fast-check';
import { createOrderModel, LEVELS } from './order-model.ts';
import {
  createSpoil,
  type Make,
  makePrintable,
  type Place,
  type Spot,
  set,
  setAny,
  spotsIn,
} from './spoil-body.ts';
import { createProxy, fail, unserializable } from './unserializable.ts';
import { controlCharacters, insertAnywhere, loneSurrogates, texts } from './values.ts';

/**
 * Values that break code which trusts its input: valid updates with one hostile value anywhere, and hostile values alone.
 *
 * Among them are nesting of thousands of levels, long lists and texts, sparse lists, names that reach for a prototype,
 * throwing and changing getters, proxies, cycles, symbols, class instances and lone surrogates; some are valid updates
 * all the same. They are bounded: at most 5,000 levels, a million holes, 500,000 characters. Most are not JSON; for a
 * server use `hostileJson`.
 *
 * @example
 * ```ts
 * import { OrderUpdate } from '@orders/schema';
 * import { hostileBodies } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * // The code under test: it may reject a value, but neither throw nor hang.
 * fc.assert(
 *   fc.property(hostileBodies(), (body) => {
 *     OrderUpdate.safeParse(body);
 *   }),
 * );
 * ```
 */
export function hostileBodies(): fc.Arbitrary<unknown> {
  return hostileBodiesByKind().map(({ body }) => body);
}

interface HostileBody {
  readonly kind: string;
  /** The object that holds the hostile value; `box` when it is the body as a whole. */
  readonly place: Place;
  readonly body: unknown;
}

/** The same, each with its kind. */
export function hostileBodiesByKind(): fc.Arbitrary<HostileBody> {
  const model = createOrderModel();
  const spoil = createSpoil(model, { unknownFields: false, maxItems: 3 });
  const small = Object.entries({ ...unserializable(), ...hostileValues() });
  const large = Object.entries(largeValues());
  const hostile = (place: Place, spots: fc.Arbitrary<Spot>): fc.Arbitrary<HostileBody> => {
    const weighted =
      (weight: number) =>
      ([kind, makes]: [string, fc.Arbitrary<Make>]) => ({
        weight,
        arbitrary: spoil(place, spots, makes).map(({ body }) => ({ kind, place, body: makePrintable(body) })),
      });
    const kinds = small.filter(([kind]) => place !== 'box' || !NESTED_KINDS.includes(kind));
    // The large ones take long to make and to read.
    return fc.oneof(...kinds.map(weighted(3)), ...large.map(weighted(1)));
  };
  const dangerous = fc.constantFrom(...DANGEROUS_NAMES).map((key) => ({ key }));
  return fc.oneof(
    hostile('box', fc.constant({ key: 'body' })),
    hostile('items', fc.constant({ key: 0 })),
    ...LEVELS.map((level) => hostile(level, fc.oneof(spotsIn(level, model), dangerous))),
  );
}

/** Names that reach for a prototype, or that code reads from any object. */
export const DANGEROUS_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'then',
  'length',
];

/** Not the body as a whole: fast-check reads that by itself. */
const NESTED_KINDS = ['cycle', 'throwing_getter', 'revoked_proxy'];

function hostileValues() {
  const names = fc.constantFrom(...DANGEROUS_NAMES);
  const oddTexts = fc.constantFrom('\u202e', '\ufeff', '\u2028', '{{a}}', "'; --");
  return {
    anything: set(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true })),
    odd_number: set(fc.constantFrom(-0, 5e-324, 1e300, 2 ** 53)),
    odd_text: set(insertAnywhere(texts(), fc.oneof(loneSurrogates(), controlCharacters(), oddTexts))),
    // An own field of the name, `__proto__` too.
    dangerous_names: set(
      fc.tuple(names, fc.constantFrom('null', '{"polluted":true}', '{"prototype":{"polluted":true}}')),
      ([name, json]) => JSON.parse(`{"${name}":${json}}`),
    ),
    throwing_method: set(
      fc.constantFrom('toString', 'valueOf', 'toJSON', 'then', Symbol.iterator),
      (name) => ({
        [name]: fail,
      }),
    ),
    getter: setAny(() => [withGetter(fail), withGetter(alternate())]),
    symbol_name: setAny(() => [{ [Symbol('cart')]: {} }]),
    inherited_fields: setAny(() =>
      [null, [], { cart: {}, items: [] }].map((parent) => Object.create(parent)),
    ),
    inner_cycle: setAny(() => [{}, []].map((value) => Object.assign(value, { 0: value }))),
    frozen: setAny(() => [Object.freeze({ cart: Object.freeze([]) })]),
    // To list a name twice is a TypeError.
    lying_proxy: setAny(() => [createProxy({ ownKeys: () => ['cart', 'cart'] })]),
    endless_proxy: setAny(() => [endlessProxy()]),
    revoked_proxy: setAny(() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return [proxy];
    }),
  };
}

/** Enough to overflow a stack or to take seconds, not enough to take the memory. */
function largeValues() {
  const depths = fc.integer({ min: 100, max: 5_000 });
  return {
    deep_lists: set(depths, (depth) => nest(depth, (inner) => [inner])),
    deep_objects: set(depths, (depth) => nest(depth, (cart) => ({ cart }))),
    shared_parts: set(fc.integer({ min: 2, max: 17 }), (depth) => nest(depth, (inner) => [inner, inner])),
    long_list: set(lengths(200_000), (length) => new Array<number>(length).fill(0)),
    sparse_list: set(lengths(1_000_000), (length) => new Array(length)),
    long_proxy: setAny(() => [createProxy({ get: (_, key) => (key === 'length' ? 200_000 : {}) }, [])]),
    many_fields: set(lengths(10_000), (length) =>
      Object.fromEntries(new Array(length).fill(0).map((_, at) => [`field_${at}`, at])),
    ),
    long_text: set(
      fc.tuple(fc.constantFrom('a', '\0', '"', '\ud800'), lengths(500_000)),
      ([character, length]) => character.repeat(length),
    ),
  };
}

/** Half of them are small, so that not every value takes long. */
export function lengths(max: number): fc.Arbitrary<number> {
  return fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max }));
}

function nest(depth: number, wrap: (inner: unknown) => object): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

function withGetter(get: () => unknown): object {
  return Object.defineProperty({}, 'cart', { get, enumerable: true });
}

/** Returns a value of another type each time. */
function alternate(): () => unknown {
  let reads = 0;
  return () => [{}, null, 'text', Number.NaN][reads++ % 4];
}

function endlessProxy(): object {
  return createProxy({
    get: endlessProxy,
    ownKeys: () => ['cart'],
    getOwnPropertyDescriptor: () => ({ value: 1, configurable: true, enumerable: true }),
  });
}
