import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { inFull } from '../../../.ci/in-full.ts';
import { anyValue } from '../test/any-value.ts';
import { type AmountOptions, createFormReader, type FormReaderOptions, isoDecimals } from './form.ts';
import { CartItem, defineOrderUpdate, Hooks, OrderUpdate } from './index.ts';

const twoDecimals = createFormReader(OrderUpdate, { amounts: { decimals: 2 } });

/** What is sent for the price of a line, or the code of its issue. */
function readPrice(unit_price: unknown, amounts?: AmountOptions): unknown {
  const result = createFormReader(CartItem, amounts ? { amounts } : {}).read({ unit_price });
  return result.ok ? result.data.unit_price : result.issues.map(({ code }) => code).join();
}

test.each([
  ['258,00', 25_800],
  ['258.00', 25_800],
  ['258,5', 25_850],
  ['258', 25_800],
  ['0', 0],
  ['-0,00', 0],
  ['007', 700],
  ['-12.30', -1_230],
  [' 258.00\u00a0', 25_800],
  ['90071992547409.91', 9_007_199_254_740_991],
  ['-90071992547409.91', -9_007_199_254_740_991],
])('with two decimals, %j is sent as %i', (text, amount) => {
  expect(readPrice(text, { decimals: 2 })).toBe(amount);
});

test.each([
  ['group_separator', ['1 299', '1,299.00', '1.299,00', '1’299.00']],
  ['too_many_decimals', ['1,299', '1.299', '258.005', '258.000']],
  ['out_of_range', ['90071992547409.92', '9'.repeat(400)]],
  ['invalid_amount', ['NaN', 'Infinity', '1e3', '0x10', '1_000', 'abc', '+5', '--5', '- 5', '−5']],
  ['invalid_amount', ['.50', '258.', '258 kr', '€258', '２５８', '٢٥٨']],
])('with two decimals, the issue is %s for each of %j', (code, texts) => {
  for (const text of texts) expect([text, readPrice(text, { decimals: 2 })]).toEqual([text, code]);
});

test('without a declared scale, an amount is written as the integer that is sent', () => {
  expect(readPrice('25800')).toBe(25_800);
  expect(readPrice(25_800)).toBe(25_800);
  expect(readPrice('258.00')).toBe('too_many_decimals');
  expect(readPrice('258,5')).toBe('too_many_decimals');
  expect(readPrice('1,299')).toBe('too_many_decimals');
  expect(readPrice(258.5)).toBe('not_integer');
});

test('with three decimals only the declared separator is read, since the other may group digits', () => {
  const amounts = { decimals: 3, decimalSeparator: ',' } as const;
  expect(readPrice('1,299', amounts)).toBe(1_299);
  expect(readPrice('1.299', amounts)).toBe('group_separator');
  expect(readPrice('1299', amounts)).toBe(1_299_000);
});

test('with decimals, a number does not say whether it was typed or is sent', () => {
  expect(readPrice(258, { decimals: 2 })).toBe('ambiguous_amount');
  expect(readPrice(258.5, { decimals: 2 })).toBe('ambiguous_amount');
  expect(readPrice(Infinity, { decimals: 2 })).toBe('ambiguous_amount');
});

test('a quantity and a discount rate are integers, whatever the scale of amounts is', () => {
  const form = createFormReader(CartItem, { amounts: { decimals: 2 } });
  expect(form.read({ quantity: '2', discount_rate: '1500' })).toMatchObject({
    data: { quantity: 2, discount_rate: 1_500 },
  });
  expect(form.read({ quantity: 2 })).toMatchObject({ data: { quantity: 2 } });
  expect(form.read({ quantity: '2,5', discount_rate: 'ten' })).toMatchObject({
    issues: [
      { field: 'quantity', code: 'not_integer', example: '2', message: 'Write a whole number such as 2.' },
      { field: 'discount_rate', code: 'not_integer' },
    ],
  });
});

test('the total and the VAT amount are amounts of 32 bits under the names of the definition', () => {
  const schema = defineOrderUpdate({ totalAmount: 'total', vatAmount: 'vat' });
  const form = createFormReader(schema, { amounts: { decimals: 2, decimalSeparator: ',' } });
  expect(form.read({ total: '21474836,47', vat: '-1.00', cart: {} })).toEqual({
    ok: true,
    data: { total: 2_147_483_647, vat: -100, cart: {} },
    leftOut: [],
  });
  expect(form.read({ total: '21474836,48', cart: {} })).toMatchObject({
    issues: [
      {
        field: 'total',
        code: 'out_of_range',
        received: '21474836,48',
        min: '-21474836,48',
        max: '21474836,47',
        message: 'Write a number from -21474836,48 to 21474836,47.',
      },
    ],
  });
});

test.each([
  ['1 299', 'Write an amount without spaces or thousands separators, such as 1299.00.'],
  ['258.005', 'Write an amount without thousands separators, and with at most 2 decimals, such as 1299.00.'],
  ['abc', 'Write an amount such as 1299.00.'],
  [258, 'Write the amount as text, such as "1299.00".'],
])('the message for %j says what to write', (received, message) => {
  const form = createFormReader(CartItem, { amounts: { decimals: 2 } });
  const issue = { field: 'unit_price', message, received, decimals: 2, example: '1299.00' };
  expect(form.read({ unit_price: received })).toMatchObject({ issues: [issue] });
});

test('formatAmount refuses what is not an integer', () => {
  expect(twoDecimals.formatAmount(-5)).toBe('-0.05');
  expect(() => twoDecimals.formatAmount(258.5)).toThrow(
    new TypeError('formatAmount: got 258.5. Pass the integer that is sent.'),
  );
  expect(() => twoDecimals.formatAmount(Number.NaN)).toThrow(TypeError);
});

test.each([[''], ['  '], ['\u00a0'], [undefined], [null], [Number.NaN]])(
  'a field that is %j is left out',
  (blank) => {
    const values = {
      order_id: blank,
      cart: { items: [{ sku: 'MUG', quantity: blank, unit_price: blank }] },
      require_shipping: blank,
      hooks: { webhook_url: blank },
    };
    expect(twoDecimals.read(values)).toEqual({
      ok: true,
      data: { cart: { items: [{ sku: 'MUG' }] } },
      leftOut: [
        'order_id',
        'cart.items.0.quantity',
        'cart.items.0.unit_price',
        'require_shipping',
        'hooks.webhook_url',
      ],
    });
  },
);

test('0 and false are values', () => {
  const values = { require_shipping: false, cart: { items: [{ quantity: 0 }] } };
  expect(twoDecimals.read(values)).toEqual({ ok: true, data: values, leftOut: [] });
});

test('a required field stays required, and a cart whose fields are all blank is one', () => {
  for (const cart of ['', null, undefined]) {
    expect(twoDecimals.read({ cart })).toMatchObject({
      ok: false,
      issues: [{ field: 'cart', code: 'required', message: 'Fill in this field.' }],
    });
  }
  const absent = twoDecimals.read({});
  expect(absent.ok ? [] : absent.issues).toStrictEqual([
    { field: 'cart', code: 'required', message: 'Fill in this field.' },
  ]);
  expect(twoDecimals.read(undefined)).toMatchObject({ issues: [{ field: 'cart', code: 'required' }] });
  expect(twoDecimals.read({ cart: { items: [] } })).toEqual({
    ok: true,
    data: { cart: {} },
    leftOut: ['cart.items'],
  });
  const schema = defineOrderUpdate({ fields: { order: { channel: z.string() } } });
  expect(createFormReader(schema).read({ cart: {}, channel: '' })).toMatchObject({
    issues: [{ field: 'channel', code: 'required' }],
    leftOut: ['channel'],
  });
});

test('blank lines are left out, and issues keep the index of the form', () => {
  const blank = { sku: '', quantity: Number.NaN, unit_price: '' };
  const values = { cart: { items: [blank, { sku: 'MUG' }, {}, { unit_price: 'x' }, { sku: 4711 }] } };
  expect(twoDecimals.read(values)).toMatchObject({
    issues: [
      { field: 'cart.items.3.unit_price', code: 'invalid_amount' },
      { field: 'cart.items.4.sku', code: 'invalid_type', received: 4711, message: 'Write text.' },
    ],
    leftOut: ['cart.items.0', 'cart.items.2'],
  });
  expect(twoDecimals.read({ cart: { items: [blank, { sku: 'MUG' }] } })).toMatchObject({
    data: { cart: { items: [{ sku: 'MUG' }] } },
  });
  expect(twoDecimals.read({ cart: { items: [blank] } })).toMatchObject({
    data: { cart: {} },
    leftOut: ['cart.items.0', 'cart.items'],
  });
});

test('a line that holds nothing but what a new line holds is left out', () => {
  const form = createFormReader(OrderUpdate, { newLine: { type: 'physical', quantity: '1' } });
  const untouched = { type: 'physical', sku: '', quantity: '1', unit_price: undefined };
  expect(form.read({ cart: { items: [{ ...untouched, sku: 'MUG' }, untouched] } })).toEqual({
    ok: true,
    data: { cart: { items: [{ type: 'physical', sku: 'MUG', quantity: 1 }] } },
    leftOut: ['cart.items.0.unit_price', 'cart.items.1'],
  });
  expect(form.read({ cart: { items: [{ ...untouched, quantity: '2' }] } })).toMatchObject({
    data: { cart: { items: [{ type: 'physical', quantity: 2 }] } },
  });
});

test.each([
  [1, '1'],
  ['1', 1],
  [true, 'true'],
])('a line that holds %j is one that a new line declares as %j', (held, declared) => {
  const form = createFormReader(OrderUpdate, { newLine: { quantity: declared } });
  expect(form.read({ cart: { items: [{ sku: 'MUG' }, { sku: '', quantity: held }] } })).toMatchObject({
    data: { cart: { items: [{ sku: 'MUG' }] } },
  });
});

test('a line with fields inside a field counts with these', () => {
  const form = createFormReader(OrderUpdate, { newLine: { quantity: '1', attributes: { color: '' } } });
  const line = { quantity: '1', attributes: { color: 'red' } };
  expect(form.read({ cart: { items: [line] } })).toMatchObject({
    data: { cart: { items: [{ quantity: 1, attributes: { color: 'red' } }] } },
  });
  const page = new FormData();
  page.set('cart[items][0][sku]', '');
  page.set('cart[items][0][product_identifiers][gtin]', '123');
  expect(twoDecimals.read(page)).toMatchObject({
    data: { cart: { items: [{ product_identifiers: { gtin: '123' } }] } },
  });
});

test.each([
  [
    { tags: [], attributes: { color: '' } },
    { tags: [], attributes: { color: '' } },
  ],
  [
    { tags: ['gift'], attributes: { color: 'red', size: 1 } },
    { tags: ['gift'], attributes: { color: 'red', size: '1' } },
  ],
  [{}, { tags: ['', ''], attributes: { color: '' } }],
])('a new line that declares %j is untouched where it holds %j', (declared, held) => {
  const form = createFormReader(OrderUpdate, { newLine: { quantity: '1', ...declared } });
  const line = { sku: '', quantity: '1', ...held };
  expect(form.read({ cart: { items: [{ sku: 'MUG' }, line] } })).toMatchObject({
    data: { cart: { items: [{ sku: 'MUG' }] } },
  });
  for (const touched of [{ tags: ['gift', 'new'] }, { attributes: { color: 'blue' } }])
    expect(form.read({ cart: { items: [{ sku: 'MUG' }, { ...line, ...touched }] } })).toMatchObject({
      data: { cart: { items: [{ sku: 'MUG' }, { quantity: 1, ...touched }] } },
    });
});

test.each([
  ['an instance of a class', new (class Line {})()],
  ['a text', '[object Object]'],
  ['a date', new Date(0)],
])('a line that is %s is refused, not left out', (_, line) => {
  for (const newLine of [{}, { quantity: '1' }, { attributes: {} }])
    for (const items of [
      [{ sku: 'MUG' }, line],
      [{ sku: 'MUG' }, { attributes: line }],
    ])
      expect(createFormReader(OrderUpdate, { newLine }).read({ cart: { items } })).not.toMatchObject({
        data: { cart: { items: [{ sku: 'MUG' }] } },
      });
});

test('a cart of 8,000 lines that begin as a new one is read', () => {
  const newLine = { quantity: '1', type: 'physical', discount_rate: '0', vat_amount: '0', unit_price: '0' };
  const items = Array.from({ length: 8_000 }, () => ({ ...newLine, sku: 'MUG' }));
  expect(createFormReader(OrderUpdate, { newLine }).read({ cart: { items } })).toMatchObject({ ok: true });
});

test('blank lines within lines, without end, are an issue', () => {
  let line: object = { sku: '' };
  for (let depth = 0; depth < 40; depth++) line = { items: [line, line] };
  const { errors } = twoDecimals.resolver({ cart: { items: [line] } });
  expect(errors).toMatchObject({ form: { type: 'not_serializable' } });
});

test('a page with a blank field inside a field of an untouched line is read', () => {
  const page = new FormData();
  page.set('cart[items][0][sku]', 'MUG');
  page.set('cart[items][1][sku]', '');
  page.set('cart[items][1][quantity]', '1');
  page.set('cart[items][1][product_identifiers][gtin]', '');
  const form = createFormReader(OrderUpdate, { newLine: { quantity: '1' } });
  expect(form.read(page)).toMatchObject({ ok: true, data: { cart: { items: [{ sku: 'MUG' }] } } });
});

test('blanks are left out of an object whose fields the API does not document', () => {
  const shipping_address = { street: ['Storgatan 1', ''], zip: '', name: { first: '', last: '' } };
  expect(twoDecimals.read({ cart: {}, shipping_address })).toEqual({
    ok: true,
    data: { cart: {}, shipping_address: { street: ['Storgatan 1'] } },
    leftOut: [
      'shipping_address.street.1',
      'shipping_address.zip',
      'shipping_address.name.first',
      'shipping_address.name.last',
    ],
  });
});

test.each([['maybe'], ['constructor'], [2], ['10'], [['true']]])('%j is not a choice', (require_shipping) => {
  expect(twoDecimals.read({ cart: {}, require_shipping })).toMatchObject({
    issues: [{ field: 'require_shipping', code: 'invalid_type', message: 'Choose yes or no.' }],
  });
});

test('a field that every object inherits is one like any other', () => {
  const values = { cart: {}, constructor: 'x', toString: 'y' };
  expect(twoDecimals.read(values)).toEqual({ ok: true, data: values, leftOut: [] });
});

test('text is sent as it was typed', () => {
  const values = { order_id: ' 007 ', cart: { items: [{ sku: '0042' }] }, note: '12' };
  expect(twoDecimals.read(values)).toMatchObject({ data: values });
});

test('every rule of the schema is an issue of its field, in the order of the form', () => {
  const schema = defineOrderUpdate({ metadata: ['note'], currencies: ['EUR', 'SEK'] });
  const result = createFormReader(schema, { amounts: { decimals: 2 } }).read({
    hooks: { webhook_url: 'shop.example' },
    cart: { items: [{ unit_price: 'x' }, 'line'], file: new Date(0) },
    note: 'n'.repeat(300),
    orderId: 'A-1001',
    purchase_currency: 'eur',
    billing_address: { city: 'Malmö' },
    webhook_url: 'https://shop.example',
  });
  expect(result.ok ? [] : result.issues).toEqual([
    {
      field: 'hooks.webhook_url',
      code: 'invalid_url',
      received: 'shop.example',
      message: 'Write the whole URL without spaces, with its scheme such as https://, or leave it out.',
    },
    {
      field: 'cart.items.0.unit_price',
      code: 'invalid_amount',
      received: 'x',
      decimals: 2,
      example: '1299.00',
      message: 'Write an amount such as 1299.00.',
    },
    {
      field: 'cart.items.1',
      code: 'invalid_type',
      received: 'line',
      message: 'Expected an object, got "line". Write an object, not text; parse JSON text first.',
    },
    {
      field: 'cart.file',
      code: 'not_serializable',
      message: 'Cannot send an instance of Date. Send a plain object, a list or a string.',
    },
    {
      field: 'note',
      code: 'too_long',
      received: 'n'.repeat(300),
      max: 255,
      message: 'Write at most 255 characters. Shorten it by 45.',
    },
    {
      field: 'orderId',
      code: 'misspelled',
      received: 'A-1001',
      message: 'Unknown field. Did you mean order_id?',
    },
    {
      field: 'purchase_currency',
      code: 'invalid_currency',
      received: 'eur',
      allowed: ['EUR', 'SEK'],
      message: 'Write "EUR".',
    },
    {
      field: 'billing_address',
      code: 'not_supported',
      message:
        'Not set by this operation. Leave it out: the checkout page or the separate payment interface sets it.',
    },
    {
      field: 'webhook_url',
      code: 'misplaced',
      received: 'https://shop.example',
      message: 'Unknown field. Move it to hooks.webhook_url.',
    },
  ]);
});

test('an issue of a schema of the caller keeps its code and its message', () => {
  const schema = defineOrderUpdate({
    fields: {
      order: {
        points: z.optional(z.int('Points are whole numbers.')),
        channel: z.optional(z.enum(['web', 'store'], 'Choose web or store.')),
      },
    },
  });
  const form = createFormReader(schema, { amounts: { decimals: 2 } });
  expect(form.read({ cart: {}, points: '12', channel: 'web' })).toMatchObject({
    data: { points: 12, channel: 'web' },
  });
  expect(form.read({ cart: {}, points: '1,5', channel: 'app' })).toMatchObject({
    issues: [
      { field: 'points', code: 'invalid_type', message: 'Points are whole numbers.' },
      { field: 'channel', code: 'invalid_value', message: 'Choose web or store.' },
    ],
  });
  const checked = OrderUpdate.check(
    z.refine(({ cart }) => cart.items !== undefined, { path: ['cart', 'items'], error: 'Add a line.' }),
  );
  expect(createFormReader(checked).read({ cart: { items: [] } })).toMatchObject({
    issues: [{ field: 'cart.items', code: 'custom', message: 'Add a line.' }],
  });
});

test('the type of the data is that of the schema', () => {
  const result = createFormReader(Hooks).read({ webhook_url: 'https://shop.example' });
  if (result.ok) expectTypeOf(result.data).toEqualTypeOf<Hooks>();
  expect(result.ok).toBe(true);
});

test('a FormData is read by the names of its fields', () => {
  const entries = new FormData();
  for (const [name, value] of [
    ['order_id', ''],
    ['require_shipping', 'false'],
    ['require_shipping', 'on'],
    ['cart.items.0.sku', ''],
    ['cart.items.3.sku', 'MUG'],
    ['cart.items.3.unit_price', '258,00'],
    ['cart[items][10][sku]', 'CUP'],
  ] as const) {
    entries.append(name, value);
  }
  expect(twoDecimals.read(entries)).toEqual({
    ok: true,
    data: {
      require_shipping: true,
      cart: { items: [{ sku: 'MUG', unit_price: 25_800 }, { sku: 'CUP' }] },
    },
    leftOut: ['order_id', 'cart.items.0'],
  });
  entries.set('cart.items.3.unit_price', '1 299');
  expect(twoDecimals.read(entries)).toMatchObject({
    issues: [{ field: 'cart.items.3.unit_price', code: 'group_separator' }],
  });
});

test('URLSearchParams are read by the names of their fields, too', () => {
  expect(twoDecimals.read(new URLSearchParams('cart.items.0.quantity=2'))).toMatchObject({
    data: { cart: { items: [{ quantity: 2 }] } },
  });
});

test('a file and a name that leads nowhere do no harm', () => {
  const entries = new FormData();
  entries.append('cart.items.0.sku', new File(['x'], 'x.txt'));
  entries.append('cart.items.0.sku.deeper', 'x');
  entries.append('__proto__.polluted', 'x');
  entries.append('constructor.prototype.polluted', 'x');
  entries.append('hooks', new File(['x'], 'x.txt'));
  expect(twoDecimals.read(entries)).toMatchObject({ ok: false });
  expect({}).not.toHaveProperty('polluted');
});

const readMessage = (translate: NonNullable<FormReaderOptions['translate']>): string | undefined => {
  const result = createFormReader(CartItem, { amounts: { decimals: 2 }, translate }).read({
    unit_price: 'x',
  });
  return result.ok ? undefined : result.issues[0]?.message;
};

test('translate replaces messages by the data of the issue', () => {
  expect(
    readMessage(({ code, example }) => (code === 'invalid_amount' ? `Skriv ${example}.` : undefined)),
  ).toBe('Skriv 1299.00.');
});

test('translate keeps the message where it returns undefined or throws', () => {
  expect(readMessage(() => undefined)).toBe('Write an amount such as 1299.00.');
  const fail = () => {
    throw new Error('no catalogue');
  };
  expect(readMessage(fail)).toBe('Write an amount such as 1299.00.');
});

test('the resolver returns the data, or the issues as react-hook-form nests them', () => {
  const { resolver } = twoDecimals;
  expect(resolver({ order_id: '', cart: {} })).toEqual({ values: { cart: {} }, errors: {} });
  const { errors } = resolver({
    cart: { items: [{ sku: '' }, { unit_price: 'x', type: 1 }] },
    shipping_address: 'x',
  });
  expect(errors).toEqual({
    cart: {
      items: [
        undefined,
        {
          unit_price: { type: 'invalid_amount', message: 'Write an amount such as 1299.00.' },
          type: { type: 'invalid_type', message: 'Write text.' },
        },
      ],
    },
    shipping_address: { type: 'invalid_type', message: expect.any(String) },
  });
});

test('the resolver puts the first issue of a list at its root, where those of its lines do not hide it', () => {
  const path = ['cart', 'items'];
  const checked = OrderUpdate.check(
    z.refine(() => false, { path, error: 'Add a line.' }),
    z.refine(() => false, { path, error: 'Add two.' }),
  );
  const { errors } = createFormReader(checked).resolver({ cart: { items: [] } });
  expect(errors).toMatchObject({ cart: { items: { root: { type: 'custom', message: 'Add a line.' } } } });
});

test('the resolver never returns neither data nor errors', () => {
  const cycle: Record<string, unknown> = { cart: {} };
  cycle['cart'] = cycle;
  expect(twoDecimals.resolver(cycle).errors).toMatchObject({ form: { type: 'not_serializable' } });
  expect(twoDecimals.resolver(new Map()).errors).toMatchObject({ form: { type: 'not_serializable' } });
  expect(Object.keys(twoDecimals.resolver(JSON.parse('{"cart":{},"__proto__":{"a":1}}')).errors)).not.toEqual(
    [],
  );
});

test.each([
  ...[
    { decimals: '2' },
    { decimals: -1 },
    { decimals: 0.5 },
    { decimals: 16 },
    { decimalSeparator: ',' },
  ].map(
    (amounts) => [amounts, 'write decimals as an integer from 0 to 15, or a table by currency.'] as const,
  ),
  ...[{ decimals: 3 }, { decimals: 2, decimalSeparator: ' ' }].map(
    (amounts) => [amounts, 'write decimalSeparator as "." or ",".'] as const,
  ),
])('the amounts %j are a TypeError that keeps what is right in them', (amounts, advice) => {
  expect(() => createFormReader(OrderUpdate, { amounts } as unknown as FormReaderOptions)).toThrow(
    new TypeError(`createFormReader: amounts: ${advice}`),
  );
});

test.each([
  [{ amount: { decimals: 2 } }, 'createFormReader: unknown option "amount". Did you mean "amounts"?'],
  [
    { amounts: { decimals: 2, decimalSeparators: ',' } },
    'createFormReader: amounts: unknown option "decimalSeparators". Did you mean "decimalSeparator"?',
  ],
])('an unknown option is a TypeError: %j', (options, message) => {
  expect(() => createFormReader(OrderUpdate, options as FormReaderOptions)).toThrow(new TypeError(message));
});

const safeInteger = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -2000, max: 2000 }));
const separators = fc.constantFrom('.', ',');

test('any integer, written with any number of decimals and either separator, is read back', () => {
  fc.assert(
    fc.property(safeInteger, fc.nat(15), separators, (amount, decimals, separator) => {
      const form = createFormReader(CartItem, { amounts: { decimals, decimalSeparator: separator } });
      const text = form.formatAmount(amount);
      expect(form.read({ unit_price: text })).toMatchObject({ data: { unit_price: amount } });
      if (decimals > 2) return;
      const other = text.replace(/[.,]/, separator === '.' ? ',' : '.');
      expect(form.read({ unit_price: other })).toMatchObject({ data: { unit_price: amount } });
    }),
  );
});

test('no text with a group separator is read', () => {
  const groups = fc.constantFrom(' ', '\u00a0', '\u2009', '\u202f', "'", '’', '.', ',');
  fc.assert(
    fc.property(
      fc.integer({ min: 1_000, max: 2 ** 31 }),
      fc.nat(15),
      groups,
      separators,
      fc.boolean(),
      (amount, decimals, group, separator, isWhole) => {
        fc.pre(group !== separator || decimals < 3);
        const grouped = String(amount).replace(/\B(?=(\d{3})+$)/g, group);
        const text = isWhole ? grouped : `${grouped}${separator}${'0'.repeat(Math.max(decimals, 1))}`;
        const form = createFormReader(CartItem, { amounts: { decimals, decimalSeparator: separator } });
        expect(form.read({ unit_price: text }).ok).toBe(false);
        expect(form.read({ quantity: text }).ok).toBe(false);
      },
    ),
  );
});

test('whatever a form holds, it is read or has issues, and what is read is what the schema accepts', () => {
  const names = ['cart', 'items', 'unit_price', 'quantity', 'hooks', 'webhook_url', 'order_id', 'getAll', ''];
  const junk = anyValue(names);
  const forms = fc.oneof(
    junk,
    fc.jsonValue(),
    junk.map((line) => ({ cart: { items: [line, { unit_price: line, quantity: line }] }, hooks: line })),
  );
  const form = createFormReader(OrderUpdate, { amounts: { decimals: 2 }, newLine: { quantity: '1' } });
  fc.assert(
    fc.property(forms, (values) => {
      const result = form.read(values);
      const { errors } = form.resolver(values);
      expect(Object.keys(errors).length > 0).toBe(!result.ok);
      if (result.ok) expect(OrderUpdate.parse(result.data)).toEqual(result.data);
      else {
        expect(result.issues.length).toBeGreaterThan(0);
        // They can be sent to a browser.
        expect(JSON.parse(JSON.stringify(result.issues))).toHaveLength(result.issues.length);
        for (const { code, message } of result.issues) {
          expect(code).toMatch(/^[a-z_]+$/);
          expect(message).toMatch(/[.?]$/);
        }
      }
    }),
    { numRuns: inFull ? 400 : 150 },
  );
});

const Weighed = defineOrderUpdate({ fields: { order: { weight: z.number() } } });

test.each<[text: unknown, weight: number | string, decimalSeparator?: '.' | ',']>([
  ['5', 5],
  [' 5.50 ', 5.5],
  ['-0.25', -0.25],
  ['-0', 0],
  ['5,5', 5.5, ','],
  [5.5, 5.5],
  ['9007199254.740992', 9007199254.740992],
  ['007.50', 7.5],
  ['5,5', 'Expected a number, got "5,5". Write a number.'],
  ['5.5', 'Expected a number, got "5.5". Write a number.', ','],
  ['1.299,5', 'Expected a number, got "1.299,5". Write a number.', ','],
  ['1.299.00', 'Expected a number, got "1.299.00". Write a number.'],
  ['1,299,00', 'Expected a number, got "1,299,00". Write a number.', ','],
  [1.5, 1.5, ','],
  [1e-7, 1e-7],
  [1e21, 1e21],
  ['1e3', 'Expected a number, got "1e3". Write a number.'],
  ['9007199254740993', 'Expected a number, got "9007199254740993". Write a number.'],
  ['900719925474.09915', 'Expected a number, got "900719925474.09915". Write a number.'],
  ['0.12345678901234567', 'Expected a number, got "0.12345678901234567". Write a number.'],
])('a number field of the caller that holds %j is read as %j', (weight, wanted, decimalSeparator = '.') => {
  const form = createFormReader(Weighed, { amounts: { decimals: 2, decimalSeparator } });
  const result = form.read({ weight, cart: { items: [{ sku: 'MUG' }] } });
  expect(result.ok ? result.data.weight : result.issues[0]?.message).toBe(wanted);
});

test('a number field of the caller is read in whole, or not at all', () => {
  const part = fc
    .tuple(fc.constantFrom('', '.', ',', '-'), fc.nat(1_500))
    .map(([mark, digits]) => `${mark}${digits}`);
  const texts = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, fc.constantFrom('.', ','), (text, decimalSeparator) => {
      const form = createFormReader(Weighed, { amounts: { decimals: 2, decimalSeparator } });
      const result = form.read({ weight: text, cart: {} });
      const written = text.replace(decimalSeparator, '.');
      if (result.ok) expect(result.data.weight).toBe(Number(written) + 0);
    }),
  );
});

test('a number field of the caller is read as it was written', () => {
  const form = createFormReader(Weighed);
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.nat(15), (digits, decimals) => {
      const number = (digits + 0) / 10 ** decimals;
      fc.pre(!String(number).includes('e'));
      expect(form.read({ weight: String(number), cart: {} })).toMatchObject({ data: { weight: number } });
    }),
  );
});

test('a form that throws while it is read, or that never ends, has an issue', () => {
  const endless: unknown[] = [];
  endless.push(endless, endless);
  const deep: Record<string, unknown> = {};
  deep['x'.repeat(1_000)] = deep;
  const hostile = [
    {
      get cart(): never {
        throw new Error('no');
      },
    },
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    ),
    Proxy.revocable({}, {}),
    { cart: deep },
    { getAll: () => [] },
    { cart: { items: Array.from({ length: 60_000 }, () => ({ sku: 'MUG' })) } },
  ];
  for (const values of hostile) expect(twoDecimals.read(values)).toMatchObject({ ok: false });
  expect(twoDecimals.read({ cart: endless })).toMatchObject({
    issues: [{ field: '', code: 'not_serializable' }],
  });
});

/** A `FormData` of these entries, in this order. */
function formData(...entries: readonly (readonly [name: string, value: string])[]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

const injectedNames = {
  React: ['$ACTION_1:0', '$ACTION_1:1', '$ACTION_KEY', '$ACTION_REF_1', '$ACTION_ID_40fa', '$ACTION_KEY:x'],
  Next: ['1_$ACTION_ID_40fa', '0', '1_order'],
  Remix: ['intent', '_action', 'index', '_index'],
  SvelteKit: ['sveltekit:trackUrl', '__superform_id', '__superform_json'],
  Astro: ['_astroAction', '_astroActionPayload'],
  Rails: ['authenticity_token', 'utf8', '_method', 'commit'],
  Django: ['csrfmiddlewaretoken', 'next', 'form-TOTAL_FORMS', 'form-INITIAL_FORMS'],
  Laravel: ['_token', '_previous'],
  Symfony: ['_csrf_token', 'order[_token]', 'order[submit]'],
  'ASP.NET': ['__RequestVerificationToken', '__VIEWSTATE', '__EVENTTARGET', '__EVENTVALIDATION'],
  Phoenix: ['_csrf_token', '_unused_order_id', '_target'],
  Spring: ['_csrf', '_require_shipping'],
  Drupal: ['form_build_id', 'form_token', 'form_id', 'op'],
  WordPress: ['_wpnonce', '_wp_http_referer', 'action'],
  Magento: ['form_key'],
  Shopify: ['form_type', 'utf8', '_shopify_y'],
  Express: ['_csrf', 'csrf', 'csrf_token', 'xsrfToken'],
  captchas: ['g-recaptcha-response', 'h-captcha-response', 'cf-turnstile-response', 'frc-captcha-solution'],
  'honeypots and buttons': ['website', 'fax', 'button', 'submit', 'save.x', 'save.y', ''],
  'code of a browser': ['isTrusted', 'MAX_FILE_SIZE', '_charset_', 'dirname'],
};

test.each(Object.entries(injectedNames))('what %s adds to a form is not sent, and is listed', (_, names) => {
  const fields = [
    ['order_id', 'A-1'],
    ['cart.items.0.sku', 'MUG'],
  ] as const;
  const secrets = names.map((name) => [name, `secret of ${name}`] as const);
  for (const form of [
    formData(...secrets, ...fields),
    new URLSearchParams([...fields, ...secrets].map(([name, value]): [string, string] => [name, value])),
  ])
    expect(twoDecimals.read(form)).toEqual({
      ok: true,
      data: { order_id: 'A-1', cart: { items: [{ sku: 'MUG' }] } },
      leftOut: names,
    });
});

test('whatever name a framework may add, only fields of the schema are sent, and no entry is lost without a word', () => {
  const known = ['order_id', 'user_identifier', 'require_shipping', 'hooks.terms_url', 'cart.items.0.sku'];
  const names = fc.oneof(
    fc.string(),
    fc.string().map((text) => `_${text}`),
    fc.stringMatching(/^[\w$:.[\]-]{1,20}$/),
  );
  fc.assert(
    fc.property(fc.uniqueArray(names, { maxLength: 6 }), (added) => {
      const entries = [...known, ...added].map((name) => [name, 'https://a.example'] as const);
      const result = twoDecimals.read(
        formData(...entries, ['require_shipping', 'on'], ['cart.items.0.sku', 'MUG']),
      );
      const sent = result.ok ? Object.keys(result.data) : [];
      expect(
        sent.filter(
          (name) =>
            !Object.keys(OrderUpdate.parse({ cart: {} }))
              .concat(documented)
              .includes(name),
        ),
      ).toEqual([]);
      if (!result.ok) return;
      const words = [...result.leftOut].join('\n');
      for (const name of added) expect(known.includes(name) || words.includes(name)).toBe(true);
    }),
  );
});
const documented = [
  'order_id',
  'purchase_currency',
  'cart',
  'require_shipping',
  'express_shipping',
  'shipping_address',
  'hooks',
  'user_session_id',
  'user_identifier',
];

test('fields that a definition declares are sent from a FormData, and undocumented ones inside documented objects', () => {
  const schema = defineOrderUpdate({
    metadata: ['note'],
    fields: { order: { _token: z.optional(z.string()) } },
  });
  const form = formData(
    ['note', 'gift'],
    ['_token', 'mine'],
    ['cart.coupon', 'SPRING'],
    ['shipping_address._method', 'x'],
    ['_csrf', 'secret'],
  );
  expect(createFormReader(schema).read(form)).toEqual({
    ok: true,
    data: { note: 'gift', _token: 'mine', cart: { coupon: 'SPRING' }, shipping_address: { _method: 'x' } },
    leftOut: ['_csrf'],
  });
});

test('lines from 0 without gaps are a list, where a form library would have one, declared or not', () => {
  const names = fc.uniqueArray(fc.constantFrom('street', 'lines', 'phones', 'zip'), { minLength: 1 });
  const text = fc.stringMatching(/^[a-z]{1,5}$/);
  const inner = fc.oneof(
    text,
    fc.array(text, { minLength: 1, maxLength: 12 }),
    fc.record({ first: text, last: text }),
  );
  const lists = fc.oneof(
    inner,
    fc.array(fc.record({ first: text, phones: fc.array(text, { minLength: 1 }) }), { minLength: 1 }),
  );
  const entriesOf = (value: unknown, name: string): readonly (readonly [string, string])[] =>
    typeof value === 'string'
      ? [[name, value]]
      : Object.entries(value as object).flatMap(([key, inside]) => entriesOf(inside, `${name}.${key}`));
  fc.assert(
    fc.property(
      names,
      fc.array(lists, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      (fields, values, isShuffled) => {
        const shipping_address = Object.fromEntries(fields.map((name, index) => [name, values[index]]));
        const entries = entriesOf({ cart: { coupons: ['a', 'b'] }, shipping_address }, '').map(
          ([name, value]) => [name.slice(1), value] as const,
        );
        const form = formData(...(isShuffled ? entries.toReversed() : entries));
        expect(twoDecimals.read(form)).toEqual({
          ok: true,
          data: { cart: { coupons: ['a', 'b'] }, shipping_address },
          leftOut: [],
        });
      },
    ),
  );
  // The values of a form library have their lists already.
  const values = { cart: {}, shipping_address: { floors: { 0: 'a', 2: 'b' } } };
  expect(twoDecimals.read(values)).toMatchObject({ data: values });
});

test('a misspelled field of a FormData is an issue, not left out', () => {
  expect(
    twoDecimals.read(formData(['cart.items.0.sku', 'MUG'], ['orderId', 'A-1'], ['terms_url', 'x'])),
  ).toMatchObject({
    issues: [
      { field: 'orderId', code: 'misspelled' },
      { field: 'terms_url', code: 'misplaced' },
    ],
  });
});

test('ignore names more that are not part of the order, also in the values of a form library', () => {
  const form = createFormReader(OrderUpdate, { ignore: ['csrf', 'orderId'] });
  const values = { csrf: 'secret', orderId: 'x', cart: { items: [{ sku: 'MUG' }] }, channel: 'web' };
  expect(form.read(values)).toEqual({
    ok: true,
    data: { cart: { items: [{ sku: 'MUG' }] }, channel: 'web' },
    leftOut: ['csrf', 'orderId'],
  });
  expect(form.read(formData(['orderId', 'x'], ['cart.items.0.sku', 'MUG']))).toMatchObject({
    ok: true,
    leftOut: ['orderId'],
  });
});

test.each<[name: string, entries: (readonly [string, string])[], field: string]>([
  [
    'an empty list after its lines',
    [
      ['cart.items.0.sku', 'MUG'],
      ['cart.items', ''],
    ],
    'cart.items',
  ],
  [
    'an empty list before its lines',
    [
      ['cart.items', ''],
      ['cart.items.0.sku', 'MUG'],
    ],
    'cart.items',
  ],
  [
    'an empty cart after its lines',
    [
      ['cart.items.0.sku', 'MUG'],
      ['cart', ''],
    ],
    'cart',
  ],
  [
    'text for the hooks beside one',
    [
      ['cart', ''],
      ['hooks', 'x'],
      ['hooks.terms_url', 'https://a.example'],
    ],
    'hooks',
  ],
  [
    'a line beside its fields',
    [
      ['cart.items.0', '[]'],
      ['cart.items.0.sku', 'MUG'],
    ],
    'cart.items.0',
  ],
  [
    'brackets beside dots',
    [
      ['cart[items][0][sku]', 'MUG'],
      ['cart.items', ''],
    ],
    'cart.items',
  ],
  [
    'an address beside its parts',
    [
      ['cart.x', '1'],
      ['shipping_address', '-'],
      ['shipping_address.zip', '1'],
    ],
    'shipping_address',
  ],
  [
    'one field twice with different text',
    [
      ['cart.items.0.sku', 'MUG'],
      ['cart.items.0.sku', 'CUP'],
    ],
    'cart.items.0.sku',
  ],
  [
    'one field in two spellings',
    [
      ['cart.items.0.sku', 'MUG'],
      ['cart[items][0][sku]', 'CUP'],
    ],
    'cart.items.0.sku',
  ],
  [
    'a list in the spelling of PHP',
    [
      ['cart.x', '1'],
      ['shipping_address.street[]', 'a'],
      ['shipping_address.street[]', 'b'],
    ],
    'shipping_address.street',
  ],
  [
    'a price and a blank one',
    [
      ['cart.items.0.unit_price', '1.00'],
      ['cart.items.0.unit_price', ''],
    ],
    'cart.items.0.unit_price',
  ],
  [
    'a list with a gap, where no list is declared',
    [
      ['cart.x', '1'],
      ['shipping_address.street.0', 'a'],
      ['shipping_address.street.2', 'b'],
    ],
    'shipping_address.street',
  ],
  [
    'numbers that are no places of a list, where no list is declared',
    [
      ['cart.x', '1'],
      ['shipping_address.floors.12', 'a'],
    ],
    'shipping_address.floors',
  ],
  [
    'a place with a zero before it, where no list is declared',
    [
      ['cart.items.0.options[00]', 'a'],
      ['cart.items.0.options[01]', 'b'],
    ],
    'cart.items.0.options',
  ],
])('%s is refused, whatever its order', (_, entries, field) => {
  for (const form of [formData(...entries), formData(...entries.toReversed())])
    expect(twoDecimals.read(form)).toMatchObject({
      ok: false,
      issues: [
        {
          field,
          code: 'ambiguous_field',
          message: `${field} has several values: name its inputs differently.`,
        },
      ],
    });
  expect(twoDecimals.resolver(formData(...entries)).errors).not.toEqual({});
});

test('a field that is there twice with the same text is one', () => {
  expect(twoDecimals.read(formData(['cart.items.0.sku', 'MUG'], ['cart.items.0.sku', 'MUG']))).toMatchObject({
    ok: true,
  });
});

test.each([
  ...['on', 'true', '1', 'yes', 'TRUE', ' True ', 'Yes', 'ON', true, 1].map(
    (value) => [value, true] as const,
  ),
  ...['false', '0', 'no', 'off', 'FALSE', 'No', false, 0].map((value) => [value, false] as const),
])('the choice %j is sent as %j', (require_shipping, sent) => {
  expect(twoDecimals.read({ cart: {}, require_shipping })).toMatchObject({
    data: { require_shipping: sent },
  });
});

test.each([
  ['Rails', ['0', '1'], true],
  ['Rails, not checked', ['0'], false],
  ['ASP.NET, whose hidden field comes last', ['true', 'false'], true],
  ['ASP.NET, not checked', ['false'], false],
  ['a hidden false', ['false', 'on'], true],
  ['a hidden blank', ['', 'on'], true],
  ['a hidden blank, not checked', [''], undefined],
  ['Spring', ['true', 'on'], true],
] as const)('a check box with a hidden companion, as of %s', (_, values, sent) => {
  const form = formData(['cart.x', '1'], ...values.map((value) => ['require_shipping', value] as const));
  const result = twoDecimals.read(form);
  expect(result.ok && result.data.require_shipping).toBe(sent);
});

const german = { decimals: 2, decimalSeparator: ',', groupSeparator: '.' } as const;
const swiss = { decimals: 2, decimalSeparator: '.', groupSeparator: "'" } as const;
const swedish = { decimals: 2, decimalSeparator: ',', groupSeparator: ' ' } as const;
const english = { decimals: 2, decimalSeparator: '.', groupSeparator: ',' } as const;

test.each<[amounts: AmountOptions, text: string, sent: unknown]>([
  [german, '1.299,00', 129_900],
  [german, '1.299', 129_900],
  [german, '1299,5', 129_950],
  [german, '-12.345.678,90', -1_234_567_890],
  [german, '12.99', 'group_separator'],
  [german, '1299.00', 'group_separator'],
  [german, '1,299', 'too_many_decimals'],
  [german, '1,299.00', 'group_separator'],
  [german, '0.299', 'group_separator'],
  [german, '1.29.900', 'group_separator'],
  [german, '1234.567', 'group_separator'],
  [german, '1.2345', 'group_separator'],
  [german, '1 299,00', 'group_separator'],
  [german, '1.299.', 'invalid_amount'],
  [swiss, "1'299.50", 129_950],
  [swiss, '1’299.50', 129_950],
  [swiss, '12‘345’678.50', 1_234_567_850],
  [swiss, '1ʼ299.50', 129_950],
  [swiss, '-1′299.50', -129_950],
  [swiss, '1‘29.50', 'group_separator'],
  [swiss, '1_299.50', 'invalid_amount'],
  [german, '1ʼ299,00', 'group_separator'],
  [swiss, '1,50', 'group_separator'],
  [swedish, '1 299,00', 129_900],
  [swedish, '1\u00a0299,00', 129_900],
  [swedish, '1\u202f299,00', 129_900],
  [swedish, '1 29,00', 'group_separator'],
  [english, '1,299.00', 129_900],
  [english, '1,299', 129_900],
  [english, '1,29', 'group_separator'],
  [english, '1.299', 'too_many_decimals'],
  [english, '12,34,567.89', 123_456_789],
  [english, '1,234,56', 'group_separator'],
  [{ ...german, decimals: 0 }, '1.299', 1_299],
  [{ ...german, decimals: 3 }, '1.299', 1_299_000],
  [{ ...german, decimals: 3 }, '1,299', 1_299],
])('with %j, %j is read as %j', (amounts, text, sent) => {
  expect(readPrice(text, amounts)).toBe(sent);
});

const table = { EUR: 2, JPY: 0, KWD: 3 };
const byCurrency = createFormReader(OrderUpdate, { amounts: { decimals: table, decimalSeparator: '.' } });
const inCurrency = (purchase_currency: unknown, unit_price: unknown): unknown => {
  const result = byCurrency.read({ purchase_currency, cart: { items: [{ unit_price }] } });
  return result.ok ? result.data.cart.items?.[0]?.unit_price : result.issues.map(({ code }) => code).join();
};

test.each([
  ['EUR', '12.99', 1_299],
  ['EUR', '12.999', 'too_many_decimals'],
  ['JPY', '1299', 1_299],
  ['JPY', '1.299', 'too_many_decimals'],
  ['JPY', 1299, 1_299],
  ['KWD', '1.299', 1_299],
  ['KWD', '1299', 1_299_000],
  ['KWD', 1.299, 'ambiguous_amount'],
  ['SEK', '12.99', 'unknown_decimals'],
  ['', '12.99', 'unknown_decimals'],
  [undefined, '1299', 'unknown_decimals'],
  ['XYZ', '12.99', 'invalid_currency,unknown_decimals'],
  ['eur', '12.99', 'invalid_currency,unknown_decimals'],
  ['constructor', '12.99', 'invalid_currency,unknown_decimals'],
  [{}, 1299, 'unknown_decimals'],
  [['EUR'], 1299, 'invalid_type,unknown_decimals'],
])('decimals by the currency of the form: in %j, %j is read as %j', (currency, amount, sent) => {
  expect(inCurrency(currency, amount)).toBe(sent);
});

test('decimals by currency: messages have the decimals of the currency, or say what is missing', () => {
  const messageIn = (purchase_currency: string, unit_price: string): string | undefined => {
    const result = byCurrency.read({ purchase_currency, cart: { items: [{ unit_price }] } });
    return result.ok ? undefined : result.issues[0]?.message;
  };
  expect(messageIn('JPY', '1.5')).toBe(
    'Write an amount without thousands separators, and with 0 decimals, such as 1299.',
  );
  expect(messageIn('KWD', 'ten')).toBe('Write an amount such as 1299.000.');
  expect(messageIn('', '1.5')).toBe('Choose the currency first: it decides the decimals.');
  expect(messageIn('SEK', '1.5')).toBe('The decimals of SEK are not declared.');
});

test('decimals by currency: a currency that is written after the amounts counts, and a quantity needs none', () => {
  const form = formData(
    ['cart.items.0.unit_price', '12.99'],
    ['cart.items.0.quantity', '2'],
    ['purchase_currency', 'EUR'],
  );
  expect(byCurrency.read(form)).toMatchObject({
    data: { cart: { items: [{ unit_price: 1_299, quantity: 2 }] } },
  });
  expect(byCurrency.read({ cart: { items: [{ quantity: '2' }] } })).toMatchObject({ ok: true });
});

test('formatAmount needs the currency where decimals are declared by currency', () => {
  expect(byCurrency.formatAmount(1_299, 'EUR')).toBe('12.99');
  expect(byCurrency.formatAmount(1_299, 'JPY')).toBe('1299');
  expect(byCurrency.formatAmount(1_299, 'KWD')).toBe('1.299');
  expect(twoDecimals.formatAmount(1_299, 'JPY')).toBe('12.99');
  for (const currency of [undefined, 'SEK', 'constructor'])
    expect(() => byCurrency.formatAmount(1_299, currency)).toThrow(
      new TypeError(`formatAmount: got ${currency}. Pass a currency of the table.`),
    );
});

test('any amount in any currency of ISO 4217, written with any declared separators, is read back', () => {
  const decimals = isoDecimals();
  const separators: readonly [
    decimal: '.' | ',',
    group: '.' | ',' | ' ' | "'",
    written: readonly string[],
  ][] = [
    ['.', ',', [',']],
    [',', '.', ['.']],
    [',', ' ', [' ', '\u00a0', '\u202f', '\u2009']],
    ['.', "'", ["'", '\u2018', '\u2019', '\u02bc', '\u2032']],
    ['.', ' ', [' ', '\u00a0']],
  ];
  const marks = fc
    .constantFrom(...separators)
    .chain(([decimal, group, written]) =>
      fc.tuple(fc.constant(decimal), fc.constant(group), fc.constantFrom(...written)),
    );
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(decimals)),
      safeInteger,
      marks,
      (code, amount, [decimalSeparator, groupSeparator, mark]) => {
        const form = createFormReader(OrderUpdate, {
          amounts: { decimals, decimalSeparator, groupSeparator },
        });
        const written = form.formatAmount(amount, code);
        const [whole = '', fraction = ''] = written.split(decimalSeparator);
        const grouped = whole.replace(/\B(?=(\d{3})+$)/g, mark) + (fraction && decimalSeparator + fraction);
        for (const unit_price of [written, grouped])
          expect(form.read({ purchase_currency: code, cart: { items: [{ unit_price }] } })).toMatchObject({
            data: { cart: { items: [{ unit_price: amount }] } },
          });
      },
    ),
  );
});

test.each<[amounts: object, advice: string]>([
  [{ decimals: 2, groupSeparator: '.' }, 'write decimalSeparator as "." or ",".'],
  [{ decimals: { KWD: 3 } }, 'write decimalSeparator as "." or ",".'],
  [
    { decimals: 2, decimalSeparator: ',', groupSeparator: ',' },
    'write groupSeparator as another of ".", ",", " " and "\'", or leave it out.',
  ],
  [
    { decimals: 2, decimalSeparator: ',', groupSeparator: '_' },
    'write groupSeparator as another of ".", ",", " " and "\'", or leave it out.',
  ],
  ...[{ EUR: '2' }, { EUR: -1 }, {}, null, [2]].map((decimals): [object, string] => [
    { decimals, decimalSeparator: '.' },
    'write decimals as an integer from 0 to 15, or a table by currency.',
  ]),
])('the amounts %j are refused at once', (amounts, advice) => {
  expect(() => createFormReader(OrderUpdate, { amounts } as FormReaderOptions)).toThrow(
    new TypeError(`createFormReader: amounts: ${advice}`),
  );
});

test('decimals by currency need a schema with a currency', () => {
  expect(() => createFormReader(CartItem, { amounts: { decimals: { EUR: 2 } } })).toThrow(
    new TypeError(
      'createFormReader: amounts: write decimals as an integer: the schema has no purchase_currency.',
    ),
  );
});

test.each<[name: string, entries: (readonly [string, string])[], isOk: boolean]>([
  ['many unknown names', Array.from({ length: 60_000 }, (_, index) => [`x${index}`, '1']), true],
  ['one unknown name many times', Array.from({ length: 60_000 }, () => ['_token', '1']), true],
  ['one field many times', Array.from({ length: 60_000 }, (_, index) => ['order_id', `${index}`]), false],
  ['a name of many parts', [[`cart${'.a'.repeat(60_000)}`, '1']], false],
  ['many parts, all unknown', [[`x${'.a'.repeat(60_000)}`, '1']], true],
  [
    'many misspellings',
    Array.from({ length: 20_000 }, (_, index) => [`order_i${String.fromCodePoint(200 + index)}`, '1']),
    false,
  ],
])('%s in a FormData are read in one pass', (_, entries, isOk) => {
  const result = twoDecimals.read(formData(['cart.items.0.sku', 'MUG'], ...entries));
  expect(result.ok).toBe(isOk);
});

test('every option of a form that may be left out may be undefined, and then counts as left out', () => {
  const none = { amounts: undefined, newLine: undefined, ignore: undefined };
  const signs = { decimals: 2, decimalSeparator: undefined, groupSeparator: undefined };
  const values = { cart: { items: [{ unit_price: '258.00' }] } };
  const [plain, own] = [{ amounts: { decimals: 2 } }, { ...none, amounts: signs }].map((options) =>
    createFormReader(OrderUpdate, options).read(values),
  );
  expect(own).toEqual(plain);
  expect(createFormReader(OrderUpdate, none).read(values)).toEqual(
    createFormReader(OrderUpdate).read(values),
  );
});
