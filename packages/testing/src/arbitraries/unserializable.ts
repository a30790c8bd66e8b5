import fc from 'fast-check';
import { type Make, set, setAny } from './spoil-body.ts';

/** What JSON text cannot carry, wherever a value may be. */
export function unserializable() {
  return {
    nan: set(fc.constant(Number.NaN)),
    infinity: set(fc.constantFrom(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)),
    bigint: set(fc.bigInt()),
    symbol: set(fc.constantFrom(Symbol('a symbol'), Symbol.iterator, Symbol.for('cart'))),
    function: setAny(() => [() => ({ cart: {} }), class {}]),
    date: setAny(() => [new Date(0), new Date(Number.NaN)]),
    map: setAny(() => [new Map([['items', []]]), new Set([1]), new WeakMap()]),
    class_instance: fc.oneof(
      setAny(() => [new (class Line {})(), new Number(5), Object('boxed'), new Error('an error')]),
      setAny(() => [new Uint8Array(2), new ArrayBuffer(8), new URL('https://shop.example')]),
      setAny(() => [/(a+)+$/, Promise.resolve(1)]),
    ),
    cycle: fc.constant<Make>((holder) => ({ value: holder, writable: true })),
    throwing_getter: fc.constant<Make>(() => ({ get: fail })),
    throwing_proxy: setAny(() => [createProxy(ALL_THROW)]),
  };
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
