import type fc from 'fast-check';
import type { Level } from './order-model.ts';
import type { Path } from './path-text.ts';
import type { InvalidReason } from './reasons.ts';

/** An object of a body: one of the model's, its list of lines, or the box that holds the body as a whole. */
export type Place = Level | 'items' | 'box';

/** Any object or list that is being spoiled. */
export type Holder = Record<string | number, unknown>;

/** Spoils an object whose path is given, and tells the path of what is wrong. */
export type Spoil = (holder: Holder, path: Path) => Path;

/** One way to spoil one kind of object. */
export interface Flaw {
  readonly reason: InvalidReason;
  readonly place: Place;
  readonly spoils: fc.Arbitrary<Spoil>;
}

/** Sets a field, or a line of a list, to what `make` makes of it. */
export function setTo(key: string | number, make: (holder: Holder) => unknown): Spoil {
  return (holder, path) => {
    put(holder, key, make(holder));
    return [...path, key];
  };
}

/** Sets an own field, `__proto__` too. */
export function put(holder: Holder, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true });
}

/** The index of one of the lines of a list that is not empty. */
export function anyIndex(list: object, pick: number): number {
  return Array.isArray(list) ? pick % list.length : 0;
}
