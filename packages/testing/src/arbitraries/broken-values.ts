import fc from 'fast-check';
import { insertAnywhere } from './insert-anywhere.ts';
import { integers } from './integers.ts';
import type { FieldKind } from './order-model.ts';
import type { InvalidReason } from './reasons.ts';
import { texts, tooLongTexts } from './texts.ts';
import { webUrls } from './urls.ts';

/** Makes a value afresh, since an object that two bodies share would tie them together. */
export type Make = () => unknown;

/** What breaks the rule of a field, by reason. */
export type BrokenValues = Partial<Record<InvalidReason, fc.Arbitrary<Make>>>;

/** What breaks the rule of a field of this kind. */
export function brokenValues(kind: FieldKind, currencies: readonly string[]): BrokenValues {
  switch (kind) {
    case 'text':
    case 'item_type':
      return notText();
    case 'limited_text':
      return { ...notText(), too_long: values(tooLongTexts()) };
    case 'currency':
      return { ...notText(), ...notListed(currencies) };
    case 'boolean':
      return notBoolean();
    case 'integer':
      return { ...notInteger(), beyond_safe_integer: values(beyondSafeIntegers()) };
    case 'int32':
      return { ...notInteger(), beyond_int32: values(beyondInt32()) };
    case 'object':
    case 'cart':
    case 'hooks':
      return notObject();
    case 'items':
      return {
        ...nothing(),
        invalid_type: made(
          ...OBJECTS,
          () => '[]',
          () => 0,
          () => true,
        ),
      };
    case 'return_url':
      return { ...notText(), ...notAbsolute() };
    case 'web_url':
      return { ...notText(), ...notAbsolute(), not_web_url: values(notWeb()) };
  }
}

/** What cannot stand for an object. */
export function notObject(): BrokenValues {
  const text = fc.constantFrom(
    '{}',
    '{"cart":{}}',
    'Storgata 1',
    'https://shop.example',
    '[object Object]',
    '',
  );
  return {
    ...nothing(),
    text_for_object: values(text),
    invalid_type: made(
      ...LISTS,
      () => 0,
      () => true,
    ),
  };
}

const LISTS: readonly Make[] = [() => [], () => [{}], () => ['a']];
const OBJECTS: readonly Make[] = [() => ({}), () => ({ 0: {} })];

/** Null for a value: an optional field is left out instead. */
function nothing(): BrokenValues {
  return { null: made(() => null) };
}

function notText(): BrokenValues {
  return {
    ...nothing(),
    number_for_text: values(fc.oneof(integers(), fractions())),
    invalid_type: made(
      ...LISTS,
      ...OBJECTS,
      () => true,
      () => false,
    ),
  };
}

function notBoolean(): BrokenValues {
  return {
    ...nothing(),
    boolean_in_quotes: values(fc.constantFrom('true', 'false')),
    invalid_type: made(
      ...LISTS,
      ...OBJECTS,
      () => 0,
      () => 1,
      () => 'yes',
      () => '',
    ),
  };
}

function notInteger(): BrokenValues {
  return {
    ...nothing(),
    number_in_quotes: values(integers().map(String)),
    invalid_type: made(
      ...LISTS,
      ...OBJECTS,
      () => true,
      () => '',
      () => '399,79 kr',
      () => '1e3',
      () => 'NaN',
    ),
    fraction: values(fractions()),
  };
}

/** What float arithmetic leaves of a whole amount, and any other fraction. */
function fractions(): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(399.7999999999997, 0.1 + 0.2, 0.5, -1.5, 1.0000000000000002, 5e-324),
    fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  );
}

function beyondSafeIntegers(): fc.Arbitrary<number> {
  return fc.constantFrom(2 ** 53, -(2 ** 53), 1e16, -1e21, 1e300, Number.MAX_VALUE);
}

function beyondInt32(): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 2 ** 53),
    fc.integer({ min: 2 ** 31, max: Number.MAX_SAFE_INTEGER }),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: -(2 ** 31) - 1 }),
  );
}

function notListed(currencies: readonly string[]): BrokenValues {
  const isUnlisted = (code: string) => !currencies.includes(code);
  const near = {
    currency_in_other_case: currencies.flatMap((code) => [code.toLowerCase(), code.toUpperCase()]),
    currency_with_blank: currencies.flatMap((code) => [` ${code}`, `${code}\n`]),
  };
  const unlisted = fc.oneof(
    fc.constantFrom('ZZZ', 'EURO', 'EU', '€', 'kr', '978', '', 'BTC', 'USD', 'EUR', 'NOK'),
    fc.string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'), minLength: 3, maxLength: 3 }),
    texts(),
  );
  return {
    currency_not_listed: values(unlisted.filter(isUnlisted)),
    ...Object.fromEntries(
      Object.entries(near).flatMap(([reason, codes]) => {
        const broken = codes.filter(isUnlisted);
        return broken.length > 0 ? [[reason, values(fc.constantFrom(...broken))]] : [];
      }),
    ),
  };
}

function notAbsolute(): BrokenValues {
  const relative = fc.constantFrom(
    '',
    '/',
    '/done',
    'done.html',
    '../done',
    '//shop.example/done',
    '?a=1',
    '#a',
  );
  const blank = fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\u2028', '\ufeff');
  const scripts = fc.oneof(
    fc
      .tuple(
        fc.mixedCase(fc.constantFrom('javascript:', 'data:')),
        fc.constantFrom('alert(1)', 'text/html,x', '//a'),
      )
      .map((parts) => parts.join('')),
    fc.constantFrom('\u0001javascript:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)'),
  );
  return {
    relative_url: values(relative),
    blank_in_url: values(insertAnywhere(webUrls(), blank)),
    script_url: values(scripts),
  };
}

/** Absolute, but not to a place on the web. */
function notWeb(): fc.Arbitrary<string> {
  return fc.constantFrom(
    'ftp://shop.example',
    'myapp://terms',
    'mailto:a@shop.example',
    'httpss://shop.example',
    'https:shop.example',
    'https:/shop.example',
    'https:///terms',
    'https://?a',
    'https://#a',
    'https://',
  );
}

function values(primitives: fc.Arbitrary<string | number>): fc.Arbitrary<Make> {
  return primitives.map((value) => () => value);
}

function made(...makes: readonly Make[]): fc.Arbitrary<Make> {
  return fc.constantFrom(...makes);
}
