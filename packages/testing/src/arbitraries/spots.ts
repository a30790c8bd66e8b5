import fc from 'fast-check';
import { anyIndex, type Holder, put } from './flaw.ts';
import type { Level, OrderModel } from './order-model.ts';
import type { Path } from './path-text.ts';
import { unknownNames } from './unknown-names.ts';

/** Finds a holder and a key at which a value may stand, and the holder's path. */
export type Spot = (
  holder: Holder,
  path: Path,
) => { readonly target: Holder; readonly key: string | number; readonly path: Path };

/** A documented field, an unknown one, or one inside of an unknown one. */
export function spotsIn(level: Level, model: OrderModel): fc.Arbitrary<Spot> {
  return fc.oneof(
    fc.constantFrom(...model.fields[level]).map(({ name }) => at(name)),
    unknownNames(model, level).map(at),
    spotsInside(level, model),
  );
}

/** In a list that is inside of an unknown field. */
export function spotsInside(level: Level, model: OrderModel): fc.Arbitrary<Spot> {
  return unknownNames(model, level).map(
    (name): Spot =>
      (holder, path) => {
        const list: unknown[] = ['a', null];
        put(holder, name, { 'a list': list });
        return { target: list as unknown as Holder, key: 1, path: [...path, name, 'a list'] };
      },
  );
}

/** Any line of a list. */
export function spotsAmongLines(): fc.Arbitrary<Spot> {
  return fc.nat().map(
    (pick): Spot =>
      (target, path) => ({ target, key: anyIndex(target, pick), path }),
  );
}

/** Right under this name. */
export function at(key: string): Spot {
  return (target, path) => ({ target, key, path });
}
