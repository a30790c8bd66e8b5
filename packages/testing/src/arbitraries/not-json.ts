import fc from 'fast-check';
import { type Holder, put } from './flaw.ts';
import { throwingProxy } from './proxies.ts';
import type { InvalidReason } from './reasons.ts';

/** Puts something that JSON text cannot carry under a key. */
export type PutBad = (holder: Holder, key: string | number) => void;

/** What JSON text cannot carry, wherever a value may stand, by reason. */
export function notJson(): Partial<Record<InvalidReason, fc.Arbitrary<PutBad>>> {
  return {
    nan: puts(() => Number.NaN),
    infinity: puts(
      () => Number.POSITIVE_INFINITY,
      () => Number.NEGATIVE_INFINITY,
    ),
    bigint: fc.bigInt().map((value) => (holder, key) => put(holder, key, value)),
    symbol: puts(
      () => Symbol('a symbol'),
      () => Symbol.iterator,
    ),
    function: puts(
      () => () => 1,
      () => class {},
    ),
    date: puts(
      () => new Date(0),
      () => new Date(Number.NaN),
    ),
    map: puts(
      () => new Map([['items', []]]),
      () => new Set([1]),
    ),
    class_instance: puts(
      () => new (class Line {})(),
      () => new Number(5),
      () => new Uint8Array(2),
      () => new Error('an error'),
      () => /a/,
      () => new URL('https://shop.example'),
      () => Promise.resolve(1),
    ),
    cycle: fc.constant((holder, key) => put(holder, key, holder)),
    throwing_getter: fc.constant((holder, key) => {
      const get = () => {
        throw new Error('A getter that throws.');
      };
      Object.defineProperty(holder, key, { get, configurable: true, enumerable: true });
    }),
    throwing_proxy: puts(throwingProxy),
  };
}

function puts(...makes: readonly (() => unknown)[]): fc.Arbitrary<PutBad> {
  return fc.constantFrom(...makes).map((make) => (holder, key) => put(holder, key, make()));
}
