import fc from 'fast-check';
import { type Flaw, put, type Spoil, setTo } from './flaw.ts';
import { PROTO } from './json-values.ts';
import { notJson, type PutBad } from './not-json.ts';
import { LEVELS, type Level, type OrderModel } from './order-model.ts';
import { listReasons } from './reasons.ts';
import { at, type Spot, spotsAmongLines, spotsIn, spotsInside } from './spots.ts';
import { unknownNames } from './unknown-names.ts';

/** The most levels that a body may have, and the most values (`@orders/schema`, code `not_serializable`). */
const MAX_DEPTH = 256;
const MAX_VALUES = 100_000;

/** What JSON cannot hold, in every field, line and list, known or not, and what goes beyond the limits of a body. */
export function notJsonFlaws(model: OrderModel): Flaw[] {
  const values = listReasons(notJson());
  const fields = LEVELS.flatMap((level) =>
    values.map(
      ([reason, bads]): Flaw => ({ reason, place: level, spoils: putAt(spotsIn(level, model), bads) }),
    ),
  );
  const lines = values.map(
    ([reason, bads]): Flaw => ({ reason, place: 'items', spoils: putAt(spotsAmongLines(), bads) }),
  );
  const bodies = values
    // A body that throws when it is read, or holds itself, does so in a field of its own.
    .filter(([reason]) => !['cycle', 'throwing_getter'].includes(reason))
    .map(([reason, bads]): Flaw => ({ reason, place: 'box', spoils: putAt(fc.constant(at('body')), bads) }));
  return [
    ...fields,
    ...lines,
    ...bodies,
    ...absentValues(model),
    ...LEVELS.flatMap((level) => beyond(level, model)),
  ];
}

function putAt(spots: fc.Arbitrary<Spot>, bads: fc.Arbitrary<PutBad>): fc.Arbitrary<Spoil> {
  return fc.tuple(spots, bads).map(([spot, bad]): Spoil => {
    return (holder, path) => {
      const found = spot(holder, path);
      bad(found.target, found.key);
      return [...found.path, found.key];
    };
  });
}

/** A field that is `undefined` is left out; in a list it would become null. */
function absentValues(model: OrderModel): Flaw[] {
  const absent = fc.constantFrom<PutBad>(
    (holder, key) => put(holder, key, undefined),
    (holder, key) => delete holder[key],
  );
  const reason = 'undefined_in_list';
  return [
    { reason, place: 'items', spoils: putAt(spotsAmongLines(), absent) },
    ...LEVELS.map((level): Flaw => {
      return { reason, place: level, spoils: putAt(spotsInside(level, model), absent) };
    }),
  ];
}

/** What JSON text carries and no receiver should read: a prototype by name, too deep, too much. */
function beyond(level: Level, model: OrderModel): Flaw[] {
  const names = unknownNames(model, level);
  const protos = fc.constantFrom<(() => unknown)[]>(
    () => ({ polluted: true }),
    () => null,
    () => 'text',
  );
  const zeros = () => new Array<number>(MAX_VALUES + 1).fill(0);
  return [
    { reason: 'proto_field', place: level, spoils: protos.map((make) => setTo(PROTO, make)) },
    { reason: 'too_deep', place: level, spoils: names.map(tooDeepAt) },
    { reason: 'too_many_values', place: level, spoils: names.map((name) => tooMany(setTo(name, zeros))) },
  ];
}

function tooDeepAt(name: string): Spoil {
  return (holder, path) => {
    let list: unknown[] = [];
    for (let depth = 0; depth < MAX_DEPTH; depth++) list = [list];
    put(holder, name, list);
    // The path of the holder names the box too, so it is as long as the holder is deep.
    return [...path, name, ...Array.from({ length: MAX_DEPTH - path.length }, () => 0)];
  };
}

/** Of a body that is too large, nothing is told but that. */
function tooMany(spoil: Spoil): Spoil {
  return (holder, path) => spoil(holder, path) && path.slice(0, 1);
}
