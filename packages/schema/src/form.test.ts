import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { inFull } from '../../../.ci/in-full.ts';
import { anyValue } from '../test/any-value.ts';
import { type AmountOptions, createFormReader, type FormReaderOptions } from './form.ts';
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
    new TypeError('Expected an integer, got 258.5. Pass the integer that is sent.'),
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

test.each([
  ['on', true],
  ['true', true],
  [true, true],
  ['false', false],
  [false, false],
])('the checkbox value %j is sent as %j', (require_shipping, sent) => {
  expect(twoDecimals.read({ cart: {}, require_shipping })).toMatchObject({
    data: { require_shipping: sent },
  });
});

test.each([['yes'], ['constructor'], [1], [['true']]])('%j is not a choice', (require_shipping) => {
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
    (amounts) =>
      [
        amounts,
        'Write decimals as an integer from 0 to 15: how many decimals of an amount are part of the integer that is sent.',
      ] as const,
  ),
  ...[{ decimals: 3 }, { decimals: 2, decimalSeparator: ' ' }].map(
    (amounts) => [amounts, 'Write decimalSeparator as "." or ",", as the form has it.'] as const,
  ),
])('the amounts %j are a TypeError that keeps what is right in them', (amounts, advice) => {
  expect(() => createFormReader(OrderUpdate, { amounts } as unknown as FormReaderOptions)).toThrow(
    new TypeError(`createFormReader: amounts: cannot use ${JSON.stringify(amounts)}. ${advice}`),
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
        for (const { code, message } of result.issues) {
          expect(code).toMatch(/^[a-z_]+$/);
          expect(message).toMatch(/[.?]$/);
        }
      }
    }),
    { numRuns: inFull ? 400 : 150 },
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
