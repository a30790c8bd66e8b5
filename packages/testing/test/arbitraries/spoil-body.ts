import { inspect } from 'node:util';
import fc from 'fast-check';
import { type Level, type OrderModel, unknownNames } from '../../src/arbitraries/order-model.ts';
import { type Fields, validBodies } from '../../src/arbitraries/order-updates.ts';

/** An object in a body: one of the model's, its list of lines, or a `box` whose field `body` is the whole body. */
export type Place = Level | 'items' | 'box';

/** A key of the object, or the second place of a list in an undeclared field of that name. */
export interface Spot {
  readonly key: string | number;
  readonly isNested?: boolean;
}

type Holder = Record<string | number, unknown>;

/** Builds a property, anew for each body, or removes it by returning nothing. */
export type Make = (holder: Holder) => PropertyDescriptor | undefined;

export type Path = readonly (string | number)[];

/** Sets one property of valid bodies, and returns where. */
type Spoil = (
  place: Place,
  spots: fc.Arbitrary<Spot>,
  makes: fc.Arbitrary<Make>,
) => fc.Arbitrary<{ readonly body: unknown; readonly path: Path }>;

export function createSpoil(model: OrderModel): Spoil {
  const plain = validBodies('order', model, { maxItems: 3 });
  const items = fc.array(validBodies('item', model), { minLength: 1, maxLength: 5 });
  const withItems = fc
    .tuple(plain, validBodies('cart', model, { maxItems: 0 }), items)
    .map(([body, cart, items]) => ({ ...body, cart: { ...cart, items } }));
  const withHooks = fc.tuple(plain, validBodies('hooks', model)).map(([body, hooks]) => ({ ...body, hooks }));
  const places: Readonly<Record<Place, readonly [fc.Arbitrary<Fields>, Path]>> = {
    box: [plain, []],
    order: [plain, ['body']],
    cart: [plain, ['body', 'cart']],
    hooks: [withHooks, ['body', 'hooks']],
    items: [withItems, ['body', 'cart', 'items']],
    item: [withItems, ['body', 'cart', 'items']],
  };
  return (place, spots, makes) => {
    const [bodies, start] = places[place];
    return fc.tuple(bodies, fc.nat(), spots, makes).map(([body, pick, spot, make]) => {
      const path = [...start];
      // A copy, since fast-check goes on to shrink the original.
      const box: Holder = { body: structuredClone(body) };
      let holder = path.reduce<Holder>((outer, key) => outer[key] as Holder, box);
      const enter = (key: string | number) => {
        path.push(key);
        holder = holder[key] as Holder;
      };
      let { key } = spot;
      if (Array.isArray(holder)) key = pick % holder.length;
      if (place === 'item') {
        enter(key);
        key = spot.key;
      }
      if (spot.isNested) {
        put(holder, key, { value: { 'a list': ['a', null] }, writable: true });
        enter(key);
        enter('a list');
        key = 1;
      }
      put(holder, key, make(holder));
      return { body: box['body'], path: [...path, key].slice(1) };
    });
  };
}

function put(holder: Holder, key: string | number, property: PropertyDescriptor | undefined): void {
  if (property === undefined) delete holder[key];
  else Object.defineProperty(holder, key, { configurable: true, enumerable: true, ...property });
}

/** Sets each of the values, or what `build` makes of it. */
export function set<T>(
  values: fc.Arbitrary<T>,
  build: (value: T) => unknown = (value) => value,
): fc.Arbitrary<Make> {
  return values.map((value) => () => ({ value: build(value), writable: true }));
}

/** Sets any of the values that are made anew for each body: an object must not be shared by two. */
export function setAny(build: () => readonly unknown[]): fc.Arbitrary<Make> {
  return set(fc.nat({ max: build().length - 1 }), (index) => build()[index]);
}

/** An undeclared field. */
export function spotsUnknown(level: Level, model: OrderModel): fc.Arbitrary<Spot> {
  return unknownNames(model, level).map((key) => ({ key }));
}

/** In a list in an undeclared field. */
export function nestedSpots(level: Level, model: OrderModel): fc.Arbitrary<Spot> {
  return unknownNames(model, level).map((key) => ({ key, isNested: true }));
}

/** A documented field, an undeclared one, or a list in an undeclared one. */
export function spotsIn(level: Level, model: OrderModel): fc.Arbitrary<Spot> {
  const documented = model.fields[level]
    .filter(({ kind }) => kind !== 'own')
    .map(({ name }) => ({ key: name }));
  return fc.oneof(fc.constantFrom(...documented), spotsUnknown(level, model), nestedSpots(level, model));
}

/** Sets what JSON text cannot carry, wherever a value may be. */
export function unserializable(): fc.Arbitrary<Make> {
  return fc.oneof(
    set(fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)),
    set(fc.bigInt()),
    set(fc.constantFrom(Symbol('a symbol'), Symbol.iterator, Symbol.for('cart'))),
    setAny(() => [() => ({ cart: {} }), class {}]),
    setAny(() => [new Date(0), new Date(Number.NaN)]),
    setAny(() => [new Map([['items', []]]), new Set([1]), new WeakMap()]),
    setAny(() => [new (class Line {})(), new Number(5), Object('boxed'), new Error('an error')]),
    setAny(() => [new Uint8Array(2), new ArrayBuffer(8), new URL('https://shop.example')]),
    setAny(() => [/(a+)+$/, Promise.resolve(1)]),
    setAny(() => [createProxy(ALL_THROW)]),
  );
}

/** The same inside a body; fast-check reads the body as a whole by itself. */
export function unserializableInside(): fc.Arbitrary<Make> {
  return fc.oneof(
    { weight: 5, arbitrary: unserializable() },
    { weight: 1, arbitrary: fc.constant<Make>((holder) => ({ value: holder, writable: true })) },
    { weight: 1, arbitrary: fc.constant<Make>(() => ({ get: fail })) },
  );
}

export function fail(): never {
  throw new Error('A value that throws.');
}

const ALL_THROW = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((trap) => [trap, fail]));

/** A proxy that hides its traps from fast-check's own symbols, so that only the code under test runs into them. */
export function createProxy(traps: ProxyHandler<object>, target: object = {}): object {
  return new Proxy(target, {
    ...traps,
    has: (_, key) =>
      typeof key === 'symbol' ? key === fc.toStringMethod : (traps.has ?? Reflect.has)(target, key),
    get(_, key, receiver) {
      if (key === fc.toStringMethod) return () => '[a proxy]';
      if (typeof key === 'symbol') return Reflect.get(target, key);
      return (traps.get ?? Reflect.get)(target, key, receiver);
    },
  });
}

/**
 * Lets fast-check print a body whose getters throw, or that is too deep or too large: its own printer would throw, and
 * hide the failure that it reports. The body gets a symbol that is not enumerable.
 */
export function makePrintable<T>(body: T): T {
  // A proxy prints itself, and may throw at the question whether it is extensible.
  if (typeof body !== 'object' || body === null || fc.hasToStringMethod(body)) return body;
  if (!Object.isExtensible(body)) return body;
  const print = () => {
    const text = inspect(body, PRINTED);
    return text.length > 4_000 ? `${text.slice(0, 4_000)}…` : text;
  };
  return Object.defineProperty(body, fc.toStringMethod, { value: print });
}

const PRINTED = {
  customInspect: false,
  showProxy: true,
  depth: 6,
  maxArrayLength: 20,
  maxStringLength: 200,
  breakLength: Number.POSITIVE_INFINITY,
} as const;
