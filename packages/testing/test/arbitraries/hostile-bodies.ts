import fc from 'fast-check';
import { createOrderModel, LEVELS } from '../../src/arbitraries/order-model.ts';
import { texts } from '../../src/arbitraries/values.ts';
import { controlCharacters, insertAnywhere, loneSurrogates } from './odd-texts.ts';
import {
  createProxy,
  createSpoil,
  fail,
  type Make,
  makePrintable,
  set,
  setAny,
  spotsIn,
  unserializable,
  unserializableInside,
} from './spoil-body.ts';

/**
 * Values that break code which trusts its input: valid updates with one hostile value anywhere, and hostile values alone.
 * Some are valid updates all the same. They are bounded: at most 5,000 levels, a million holes, 500,000 characters.
 */
export function hostileBodies(): fc.Arbitrary<unknown> {
  const model = createOrderModel();
  const spoil = createSpoil(model);
  const names = fc.constantFrom(...DANGEROUS_NAMES).map((key) => ({ key }));
  const whole = mostly(hostileValues(), unserializable());
  const inside = mostly(hostileValues(), unserializableInside(), revokedProxies());
  return fc
    .oneof(
      spoil('box', fc.constant({ key: 'body' }), whole),
      spoil('items', fc.constant({ key: 0 }), inside),
      ...LEVELS.map((level) => spoil(level, fc.oneof(spotsIn(level, model), names), inside)),
    )
    .map(({ body }) => makePrintable(body));
}

/** Large values are rarer: they take long to make and to read. */
function mostly(...small: fc.Arbitrary<Make>[]): fc.Arbitrary<Make> {
  return fc.oneof({ weight: 8, arbitrary: fc.oneof(...small) }, { weight: 1, arbitrary: largeValues() });
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

function hostileValues(): fc.Arbitrary<Make> {
  const names = fc.constantFrom(...DANGEROUS_NAMES);
  const oddTexts = fc.constantFrom('\u202e', '\ufeff', '\u2028', '{{a}}', "'; --");
  const methods = fc.constantFrom('toString', 'valueOf', 'toJSON', 'then', Symbol.iterator);
  return fc.oneof(
    set(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true })),
    set(fc.constantFrom(-0, 5e-324, 1e300, 2 ** 53)),
    set(insertAnywhere(texts(), fc.oneof(loneSurrogates(), controlCharacters(), oddTexts))),
    // An own field of the name, `__proto__` too.
    set(
      fc.tuple(names, fc.constantFrom('null', '{"polluted":true}', '{"prototype":{"polluted":true}}')),
      ([name, json]) => JSON.parse(`{"${name}":${json}}`),
    ),
    set(methods, (name) => ({ [name]: fail })),
    setAny(() => [withGetter(fail), withGetter(alternate())]),
    setAny(() => [{ [Symbol('cart')]: {} }, Object.freeze({ cart: Object.freeze([]) })]),
    setAny(() => [null, [], { cart: {}, items: [] }].map((parent) => Object.create(parent))),
    setAny(() => [{}, []].map((value) => Object.assign(value, { 0: value }))),
    // To list a name twice is a TypeError.
    setAny(() => [createProxy({ ownKeys: () => ['cart', 'cart'] }), endlessProxy()]),
  );
}

function revokedProxies(): fc.Arbitrary<Make> {
  return setAny(() => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return [proxy];
  });
}

/** Enough to overflow a stack or to take seconds, not enough to take the memory. */
function largeValues(): fc.Arbitrary<Make> {
  const depths = fc.integer({ min: 100, max: 5_000 });
  const characters = fc.constantFrom('a', '\0', '"', '\ud800');
  return fc.oneof(
    set(depths, (depth) => nest(depth, (inner) => [inner])),
    set(depths, (depth) => nest(depth, (cart) => ({ cart }))),
    set(fc.integer({ min: 2, max: 17 }), (depth) => nest(depth, (inner) => [inner, inner])),
    set(lengths(200_000), (length) => new Array<number>(length).fill(0)),
    set(lengths(1_000_000), (length) => new Array(length)),
    setAny(() => [createProxy({ get: (_, key) => (key === 'length' ? 200_000 : {}) }, [])]),
    set(lengths(10_000), (length) =>
      Object.fromEntries(new Array(length).fill(0).map((_, at) => [`field_${at}`, at])),
    ),
    set(fc.tuple(characters, lengths(500_000)), ([character, length]) => character.repeat(length)),
  );
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
