import { explain, type IssueCode } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
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
  type NoDefinition,
  type OrderModel,
} from './order-model.ts';
import type { OrderUpdatesOptions } from './order-updates.ts';
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
} from './spoil-body.ts';
import { unserializable } from './unserializable.ts';
import { insertAnywhere, integersWithin, texts, tooLongTexts, webUrls } from './values.ts';

/** The rule that is broken, as `explain` of `@orders/schema` reports it. */
export type InvalidCode = Exclude<IssueCode, 'invalid_token'>;

/** One way to get an update wrong, finer than its code. */
export type InvalidReason = (typeof REASONS)[InvalidCode][number];

/** A body with one thing wrong, and the issue that must be reported. */
export interface InvalidOrderUpdate {
  /** A valid update but for this one thing; not an object when the body as a whole is wrong. */
  readonly body: unknown;
  /** Where: the only path that `explain` of `@orders/schema` reports, such as `cart.items[3].unit_price`. */
  readonly path: string;
  /** Which rule: the code that `explain` reports. */
  readonly code: InvalidCode;
  /** What is wrong, finer than the code, such as `number_in_quotes`. */
  readonly reason: InvalidReason;
  /** Whether JSON text carries the body as it is; `JSON.stringify` throws at others, or changes them. */
  readonly json: boolean;
  /**
   * Whether the JSON Schema of `@orders/schema` accepts it: JSON Schema cannot express misspelled names or the limits of
   * a body, and knows only JSON.
   */
  readonly beyondJsonSchema: boolean;
}

/** What invalid updates look like; every option may be left out. */
export interface InvalidOrderUpdatesOptions<D extends Definition = NoDefinition>
  extends OrderUpdatesOptions<D> {
  /** Whether only bodies occur that JSON text carries, to be sent to a server. @default false */
  readonly json?: boolean;
}

/** Every way to get an update wrong, by the code that must be reported. */
export const REASONS = {
  required: ['missing'],
  invalid_type: [
    'null',
    'invalid_type',
    'text_for_object',
    'number_for_text',
    'number_in_quotes',
    'boolean_in_quotes',
  ],
  not_integer: ['fraction'],
  out_of_range: ['beyond_safe_integer', 'beyond_int32'],
  too_long: ['too_long'],
  invalid_currency: ['currency_not_listed', 'currency_in_wrong_case', 'currency_with_whitespace'],
  invalid_url: ['relative_url', 'whitespace_in_url', 'script_url', 'not_web_url'],
  misspelled: ['misspelled_by_case', 'misspelled_by_edit'],
  misplaced: ['misplaced'],
  not_supported: ['billing_address'],
  not_serializable: [
    'nan',
    'infinity',
    'bigint',
    'symbol',
    'function',
    'undefined_in_list',
    'date',
    'map',
    'class_instance',
    'cycle',
    'throwing_getter',
    'throwing_proxy',
    'proto_field',
    'too_deep',
    'too_many_values',
  ],
} as const satisfies Record<InvalidCode, readonly string[]>;

const CODES = new Map<InvalidReason, InvalidCode>(
  Object.entries(REASONS).flatMap(([code, reasons]) =>
    reasons.map((reason) => [reason, code as InvalidCode]),
  ),
);

/** What is not serializable, though JSON text carries it: no receiver should read it. */
const CARRIED: readonly InvalidReason[] = ['proto_field', 'too_deep', 'too_many_values'];

/** The most levels and values that `@orders/schema` accepts in a body. */
const MAX_DEPTH = 256;
const MAX_VALUES = 100_000;

/**
 * Bodies that are valid but for exactly one thing, each with the one issue that must be reported.
 *
 * Every rule of `@orders/schema` is broken: required fields, types, fractions, ranges, lengths, currencies, URLs,
 * misspelled and misplaced names, and what JSON cannot carry. The definition's own fields stay valid, since only its
 * schema knows their rules.
 *
 * @throws {TypeError} As `orderUpdates` does.
 *
 * @example
 * ```ts
 * import { explain, OrderUpdate } from '@orders/schema';
 * import { invalidOrderUpdates } from '@orders/testing/arbitraries';
 * import fc from 'fast-check';
 *
 * fc.assert(
 *   fc.property(invalidOrderUpdates(), ({ body, path, code }) => {
 *     const { error } = OrderUpdate.safeParse(body);
 *     const [issue, ...others] = error ? explain(error) : [];
 *     return issue?.path === path && issue.code === code && others.length === 0;
 *   }),
 * );
 * ```
 */
export function invalidOrderUpdates<const D extends Definition = NoDefinition>(
  options: InvalidOrderUpdatesOptions<D> = {},
): fc.Arbitrary<InvalidOrderUpdate> {
  checkOptions('invalidOrderUpdates', options, ['definition', 'values', 'unknownFields', 'maxItems', 'json']);
  const { definition, values, unknownFields, maxItems, json: onlyJson = false } = options;
  const model = createOrderModel(definition, values);
  const spoil = createSpoil(model, { unknownFields, maxItems });
  const alternatives = [...Map.groupBy(listFlaws(model), ({ reason }) => reason)].flatMap(
    ([reason, flaws]) => {
      const code = CODES.get(reason) as InvalidCode;
      const json = code !== 'not_serializable' || CARRIED.includes(reason);
      if (onlyJson && !json) return [];
      const beyondJsonSchema = code === 'misspelled' || code === 'not_serializable';
      const spoiled = fc.oneof(...flaws.map(({ place, spots, makes }) => spoil(place, spots, makes)));
      const arbitrary = spoiled.map(({ body, path: spoiledPath }): InvalidOrderUpdate => {
        // What JSON cannot carry is often what fast-check cannot print.
        if (code === 'not_serializable') makePrintable(body);
        const [issue] = explain({ issues: [{ message: '', path: issuePath(reason, spoiledPath) }] });
        return { body, path: issue?.path ?? '', code, reason, json, beyondJsonSchema };
      });
      // So many values take long to make.
      return [{ arbitrary, weight: reason === 'too_many_values' ? 1 : 8 }];
    },
  );
  return fc.oneof(...alternatives);
}

function issuePath(reason: InvalidReason, path: Path): Path {
  if (reason === 'too_many_values') return [];
  return reason === 'too_deep' ? [...path, ...new Array<number>(MAX_DEPTH - path.length).fill(0)] : path;
}

/** What may be set to break a rule, by reason. */
type Breaks = { readonly [Reason in InvalidReason]?: fc.Arbitrary<Make> };

interface Flaw {
  readonly reason: InvalidReason;
  readonly place: Place;
  readonly spots: fc.Arbitrary<Spot>;
  readonly makes: fc.Arbitrary<Make>;
}

/** Every way to break the object at one of the keys; without any key, none. */
function flawsAt(place: Place, keys: string[] | fc.Arbitrary<Spot>, breaks: Breaks): Flaw[] {
  if (Array.isArray(keys) && keys.length === 0) return [];
  const spots = Array.isArray(keys) ? fc.constantFrom(...keys).map((key) => ({ key })) : keys;
  const entries = Object.entries(breaks) as [InvalidReason, fc.Arbitrary<Make>][];
  return entries.map(([reason, makes]) => ({ reason, place, spots, makes }));
}

function listFlaws(model: OrderModel): Flaw[] {
  const values = brokenValues(model.currencies);
  const { cycle, throwing_getter, ...rest } = unserializable();
  const unserializables = { ...rest, cycle, throwing_getter };
  const remove = fc.constant<Make>(() => undefined);
  const absent = {
    undefined_in_list: fc.oneof(
      remove,
      setAny(() => [undefined]),
    ),
  };
  const flawsOf = (level: Level) => [
    ...model.fields[level].flatMap(({ name, kind }) => flawsAt(level, [name], values[kind])),
    ...nameFlaws(level, model),
    ...flawsAt(level, spotsIn(level, model), unserializables),
    ...flawsAt(level, nestedSpots(level, model), absent),
    ...flawsAt(level, ['__proto__'], { proto_field: setAny(() => [null, 'text', { polluted: true }]) }),
    ...flawsAt(level, spotsUnknown(level, model), {
      too_deep: setAny(() => [nest(MAX_DEPTH)]),
      too_many_values: setAny(() => [new Array<number>(MAX_VALUES + 1).fill(0)]),
    }),
  ];
  return [
    ...flawsAt('order', ['cart'], { missing: remove }),
    ...LEVELS.flatMap(flawsOf),
    ...flawsAt('items', fc.constant({ key: 0 }), { ...values.object, ...unserializables, ...absent }),
    // A body that holds itself, or throws where it is read, is an object with such a field.
    ...flawsAt('box', ['body'], { ...values.object, ...rest }),
    ...flawsAt('box', ['body'], {
      text_for_object: fc.constant<Make>(({ body }) => ({ value: JSON.stringify(body) })),
      invalid_type: fc.constant<Make>(({ body }) => ({ value: [body] })),
    }),
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
  const nothing = { null: set(fc.constant(null)) };
  const text = {
    ...nothing,
    number_for_text: set(fc.oneof(integers, fractions)),
    invalid_type: setAny(() => [[], {}, [{}], ['a'], true, false]),
  };
  const amount = {
    ...nothing,
    number_in_quotes: set(integers.map(String)),
    invalid_type: setAny(() => [[], {}, [{}], true, '', '1e3', 'NaN', '399,79 kr']),
    fraction: set(fractions),
  };
  const notExact = fc.constantFrom(2 ** 53, -(2 ** 53), 1e16, -1e21, 1e300, Number.MAX_VALUE);
  const beyondInt32 = fc.oneof(
    fc.integer({ min: 2 ** 31, max: Number.MAX_SAFE_INTEGER }),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: -(2 ** 31) - 1 }),
    fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 2 ** 53),
  );
  const object = {
    ...nothing,
    text_for_object: set(fc.constantFrom('', '{}', '{"cart":{}}', 'Storgata 1', '[object Object]')),
    invalid_type: setAny(() => [[], 0, true, [{}], ['a']]),
  };
  const url = { ...text, ...notAbsolute() };
  return {
    text,
    item_type: text,
    limited_text: { ...text, too_long: set(tooLongTexts()) },
    currency: { ...text, ...notListed(currencies) },
    boolean: {
      ...nothing,
      boolean_in_quotes: set(fc.constantFrom('true', 'false')),
      invalid_type: setAny(() => [0, 1, '', 'yes', [], {}]),
    },
    integer: { ...amount, beyond_safe_integer: set(notExact) },
    int32: { ...amount, beyond_int32: set(beyondInt32) },
    object,
    cart: object,
    hooks: object,
    items: { ...nothing, invalid_type: setAny(() => [{}, { 0: {} }, '', '[]', 0, true]) },
    return_url: url,
    web_url: { ...url, not_web_url: set(fc.constantFrom(...OTHER_SCHEMES, ...NO_HOST)) },
    own: {},
  };
}

const OTHER_SCHEMES = ['myapp://terms', 'ftp://shop.example', 'mailto:a@shop.example'];
const NO_HOST = ['https://', 'https://?a', 'https:///terms', 'https:shop.example', 'https:/shop.example'];

function notListed(currencies: readonly string[]): Breaks {
  const unlisted = (codes: fc.Arbitrary<string>) => codes.filter((code) => !currencies.includes(code));
  const listed = fc.constantFrom(...currencies);
  const known = ['', 'ZZZ', 'EURO', 'EU', '€', 'kr', '978', 'BTC', 'USD', 'EUR', 'NOK'];
  const unit = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const threeLetters = fc.string({ unit, minLength: 3, maxLength: 3 });
  const inWrongCase = currencies.flatMap((code) => [code.toLowerCase(), code.toUpperCase()]);
  return {
    currency_not_listed: set(unlisted(fc.oneof(fc.constantFrom(...known), threeLetters, texts()))),
    currency_with_whitespace: set(unlisted(insertAnywhere(listed, fc.constantFrom(' ', '\n')))),
    ...(inWrongCase.every((code) => currencies.includes(code))
      ? {}
      : { currency_in_wrong_case: set(unlisted(fc.constantFrom(...inWrongCase))) }),
  };
}

function notAbsolute(): Breaks {
  const whitespace = fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\u2028', '\ufeff');
  const schemes = fc.mixedCase(fc.constantFrom('data:', 'javascript:'));
  const scripts = fc
    .tuple(schemes, fc.constantFrom('//a', 'alert(1)', 'text/html,x'))
    .map((parts) => parts.join(''));
  const hidden = [' javascript:alert(1)', '\u0001javascript:alert(1)', 'java\nscript:alert(1)'];
  const relative = ['', '/', '?a', '#a', '/done', 'done.html', '../done', '//shop.example/done'];
  return {
    relative_url: set(fc.constantFrom(...relative)),
    whitespace_in_url: set(insertAnywhere(webUrls(), whitespace)),
    script_url: set(fc.oneof(scripts, fc.constantFrom(...hidden))),
  };
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
    return [
      ...flawsAt(level, byCase.filter(is('misspelled')), { misspelled_by_case: rename }),
      ...flawsAt(level, byEdit.filter(is('misspelled')), { misspelled_by_edit: rename }),
    ];
  });
  const url = 'https://shop.example';
  return [
    ...misspelled,
    ...flawsAt(level, MISPLACED.filter(is('misplaced')), { misplaced: setAny(() => [null, [], url]) }),
    ...flawsAt(level, ['billing_address'].filter(is('not_supported')), {
      billing_address: setAny(() => [null, {}, { street: 'Storgata 1' }]),
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
