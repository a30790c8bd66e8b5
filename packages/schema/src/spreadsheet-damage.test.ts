import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findDamage } from './spreadsheet-damage.ts';

const codeOf = (path: string, text: string): string | undefined => findDamage(path, text)?.code;
const codePaths = ['token', 'order_id', 'cart.items[0].sku'];
const namePaths = ['cart.items[0].name', 'shipping_address.city'];
const any = (paths: readonly string[]) => fc.constantFrom(...paths);

/** Short and long months as `Intl` has them, and as Excel writes them where it differs. */
const monthsIn = (language: string, styles: readonly ('short' | 'long')[]): readonly string[] =>
  styles.flatMap((month) =>
    Array.from({ length: 12 }, (_, index) =>
      new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' })
        .formatToParts(Date.UTC(2024, index, 5))
        .flatMap(({ type, value }) => (type === 'month' ? value : []))
        .join(''),
    ),
  );
const titled = [...['en', 'de'].flatMap((language) => monthsIn(language, ['short', 'long'])), 'Mrz', 'Sep'];
const lower = [
  ...['fr', 'es', 'it', 'nl', 'pt'].flatMap((language) => monthsIn(language, ['short'])),
  'sep',
  'fev',
];
const dayOfMonth = fc
  .integer({ min: 1, max: 31 })
  .chain((day) => fc.constantFrom(String(day), String(day).padStart(2, '0')));
const mark = fc.constantFrom('-', '. ', ' ', '/');
const yearOf = fc.integer({ min: 32, max: 99 }).map(String);

test.each([
  ['a day', fc.tuple(dayOfMonth, mark, fc.constantFrom(...titled, ...lower)), 'date'],
  [
    'a month',
    fc.tuple(
      fc.constantFrom(...titled, ...lower.filter((month) => !/^(?:set|out)/.test(month))),
      mark,
      yearOf,
    ),
    'date',
  ],
  [
    'a long number',
    fc.tuple(
      fc.integer({ min: 10 ** 11, max: Number.MAX_SAFE_INTEGER }).map((number) => number.toExponential(5)),
    ),
    'shortened_number',
  ],
  [
    'no value',
    fc.tuple(
      fc.constantFrom(
        'NULL',
        'null',
        'nan',
        'NaN',
        'None',
        '(null)',
        '<NA>',
        '\\N',
        'undefined',
        'NA',
        'Infinity',
      ),
    ),
    'placeholder',
  ],
] as const)('what a spreadsheet or an export made of %s is always found in a code', (_, parts, code) => {
  fc.assert(
    fc.property(any(codePaths), parts as fc.Arbitrary<readonly string[]>, (path, damaged) => {
      expect([damaged, codeOf(path, damaged.join(''))]).toEqual([damaged, code]);
    }),
    { numRuns: 500 },
  );
});

test('an error of a spreadsheet is found in every field', () => {
  const errors =
    '#N/A #NAME? #REF! #VALUE! #DIV/0! #NUM! #NULL! #SPILL! #CALC! #FIELD! #GETTING_DATA #BUSY! #CONNECT! #BLOCKED! ' +
    '#UNKNOWN! #ERROR! #### #NV #WERT! #BEZUG! #ZAHL! #VALEUR! #NOM? #NOMBRE! #¡REF! #¡VALOR! #¿NOMBRE? #N/D #RIF! ' +
    '#VALORE! #WAARDE! #VERW! #N/B #NÚM! #VALOR! #I/T #VERDI! #NAVN? #VÄRDEFEL! #SAKNAS! #N/D! #ARG!';
  for (const error of errors.split(' '))
    for (const path of [...codePaths, ...namePaths])
      expect([error, path, codeOf(path, error)]).toEqual([error, path, 'placeholder']);
});

const upper = fc.stringMatching(/^[A-Z]{2,9}$/);
const isMonth = (word: string): boolean =>
  titled.some((month) => month.replace('.', '').toUpperCase() === word);

test.each([
  [
    'words and numbers',
    fc.tuple(upper, fc.constantFrom('-', ' ', '/', '.', '_', ''), fc.stringMatching(/^\d{1,4}$/)),
  ],
  [
    'numbers and words',
    fc.tuple(
      fc.stringMatching(/^\d{1,4}-$/),
      upper.filter((word) => !isMonth(word)),
    ),
  ],
  ['numbers of orders', fc.tuple(fc.constant('#'), fc.stringMatching(/^[A-Z]{0,4}-?\d{1,8}$/))],
  ['a letter between digits', fc.tuple(fc.stringMatching(/^\d{1,4}[A-Z]\d{1,4}$/))],
  ['at most 15 digits', fc.tuple(fc.stringMatching(/^\d{1,15}$/))],
  ['dates of 4 or 8 digits', fc.tuple(fc.stringMatching(/^20\d\d-?(?:\d{4}|\d\d-\d\d)$/))],
  ['words in lower case', fc.tuple(fc.stringMatching(/^(?:red|blue|set|out|mug-set)-(?:mug-)?\d{1,4}$/))],
  [
    'words that begin as a month',
    fc.tuple(
      fc.constantFrom('DECAF', 'MAYO', 'NOVA', 'JUNIOR', 'MARGARITA', 'SEPIA', 'Decaf', 'Mayo', 'Marble'),
      fc.constantFrom('-250', '-10', ' 24', '.100'),
    ),
  ],
] as const)('ordinary codes are never reported: %s', (_, parts) => {
  fc.assert(
    fc.property(any([...codePaths, ...namePaths]), parts as fc.Arbitrary<readonly string[]>, (path, code) => {
      expect([code, codeOf(path, code.join(''))]).toEqual([code, undefined]);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  "'90s mug",
  "'n' Roll",
  'Nan bread',
  'Nan',
  'None',
  'Null',
  'Nat',
  'Infinity',
  'May 24',
  'NA',
  '#1 Dad',
  '#wow!',
])('the name %s is never reported', (name) => {
  for (const path of namePaths) expect(codeOf(path, name)).toBeUndefined();
});

test.each(['NULL', 'null', 'nan', 'NaN', '#N/A', '[object Object]', "'007", "'=A1", '=A1'])(
  'the name %s is no name',
  (name) => {
    for (const path of namePaths) expect(codeOf(path, name)).toBeDefined();
  },
);
