import fc from 'fast-check';
import { brokenValues, type Make, notObject } from './broken-values.ts';
import { anyIndex, type Flaw, put, type Spoil, setTo } from './flaw.ts';
import { misspellingsByCase, misspellingsByEdit } from './misspellings.ts';
import { declaredNames, LEVELS, type Level, type OrderModel } from './order-model.ts';
import { listReasons } from './reasons.ts';
import { BILLING_ADDRESS, MISPLACED } from './unknown-names.ts';

/** Ways to get a field, a line or the whole body wrong: its value, its name or its place. */
export function fieldFlaws(model: OrderModel): Flaw[] {
  return [
    { reason: 'missing', place: 'order', spoils: fc.constant(removeCart) },
    ...LEVELS.flatMap((level) => [...valueFlaws(level, model), ...nameFlaws(level, model)]),
    ...placeFlaws(declaredNames(model, 'order')),
    ...wholeFlaws(),
  ];
}

const removeCart: Spoil = (order, path) => {
  delete order['cart'];
  return [...path, 'cart'];
};

function valueFlaws(level: Level, { fields, currencies }: OrderModel): Flaw[] {
  return fields[level].flatMap(({ name, kind }) =>
    listReasons(brokenValues(kind, currencies)).map(([reason, makes]) => ({
      reason,
      place: level,
      spoils: makes.map((make) => setTo(name, make)),
    })),
  );
}

function nameFlaws(level: Level, model: OrderModel): Flaw[] {
  const optional = [
    ...model.fields[level].filter(({ kind }) => kind !== 'cart'),
    ...model.own[level].filter(({ isRequired }) => !isRequired),
  ];
  const declared = declaredNames(model, level);
  return optional.flatMap(({ name: meant }) =>
    listReasons({
      misspelled_by_case: misspellingsByCase({ meant, level, declared }),
      misspelled_by_edit: misspellingsByEdit({ meant, level, declared }),
    }).map(([reason, names]) => ({
      reason,
      place: level,
      spoils: names.map((written) => rename(meant, written)),
    })),
  );
}

/** The meant field is absent then: beside it, another name is merely unknown. */
function rename(meant: string, written: string): Spoil {
  return (holder, path) => {
    put(holder, written, holder[meant] ?? null);
    delete holder[meant];
    return [...path, written];
  };
}

function placeFlaws(declared: readonly string[]): Flaw[] {
  const misplaced = MISPLACED.filter((name) => !declared.includes(name));
  const values: readonly Make[] = [() => 'https://shop.example', () => [], () => null];
  const flaws: Flaw[] = [];
  if (misplaced.length > 0) {
    const spoils = fc
      .tuple(fc.constantFrom(...misplaced), fc.constantFrom(...values))
      .map(([name, make]) => setTo(name, make));
    flaws.push({ reason: 'misplaced', place: 'order', spoils });
  }
  if (!declared.includes(BILLING_ADDRESS)) {
    const addresses: readonly Make[] = [() => ({ street: 'Storgata 1' }), () => ({}), () => null];
    const spoils = fc.constantFrom(...addresses).map((make) => setTo(BILLING_ADDRESS, make));
    flaws.push({ reason: 'billing_address', place: 'order', spoils });
  }
  return flaws;
}

/** The body as a whole, and a line as a whole. */
function wholeFlaws(): Flaw[] {
  const asText: Spoil = (box, path) => setTo('body', ({ body }) => JSON.stringify(body))(box, path);
  const inList: Spoil = (box, path) => setTo('body', ({ body }) => [body])(box, path);
  return [
    ...listReasons(notObject()).flatMap(([reason, makes]): Flaw[] => [
      { reason, place: 'box', spoils: makes.map((make) => setTo('body', make)) },
      { reason, place: 'items', spoils: atAnyLine(makes) },
    ]),
    { reason: 'text_for_object', place: 'box', spoils: fc.constant(asText) },
    { reason: 'invalid_type', place: 'box', spoils: fc.constant(inList) },
  ];
}

function atAnyLine(makes: fc.Arbitrary<Make>): fc.Arbitrary<Spoil> {
  return fc.tuple(makes, fc.nat()).map(
    ([make, pick]): Spoil =>
      (items, path) =>
        setTo(anyIndex(items, pick), make)(items, path),
  );
}
