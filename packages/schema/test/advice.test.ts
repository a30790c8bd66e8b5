import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type Advice, adviceIn, between } from '../../../.ci/advice.ts';
import { createFormReader, type FormReaderOptions } from '../src/form.ts';
import { CartItem, defineOrderUpdate, OrderUpdate } from '../src/index.ts';
import { fileAdvice } from './file-advice.ts';
import { explanationsOf } from './problems.ts';

/** The first message about a body, with its hint. */
const about = (body: unknown, schema: z.core.$ZodType = OrderUpdate): string => {
  const [first] = explanationsOf(schema, body);
  return first ? `${first.message}. ${first.hint}` : 'passed';
};

const thrownBy = (call: () => unknown): string => {
  try {
    call();
    return 'passed';
  } catch (error) {
    return (error as Error).message;
  }
};
const define = (definition: unknown): string =>
  thrownBy(() => defineOrderUpdate(definition as Parameters<typeof defineOrderUpdate>[0]));
const createReader = (options: unknown): string =>
  thrownBy(() => createFormReader(OrderUpdate, options as FormReaderOptions));

/** What is sent once the literal of a message stands in a field. */
const inField =
  (name: string, find: (message: string) => string) =>
  (message: string): unknown => {
    const [schema, body] = inBody(name, JSON.parse(find(message)));
    return (z.parse(schema, body) as Record<string, unknown>)[name];
  };
const lineFields = ['sku', 'quantity', 'unit_price'];
/** The least body with a field, and its schema. */
const inBody = (name: string, value: unknown): [schema: z.core.$ZodType, body: object] =>
  lineFields.includes(name) ? [CartItem, { [name]: value }] : [OrderUpdate, { cart: {}, [name]: value }];
const unquoted = between('Write ', ', without quotes.');
const quoted = between('Write ', ', in quotes.');

const formMessage = (form: unknown, options: FormReaderOptions = { amounts: { decimals: 2 } }): string => {
  const result = createFormReader(OrderUpdate, options).read(form);
  return result.ok ? 'passed' : (result.issues[0]?.message ?? '');
};
const inLine = (line: object): object => ({ cart: { items: [line] } });

const countAdvice = 'write decimals as an integer from 0 to 15, or a table by currency.';

const table: readonly Advice[] = [
  ...fileAdvice,
  {
    mistake: 'an integer in quotes',
    message: about(inLine({ quantity: '2' })),
    follow: inField('quantity', unquoted),
    means: 2,
  },
  {
    mistake: 'an integer in quotes with leading zeros',
    message: about(inLine({ unit_price: '00250' })),
    follow: inField('unit_price', unquoted),
    means: 250,
  },
  {
    mistake: 'true in quotes',
    message: about({ cart: {}, require_shipping: 'true' }),
    follow: inField('require_shipping', unquoted),
    means: true,
  },
  {
    mistake: 'a number for text',
    message: about(inLine({ sku: 4711 })),
    follow: inField('sku', quoted),
    means: '4711',
  },
  {
    mistake: 'text of digits that JavaScript rounded',
    choice: 'Write it in quotes, as its source has it.',
    message: about(inLine({ sku: 1e20 })),
    heeded: about(inLine({ sku: '100000000000000000000' })),
  },
  {
    mistake: 'text that lost its last zero as a number',
    choice: 'Write it in quotes, as its source has it.',
    message: about(inLine({ sku: 1.5 })),
    heeded: about(inLine({ sku: '1.50' })),
  },
  {
    mistake: 'a currency by number',
    choice: 'Write a string.',
    message: about({ cart: {}, purchase_currency: 978 }),
    heeded: about({ cart: {}, purchase_currency: 'EUR' }),
  },
  {
    mistake: 'a URL that is a number',
    choice: 'Write a string.',
    message: about({ cart: {}, hooks: { terms_url: 5 } }),
    heeded: about({ cart: {}, hooks: { terms_url: 'https://shop.example/5' } }),
  },
  {
    mistake: 'text in place of an address',
    choice: 'Write an object, not text; parse JSON text first.',
    message: about({ cart: {}, shipping_address: 'Storgata 1' }),
    heeded: about({ cart: {}, shipping_address: { street: 'Storgata 1' } }),
  },
  {
    mistake: 'null',
    choice: 'Write a value; an optional field is left out, not null.',
    message: about({ cart: {}, order_id: null }),
    heeded: about({ cart: {} }),
  },
  {
    mistake: 'words for an integer',
    choice: 'Write an integer.',
    message: about(inLine({ unit_price: '258,00' })),
    heeded: about(inLine({ unit_price: 25800 })),
  },
  {
    mistake: 'a fraction',
    choice: 'Amounts, rates and quantities are whole numbers: check the unit of 258.5 before you round it.',
    message: about(inLine({ unit_price: 258.5 })),
    heeded: about(inLine({ unit_price: 25850 })),
  },
  {
    mistake: 'an integer out of range',
    choice: 'Write a number in this range, or check its unit.',
    message: about(inLine({ unit_price: 2 ** 53 })),
    heeded: about(inLine({ unit_price: 2 ** 53 - 1 })),
  },
  {
    mistake: 'a number without an exact integer',
    choice: 'Send Number(value), if that is a safe integer.',
    message: about({ cart: {}, note: 2n ** 64n }),
    heeded: about({ cart: {}, note: Number(2n ** 52n) }),
  },
  {
    mistake: 'no cart',
    choice: 'Add cart, with every line of the order.',
    message: about({}),
    heeded: about({ cart: { items: [{ sku: 'mug' }] } }),
  },
  {
    mistake: 'a currency in lower case',
    message: about({ cart: {}, purchase_currency: ' nok' }),
    follow: inField('purchase_currency', between('Write ', '.')),
    means: 'NOK',
  },
  {
    mistake: 'a currency that does not exist',
    choice: 'Write the listed code, if the amounts are in it.',
    message: about({ cart: {}, purchase_currency: 'ZZZ' }),
    heeded: about({ cart: {}, purchase_currency: 'NOK' }),
  },
  {
    mistake: 'a currency that is not accepted, of one',
    choice: 'Write EUR, if the amounts are in it.',
    message: about({ cart: {}, purchase_currency: 'NOK' }, defineOrderUpdate({ currencies: ['EUR'] })),
    heeded: about({ cart: {}, purchase_currency: 'EUR' }, defineOrderUpdate({ currencies: ['EUR'] })),
  },
  {
    mistake: 'half a URL',
    choice: 'Write the whole URL without spaces, with its scheme such as https://, or leave it out.',
    message: about({ cart: {}, hooks: { terms_url: 'shop.example' } }),
    heeded: about({ cart: {}, hooks: { terms_url: 'https://shop.example' } }),
  },
  {
    mistake: 'a misspelled field',
    message: about({ cart: {}, orderId: 'A-1' }),
    follow: (message) => OrderUpdate.parse({ cart: {}, [between('mean ', '?')(message)]: 'A-1' }),
    means: { cart: {}, order_id: 'A-1' },
  },
  {
    mistake: 'a misplaced field',
    message: about({ cart: {}, terms_url: 'https://a.example' }),
    follow: (message) => {
      const [outer = '', inner = ''] = between(
        'Move it to ',
        '.',
      )(`${message.replace('hooks.', 'hooks/')}`).split('/');
      return OrderUpdate.parse({ cart: {}, [outer]: { [inner]: 'https://a.example' } });
    },
    means: { cart: {}, hooks: { terms_url: 'https://a.example' } },
  },
  {
    mistake: 'a definition that is no object',
    choice: 'Pass an object of options, or nothing.',
    message: define('note'),
    heeded: define({}),
  },
  {
    mistake: 'a metadata name outside a list',
    message: define({ metadata: 'note' }),
    follow: (message) => JSON.parse(between('Write ', '.')(message)),
    means: ['note'],
  },
  {
    mistake: 'a currency outside a list',
    message: define({ currencies: 'NOK' }),
    follow: (message) => JSON.parse(between('Write ', '.')(message)),
    means: ['NOK'],
  },
  {
    mistake: 'a number for a list of currencies',
    choice: 'Write the ISO 4217 code, in a list.',
    message: define({ currencies: 978 }),
    heeded: define({ currencies: ['EUR'] }),
  },
  {
    mistake: 'a number among currencies',
    choice: 'Write the ISO 4217 code, in quotes.',
    message: define({ currencies: ['EUR', 978] }),
    heeded: define({ currencies: ['EUR', 'NOK'] }),
  },
  {
    mistake: 'a number for a name',
    choice: 'Write the name that the API uses, in quotes.',
    message: define({ totalAmount: 5 }),
    heeded: define({ totalAmount: 'total' }),
  },
  {
    mistake: 'no list of names',
    message: define({ metadata: 5 }),
    choice: 'Write the name that the API uses, in a list.',
    heeded: define({ metadata: ['note'] }),
  },
  {
    mistake: 'no currency at all',
    choice: 'List those that you use, or leave it out.',
    message: define({ currencies: [] }),
    heeded: define({}),
  },
  {
    mistake: 'an empty currency',
    choice: 'Write the ISO 4217 code.',
    message: define({ currencies: ['NOK', ''] }),
    heeded: define({ currencies: ['NOK', 'EUR'] }),
  },
  {
    mistake: 'a currency that is no code',
    choice: 'Write the ISO 4217 code.',
    message: define({ currencies: ['EURO'] }),
    heeded: define({ currencies: ['EUR'] }),
  },
  {
    mistake: 'text for fields',
    choice: 'Write an object of fields by place: order, cart, item or hooks.',
    message: define({ fields: 'note' }),
    heeded: define({ fields: { order: {}, cart: {}, item: {}, hooks: {} } }),
  },
  {
    mistake: 'no schema for a field',
    choice: 'Write schemas of zod 4 by field name, such as { note: z.string() }.',
    message: define({ fields: { order: { note: 'string' } } }),
    heeded: define({ fields: { order: { note: z.string() } } }),
  },
  {
    mistake: 'an empty name',
    choice: 'Write the name that the API uses.',
    message: define({ totalAmount: '' }),
    heeded: define({ totalAmount: 'total' }),
  },
  {
    mistake: 'an option of another name',
    message: define({ currency: ['NOK'] }),
    follow: between('Did you mean "', '"'),
    means: 'currencies',
  },
  {
    mistake: 'an option that is only alike at the start',
    choice: 'Known: metadata, totalAmount, vatAmount, qrSessionId, currencies, fields.',
    message: define({ curious: 1 }),
    heeded: define({ currencies: ['EUR'] }),
  },
  {
    mistake: 'three decimals without a separator',
    choice: 'write decimalSeparator as "." or ",".',
    message: createReader({ amounts: { decimals: 3 } }),
    heeded: createReader({ amounts: { decimals: 3, decimalSeparator: ',' } }),
  },
  {
    mistake: 'decimals as text',
    choice: countAdvice,
    message: createReader({ amounts: { decimals: '3', decimalSeparator: ',' } }),
    heeded: createReader({ amounts: { decimals: 3, decimalSeparator: ',' } }),
  },
  {
    mistake: 'too many decimals to count',
    choice: countAdvice,
    message: createReader({ amounts: { decimals: 16 } }),
    heeded: createReader({ amounts: { decimals: 15, decimalSeparator: ',' } }),
  },
  {
    mistake: 'no decimals',
    choice: countAdvice,
    message: createReader({ amounts: { decimalSeparator: ',' } }),
    heeded: createReader({ amounts: { decimals: { EUR: 2 }, decimalSeparator: ',' } }),
  },
  {
    mistake: 'a separator that is no mark',
    choice: 'write decimalSeparator as "." or ",".',
    message: createReader({ amounts: { decimals: 0, decimalSeparator: ' ' } }),
    heeded: createReader({ amounts: { decimals: 0, decimalSeparator: '.' } }),
  },
  {
    mistake: 'a fraction to format',
    choice: 'Pass the integer that is sent.',
    message: thrownBy(() => createFormReader(OrderUpdate).formatAmount(258.5)),
    heeded: thrownBy(() => createFormReader(OrderUpdate).formatAmount(25850)),
  },
  {
    mistake: 'one mark for two things',
    message: createReader({ amounts: { decimals: 2, decimalSeparator: ',', groupSeparator: ',' } }),
    choice: 'write groupSeparator as another of ".", ",", " " and "\'", or leave it out.',
    heeded: createReader({ amounts: { decimals: 2, decimalSeparator: ',', groupSeparator: ' ' } }),
  },
  {
    mistake: 'decimals by currency without one',
    message: thrownBy(() => createFormReader(CartItem, { amounts: { decimals: { EUR: 2 } } })),
    choice: 'write decimals as an integer: the schema has no purchase_currency.',
    heeded: thrownBy(() => createFormReader(CartItem, { amounts: { decimals: 2 } })),
  },
  {
    mistake: 'an amount in words',
    choice: 'Write an amount such as 1299.00.',
    message: formMessage(inLine({ unit_price: 'ten' })),
    heeded: formMessage(inLine({ unit_price: '1299.00' })),
  },
  {
    mistake: 'an amount with groups',
    choice: 'Write an amount without spaces or thousands separators, such as 1299.00.',
    message: formMessage(inLine({ unit_price: '1 299' })),
    heeded: formMessage(inLine({ unit_price: '1299.00' })),
  },
  {
    mistake: 'an amount with more decimals',
    choice: 'Write an amount without thousands separators, and with at most 2 decimals, such as 1299.00.',
    message: formMessage(inLine({ unit_price: '1.2990' })),
    heeded: formMessage(inLine({ unit_price: '1299.00' })),
  },
  {
    mistake: 'an amount with decimals where there are none',
    choice: 'Write an amount without thousands separators, and with 0 decimals, such as 1299.',
    message: formMessage(inLine({ unit_price: '1.299' }), {}),
    heeded: formMessage(inLine({ unit_price: '1299' }), {}),
  },
  {
    mistake: 'an amount as a number',
    choice: 'Write the amount as text, such as "1299.00".',
    message: formMessage(inLine({ unit_price: 258 })),
    heeded: formMessage(inLine({ unit_price: '258.00' })),
  },
  {
    mistake: 'a quantity in words',
    choice: 'Write a whole number such as 2.',
    message: formMessage(inLine({ quantity: 'two' })),
    heeded: formMessage(inLine({ quantity: '2' })),
  },
  {
    mistake: 'a quantity out of range',
    choice: 'Write a number from -9007199254740991 to 9007199254740991.',
    message: formMessage(inLine({ quantity: '9'.repeat(20) })),
    heeded: formMessage(inLine({ quantity: '9007199254740991' })),
  },
  {
    mistake: 'text that is too long',
    choice: 'Write at most 255 characters. Shorten it by 1.',
    message: formMessage({ cart: {}, order_id: 'a'.repeat(256) }),
    heeded: formMessage({ cart: {}, order_id: 'a'.repeat(255) }),
  },
  {
    mistake: 'a number for text in a form',
    choice: 'Write text.',
    message: formMessage(inLine({ sku: 4711 })),
    heeded: formMessage(inLine({ sku: '4711' })),
  },
];

test.each(table.filter(({ follow }) => follow).map((row) => [row.mistake, row] as const))(
  'who follows the message about %s to the letter gets what was meant',
  (_, { message, follow, means }) => {
    expect(follow?.(message)).toEqual(means);
  },
);

test.each(table.filter(({ choice }) => choice).map((row) => [row.mistake, row] as const))(
  'the message about %s leaves open what only its reader knows',
  (_, { message, choice, heeded }) => {
    expect(message.slice(-(choice?.length ?? 0))).toBe(choice);
    expect(heeded).toBe('passed');
  },
);

test('every advice in the sources has its row in this table', () => {
  const messages = table.map(({ message }) => message);
  const open = adviceIn(join(import.meta.dirname, '../src'), ['file*.ts']).filter(
    (advice) => !messages.some((message) => advice.test(message)),
  );
  expect(open).toEqual([]);
  for (const { mistake, follow, choice } of table)
    expect([mistake, follow !== undefined, choice !== undefined]).toEqual([mistake, !choice, !follow]);
});

test('whatever stands in a field: who writes what the hint holds in its place, gets a value that means the same', () => {
  const numbers = fc.oneof(
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const digits = fc.oneof(
    fc.stringMatching(/^-?0{0,3}\d{1,15}$/),
    fc.stringMatching(/^-?\d{1,20}([.,]\d{1,3})?$/),
  );
  const currencies = fc.constantFrom('nok', ' EUR', 'Sek ', 'ZZZ', 'kr', '€');
  const values = fc.oneof(numbers, digits, currencies, fc.boolean(), fc.constantFrom('true', 'false'));
  const names = fc.constantFrom(
    'sku',
    'quantity',
    'unit_price',
    'order_id',
    'purchase_currency',
    'require_shipping',
  );
  // Whatever is drawn, these are among it, and each is to be followed.
  const examples: [string, string | number | boolean][] = [
    ['quantity', '2'],
    ['unit_price', '3999'],
    ['require_shipping', 'true'],
    ['purchase_currency', 'nok'],
    ['order_id', 17],
  ];
  let followed = 0;
  fc.assert(
    fc.property(names, values, (name, value) => {
      const hint = explanationsOf(...inBody(name, value))[0]?.hint ?? '';
      const literal =
        /^Write (.+), (?:in|without) quotes\.$/.exec(hint)?.[1] ?? /^Write (".*")\.$/.exec(hint)?.[1];
      if (literal === undefined) return;
      followed++;
      const written: unknown = JSON.parse(literal);
      expect(z.safeParse(...inBody(name, written)).success).toBe(true);
      if (name === 'purchase_currency') expect(written).toBe(String(value).trim().toUpperCase());
      else if (typeof written === 'number') expect(written).toBe(Number(value) + 0);
      else expect(String(written)).toBe(String(value));
    }),
    { examples },
  );
  expect(followed).toBeGreaterThanOrEqual(examples.length);
});
