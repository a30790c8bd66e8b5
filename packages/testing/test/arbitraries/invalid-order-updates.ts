import { explain, type IssueCode } from '@orders/schema';
import fc from 'fast-check';
import {
  classifyName,
  createOrderModel,
  type Definition,
  type FieldKind,
  LEVELS,
  type Level,
  MISPLACED,
  type NameKind,
  type OrderModel,
} from '../../src/arbitraries/order-model.ts';
import { integersWithin, MAX_LENGTH, texts, textsOfLength, webUrls } from '../../src/arbitraries/values.ts';
import { insertAnywhere } from './odd-texts.ts';
import {
  createSpoil,
  type Make,
  makePrintable,
  nestedSpots,
  type Path,
  type Place,
  type Spot,
  set,
  setAny,
  spotsIn,
  spotsUnknown,
  unserializable,
  unserializableInside,
} from './spoil-body.ts';

type InvalidCode = Exclude<IssueCode, 'invalid_token'>;

/** A body with one thing wrong, and the issue that must be reported. */
export interface InvalidOrderUpdate {
  /** A valid update but for this one thing; not an object when the body as a whole is wrong. */
  readonly body: unknown;
  /** The only path that `explain` reports, such as `cart.items[3].unit_price`. */
  readonly path: string;
  readonly code: InvalidCode;
  /** Whether JSON text carries the body as it is. */
  readonly json: boolean;
  /** Whether the JSON Schema accepts it: that cannot express misspelled names or the limits of a body. */
  readonly beyondJsonSchema: boolean;
}

/** The most levels and values that `@orders/schema` accepts in a body. */
const MAX_DEPTH = 256;
const MAX_VALUES = 100_000;

/**
 * Bodies that are valid but for exactly one thing, each with the one issue that must be reported. Every rule of
 * `@orders/schema` is broken; a definition's own fields stay valid, since only its schema knows their rules.
 */
export function invalidOrderUpdates(
  definition: Definition = {},
  values: Parameters<typeof createOrderModel>[1] = {},
): fc.Arbitrary<InvalidOrderUpdate> {
  const model = createOrderModel(definition, values);
  const spoil = createSpoil(model);
  const kinds = [...Map.groupBy(listFlaws(model), ({ code }) => code)].map(([code, flaws]) => {
    const spoiled = flaws.map(
      ({ place, spots, makes, json = true, issueAt = (path) => path, weight = 8 }) => ({
        weight,
        arbitrary: spoil(place, spots, makes).map(({ body, path }): InvalidOrderUpdate => {
          // What JSON cannot carry is often what fast-check cannot print.
          if (code === 'not_serializable') makePrintable(body);
          const [issue] = explain({ issues: [{ message: '', path: issueAt(path) }] });
          const beyondJsonSchema = code === 'misspelled' || code === 'not_serializable';
          return { body, path: issue?.path ?? '', code, json, beyondJsonSchema };
        }),
      }),
    );
    // One rule may be broken in one way, another in fifty.
    return { weight: Math.min(flaws.length, 8), arbitrary: fc.oneof(...spoiled) };
  });
  return fc.oneof(...kinds);
}

/** What may be set to break a rule, by the code of the issue. */
type Breaks = { readonly [Code in InvalidCode]?: fc.Arbitrary<Make> };

interface Flaw {
  readonly code: InvalidCode;
  readonly place: Place;
  readonly spots: fc.Arbitrary<Spot>;
  readonly makes: fc.Arbitrary<Make>;
  readonly json?: boolean;
  /** The path of the issue, unless it is where the body was spoiled. */
  readonly issueAt?: (path: Path) => Path;
  readonly weight?: number;
}

/** Every way to break the object at one of the keys; without any key, none. */
function flawsAt(place: Place, keys: string[] | fc.Arbitrary<Spot>, breaks: Breaks): Flaw[] {
  if (Array.isArray(keys) && keys.length === 0) return [];
  const spots = Array.isArray(keys) ? fc.constantFrom(...keys).map((key) => ({ key })) : keys;
  const entries = Object.entries(breaks) as [InvalidCode, fc.Arbitrary<Make>][];
  return entries.map(([code, makes]) => ({ code, place, spots, makes }));
}

function listFlaws(model: OrderModel): Flaw[] {
  const values = brokenValues(model.currencies);
  const remove = fc.constant<Make>(() => undefined);
  const absent = fc.oneof(
    remove,
    setAny(() => [undefined]),
  );
  const notJson = (place: Place, spots: fc.Arbitrary<Spot>, makes: fc.Arbitrary<Make>): Flaw => ({
    code: 'not_serializable',
    place,
    spots,
    makes,
    json: false,
  });
  const body = fc.constant({ key: 'body' });
  return [
    ...flawsAt('order', ['cart'], { required: remove }),
    ...LEVELS.flatMap((level) => [
      ...model.fields[level].flatMap(({ name, kind }) => flawsAt(level, [name], values[kind])),
      ...nameFlaws(level, model),
      ...limitFlaws(level, model),
      notJson(level, spotsIn(level, model), unserializableInside()),
      notJson(level, nestedSpots(level, model), absent),
    ]),
    ...flawsAt('items', body, values.object),
    notJson('items', body, fc.oneof(unserializableInside(), absent)),
    ...flawsAt('box', body, values.object),
    ...flawsAt('box', body, {
      invalid_type: fc.constantFrom<Make[]>(
        ({ body }) => ({ value: JSON.stringify(body) }),
        ({ body }) => ({ value: [body] }),
      ),
    }),
    notJson('box', body, unserializable()),
  ];
}

/** What JSON text carries and no receiver should read: a field `__proto__`, too many levels or values. */
function limitFlaws(level: Level, model: OrderModel): Flaw[] {
  const unknown = { code: 'not_serializable', place: level, spots: spotsUnknown(level, model) } as const;
  return [
    ...flawsAt(level, ['__proto__'], {
      not_serializable: setAny(() => [null, 'text', { polluted: true }]),
    }),
    {
      ...unknown,
      makes: setAny(() => [nest(MAX_DEPTH)]),
      issueAt: (path) => [...path, ...new Array<number>(MAX_DEPTH - path.length).fill(0)],
    },
    {
      ...unknown,
      makes: setAny(() => [new Array<number>(MAX_VALUES + 1).fill(0)]),
      issueAt: () => [],
      // So many values take long to make.
      weight: 1,
    },
  ];
}

function nest(depth: number): unknown[] {
  return depth === 0 ? [] : [nest(depth - 1)];
}

/** What breaks the rule of a field of each kind. */
function brokenValues(currencies: readonly string[]): Readonly<Record<FieldKind, Breaks>> {
  const fractions = fc.oneof(
    // What float arithmetic makes of a whole amount.
    fc.constantFrom(0.5, -1.5, 399.7999999999997, 0.1 + 0.2, 1.0000000000000002, 5e-324),
    fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  );
  const integers = integersWithin(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  // An optional field is left out, never null.
  const wrongType = (...values: fc.Arbitrary<Make>[]) => ({
    invalid_type: fc.oneof(set(fc.constant(null)), ...values),
  });
  const text = wrongType(
    set(fc.oneof(integers, fractions)),
    setAny(() => [[], {}, [{}], ['a'], true, false]),
  );
  const amount = {
    ...wrongType(
      set(integers.map(String)),
      setAny(() => [[], {}, [{}], true, '', '1e3', 'NaN', '399,79 kr']),
    ),
    not_integer: set(fractions),
  };
  const notExact = fc.constantFrom(2 ** 53, -(2 ** 53), 1e16, -1e21, 1e300, Number.MAX_VALUE);
  const beyondInt32 = fc.oneof(
    fc.integer({ min: 2 ** 31, max: Number.MAX_SAFE_INTEGER }),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: -(2 ** 31) - 1 }),
    fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 2 ** 53),
  );
  const object = wrongType(
    set(fc.constantFrom('', '{}', '{"cart":{}}', 'Storgata 1', '[object Object]')),
    setAny(() => [[], 0, true, [{}], ['a']]),
  );
  // Often of one character more than is allowed.
  const tooLong = fc.nat({ max: 100 }).map((excess) => MAX_LENGTH + Math.max(excess - 50, 1));
  return {
    text,
    item_type: text,
    limited_text: { ...text, too_long: set(textsOfLength(tooLong)) },
    currency: { ...text, invalid_currency: set(unlistedCurrencies(currencies)) },
    boolean: wrongType(
      set(fc.constantFrom('true', 'false')),
      setAny(() => [0, 1, '', 'yes', [], {}]),
    ),
    integer: { ...amount, out_of_range: set(notExact) },
    int32: { ...amount, out_of_range: set(beyondInt32) },
    object,
    cart: object,
    hooks: object,
    items: wrongType(setAny(() => [{}, { 0: {} }, '', '[]', 0, true])),
    return_url: { ...text, invalid_url: set(notAbsolute()) },
    web_url: {
      ...text,
      invalid_url: set(fc.oneof(notAbsolute(), fc.constantFrom(...OTHER_SCHEMES, ...NO_HOST))),
    },
    own: {},
  };
}

const OTHER_SCHEMES = ['myapp://terms', 'ftp://shop.example', 'mailto:a@shop.example'];
const NO_HOST = ['https://', 'https://?a', 'https:///terms', 'https:shop.example', 'https:/shop.example'];

function unlistedCurrencies(currencies: readonly string[]): fc.Arbitrary<string> {
  const known = ['', 'ZZZ', 'EURO', 'EU', '€', 'kr', '978', 'BTC', 'USD', 'EUR', 'NOK'];
  const inWrongCase = currencies.flatMap((code) => [code.toLowerCase(), code.toUpperCase()]);
  const spaced = insertAnywhere(fc.constantFrom(...currencies), fc.constantFrom(' ', '\n'));
  return fc
    .oneof(fc.constantFrom(...known), fc.constantFrom(...inWrongCase), spaced, texts())
    .filter((code) => !currencies.includes(code));
}

function notAbsolute(): fc.Arbitrary<string> {
  const whitespace = fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\u2028', '\ufeff');
  const schemes = fc.mixedCase(fc.constantFrom('data:', 'javascript:'));
  const scripts = fc
    .tuple(schemes, fc.constantFrom('//a', 'alert(1)', 'text/html,x'))
    .map((parts) => parts.join(''));
  const hidden = [' javascript:alert(1)', '\u0001javascript:alert(1)', 'java\nscript:alert(1)'];
  const relative = ['', '/', '?a', '#a', '/done', 'done.html', '../done', '//shop.example/done'];
  return fc.oneof(
    fc.constantFrom(...relative),
    insertAnywhere(webUrls(), whitespace),
    scripts,
    fc.constantFrom(...hidden),
  );
}

/** Misspelled names of optional fields, and names that belong elsewhere. */
function nameFlaws(level: Level, model: OrderModel): Flaw[] {
  const is = (kind: NameKind) => (name: string) => classifyName(model, level, name) === kind;
  const optional = model.fields[level].filter(({ isRequired }) => !isRequired);
  const misspelled = optional.flatMap(({ name: meant }) => {
    // The field that is meant is absent then: beside it, another name is merely unknown.
    const rename = fc.constant<Make>((holder) => {
      const value = holder[meant] ?? null;
      delete holder[meant];
      return { value, writable: true };
    });
    const camel = meant.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const pascal = camel.charAt(0).toUpperCase() + camel.slice(1);
    const byCase = [camel, pascal, meant.toUpperCase(), meant.replaceAll('_', ''), `_${meant}`];
    const byEdit = meant.replaceAll('_', '').length < 6 ? [] : edits(meant);
    return [byCase, byEdit].flatMap((names) =>
      flawsAt(level, names.filter(is('misspelled')), { misspelled: rename }),
    );
  });
  const url = 'https://shop.example';
  return [
    ...misspelled,
    ...flawsAt(level, MISPLACED.filter(is('misplaced')), { misplaced: setAny(() => [null, [], url]) }),
    ...flawsAt(level, ['billing_address'].filter(is('not_supported')), {
      not_supported: setAny(() => [null, {}, { street: 'Storgata 1' }]),
    }),
  ];
}

/** The name with one letter left out, swapped with the next, replaced or added. */
function edits(name: string): string[] {
  return [...name].flatMap((letter, at) => {
    const [before, after] = [name.slice(0, at), name.slice(at + 1)];
    const swapped = before + after.charAt(0) + letter + after.slice(1);
    return [before + after, swapped, `${before}x${after}`, `${before}x${letter}${after}`];
  });
}
