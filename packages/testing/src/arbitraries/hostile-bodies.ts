import fc from 'fast-check';
import type { Make } from './broken-values.ts';
import { type Place, put, type Spoil } from './flaw.ts';
import { DANGEROUS_NAMES, type HostileKind, hostileValues, LARGE_KINDS } from './hostile-values.ts';
import { makePrintable } from './make-printable.ts';
import { createOrderModel, LEVELS } from './order-model.ts';
import { bodiesToSpoil, spoilBody } from './spoil-body.ts';
import { at, type Spot, spotsAmongLines, spotsIn } from './spots.ts';

/**
 * Values that break what trusts its input: valid updates with one hostile value put anywhere, and hostile values alone.
 *
 * Among them are nesting of thousands of levels, long lists and texts, lists with holes, names that reach for a
 * prototype, throwing and changing getters, proxies, cycles, symbols, class instances and half surrogate pairs; some are
 * valid updates all the same. They are bounded: at most 5,000 levels, a million holes, 500,000 characters. Most are no
 * JSON; for a server take `hostileJson`.
 *
 * @example
 * ```ts
 * import { OrderUpdate } from '@orders/schema';
 * import { hostileBodies } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * // The code under test: it may refuse, but neither throw nor hang.
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

export interface HostileBody {
  readonly kind: HostileKind;
  /** What the hostile value is in; `box` when it is the body as a whole. */
  readonly place: Place;
  readonly body: unknown;
}

/** The same with what is hostile in them. */
export function hostileBodiesByKind(): fc.Arbitrary<HostileBody> {
  const model = createOrderModel({}, {});
  const bodies = bodiesToSpoil(model, { unknownFields: false, maxItems: 3 });
  const values = Object.entries(hostileValues()) as [HostileKind, fc.Arbitrary<Make>][];

  const hostile = (place: Place, spots: fc.Arbitrary<Spot>): fc.Arbitrary<HostileBody> => {
    const makes = values
      // Fast-check looks into each value that it gives, and finds a revoked proxy only inside of another.
      .filter(([kind]) => place !== 'box' || kind !== 'revoked_proxy')
      .map(([kind, make]) => ({
        weight: LARGE_KINDS.includes(kind) ? 1 : 3,
        arbitrary: fc.record({ kind: fc.constant(kind), make }),
      }));
    return fc
      .tuple(bodies[place], fc.nat(), spots, fc.oneof(...makes))
      .map(([valid, pick, spot, { kind, make }]) => {
        const { body } = spoilBody(valid, putAt(spot, make), { place, pick });
        return { kind, place, body: makePrintable(body) };
      });
  };

  return fc.oneof(
    hostile('box', fc.constant(at('body'))),
    hostile('items', spotsAmongLines()),
    ...LEVELS.map((level) =>
      hostile(level, fc.oneof(spotsIn(level, model), fc.constantFrom(...DANGEROUS_NAMES).map(at))),
    ),
  );
}

function putAt(spot: Spot, make: Make): Spoil {
  return (holder, path) => {
    const { target, key } = spot(holder, path);
    put(target, key, make());
    return path;
  };
}
