import type { OrderUpdateDefinition } from '../src/index.ts';
import type { Problem } from './problems.ts';

/** One body as data, and its problems: none when it passes. */
export interface BodyCase {
  readonly name: string;
  readonly body: unknown;
  readonly problems: readonly Problem[];
  /** JSON Schema accepts this one: it cannot compare names, and has none of our limits. */
  readonly beyondJsonSchema?: true;
}

/** The documented request body: every field that the API reference names. */
export const documentedExample = {
  order_id: 'merchant-order-1001',
  purchase_currency: 'NOK',
  cart: {
    items: [
      {
        type: 'physical',
        sku: 'MUG-BLUE-01',
        name: 'Blue mug',
        quantity: 2,
        unit_price: 14900,
        discount_rate: 0,
        vat_amount: 5960,
      },
      {
        type: 'shipping_fee',
        sku: 'SHIP-1',
        name: 'Shipping',
        quantity: 1,
        unit_price: 4900,
        discount_rate: 0,
        vat_amount: 980,
      },
    ],
  },
  require_shipping: true,
  express_shipping: false,
  shipping_address: { street: 'Storgata 1', city: 'Oslo' },
  hooks: {
    user_return_url_on_success: 'https://shop.example/success',
    user_return_url_on_fail: 'https://shop.example/fail',
    terms_url: 'https://shop.example/terms',
    webhook_url: 'https://shop.example/webhooks',
  },
  user_session_id: 'session-7f3a9c',
  user_identifier: 'customer-42',
};

/** The definition that `definedBodies` are checked by. */
export const definition = {
  metadata: ['meta_1', 'meta_2'],
  totalAmount: 'total',
  vatAmount: 'vat',
  qrSessionId: 'qr_session',
  currencies: ['EUR', 'NOK'],
} as const satisfies OrderUpdateDefinition;

const cart = {};
const whole = (value: number): string =>
  `Amounts, rates and quantities are whole numbers, and ${value} is not: round it, or check its unit.`;
const range = 'Write a number in this range, or check its unit.';
const notNull = 'Write a value; an optional field is left out, not null.';
const wholeAddress = 'Write the whole URL without spaces, starting with https://, or leave it out.';
const listed = 'Write a listed code such as "AED".';
const notText = 'Write an object, not text; parse JSON text first.';

const line = (item: object): object => ({ cart: { items: [item] } });
const hooks = (fields: object): object => ({ cart, hooks: fields });
const pass = (name: string, body: unknown): BodyCase => ({ name, body, problems: [] });
const refuse = (name: string, body: unknown, ...problems: Problem[]): BodyCase => ({ name, body, problems });
const misspelled = (name: string, body: unknown, path: string, meant: string): BodyCase => ({
  name,
  body,
  problems: [[path, 'misspelled', `Did you mean ${meant}?`]],
  beyondJsonSchema: true,
});

/** Bodies that `OrderUpdate` accepts. */
export const validBodies: readonly BodyCase[] = [
  pass('the documented example', documentedExample),
  pass('an empty cart', { cart }),
  pass('an empty list of items', { cart: { items: [] } }),
  pass('an empty line', line({})),
  pass('an undocumented item type', line({ type: 'fee' })),
  pass(
    'negative and zero amounts',
    line({ quantity: 0, unit_price: -500, discount_rate: -1, vat_amount: -100 }),
  ),
  pass('negative zero', line({ unit_price: -0 })),
  pass('the largest exact integers', line({ unit_price: 2 ** 53 - 1, vat_amount: 1 - 2 ** 53 })),
  pass('an order_id of 255 letters', { cart, order_id: 'a'.repeat(255) }),
  pass('an order_id of 255 emoji', { cart, order_id: '🧡'.repeat(255) }),
  pass('an order_id of 255 lone surrogates', { cart, order_id: '\ud800'.repeat(255) }),
  pass('empty strings where any string passes', {
    order_id: '',
    user_identifier: '',
    ...line({ sku: '', name: '' }),
  }),
  pass('lone surrogates', { note: '\udfff', ...line({ name: 'half \ud83d emoji', '\ud800': 1 }) }),
  pass(
    'return URLs of an app',
    hooks({ user_return_url_on_success: 'myapp://paid', user_return_url_on_fail: 'my.app+x-1:fail' }),
  ),
  pass(
    'return URLs of other schemes',
    hooks({
      user_return_url_on_success: 'intent://pay#Intent;end',
      user_return_url_on_fail: 'file:///a',
    }),
  ),
  pass(
    'placeholders in URLs',
    hooks({
      user_return_url_on_success: 'https://shop.example/{order_token}?s={session_id}',
      webhook_url: 'https://shop.example/hooks/{event}',
    }),
  ),
  pass(
    'a scheme in upper case',
    hooks({ terms_url: 'HTTPS://shop.example', webhook_url: 'Http://shop.example:8080' }),
  ),
  pass('letters outside ASCII in a URL', hooks({ terms_url: 'https://büro.example/vilkår' })),
  pass(
    'a return URL whose scheme only begins like a refused one',
    hooks({ user_return_url_on_fail: 'javascripts:x' }),
  ),
  pass('an empty shipping address', { cart, shipping_address: {} }),
  pass('any inner fields of a shipping address', {
    cart,
    shipping_address: { orderId: 1, cart: null, lines: ['a', { b: [] }] },
  }),
  pass('unknown fields at every level', {
    vat_amount: 'any',
    merchant_order_id: 'm',
    fulfill: true,
    '': null,
    constructor: {},
    sum: 1.5,
    cart: { coupon: { code: null }, items: [{ colour: ['red'], weight: 0.25 }] },
    hooks: { cancel_url: 'anything' },
  }),
  pass('short unknown names next to short documented ones', {
    cards: 1,
    hook: 2,
    ...line({ names: 'x', typ: 'x' }),
  }),
  pass('a misspelling beside the field meant', { cart, order_id: 'a', orderId: 'b' }),
  pass('a misspelling by two edits', {
    cart,
    shiping_adress: {},
    shipping_address_22: {},
    ...line({ quatniyt: 1 }),
  }),
  pass('one edit in a short name', { cart: { item: [] }, hook: {}, carts: {}, _: 1 }),
  pass('hooks and items in other places than the top', {
    cart: { webhook_url: 1 },
    hooks: { items: 1, billing_address: 1 },
  }),
];

/** Bodies that `OrderUpdate` refuses, and why. */
export const invalidBodies: readonly BodyCase[] = [
  refuse('no cart', {}, ['cart', 'required', 'Add cart: { items: [] }.']),
  refuse('a list for a body', [], ['', 'invalid_type', 'Write an object.']),
  refuse('null for a body', null, ['', 'invalid_type', notNull]),
  refuse('a string for a body', '{"cart":{}}', ['', 'invalid_type', notText]),
  refuse('null for the cart', { cart: null }, ['cart', 'invalid_type', notNull]),
  refuse('a list for the cart', { cart: [] }, ['cart', 'invalid_type', 'Write an object.']),
  refuse('an object for the items', { cart: { items: {} } }, ['cart.items', 'invalid_type', 'Write a list.']),
  refuse('null among the items', { cart: { items: [{}, null] } }, ['cart.items[1]', 'invalid_type', notNull]),
  refuse('an order_id of 256 characters', { cart, order_id: 'a'.repeat(256) }, [
    'order_id',
    'too_long',
    'Shorten it by 1.',
  ]),
  refuse('an order_id of 300 emoji', { cart, order_id: '🧡'.repeat(300) }, [
    'order_id',
    'too_long',
    'Shorten it by 45.',
  ]),
  refuse('a number for order_id', { cart, order_id: 1001 }, [
    'order_id',
    'invalid_type',
    'Write "1001", in quotes.',
  ]),
  refuse('a numeric sku', line({ sku: 12 }), ['cart.items[0].sku', 'invalid_type', 'Write "12", in quotes.']),
  refuse('true for a name', line({ name: true }), [
    'cart.items[0].name',
    'invalid_type',
    'Write "true", in quotes.',
  ]),
  refuse('a list for a name', line({ name: ['a'] }), [
    'cart.items[0].name',
    'invalid_type',
    'Write a string.',
  ]),
  refuse('a quantity in quotes', line({ quantity: '2' }), [
    'cart.items[0].quantity',
    'invalid_type',
    'Write 2, without quotes.',
  ]),
  refuse('a price in words', line({ unit_price: '399,79 kr' }), [
    'cart.items[0].unit_price',
    'invalid_type',
    'Write an integer.',
  ]),
  refuse('true for an integer', line({ discount_rate: true }), [
    'cart.items[0].discount_rate',
    'invalid_type',
    'Write an integer.',
  ]),
  refuse('a fraction', line({ unit_price: 399.79999 }), [
    'cart.items[0].unit_price',
    'not_integer',
    whole(399.79999),
  ]),
  refuse('a rate as a fraction', line({ discount_rate: 0.25 }), [
    'cart.items[0].discount_rate',
    'not_integer',
    whole(0.25),
  ]),
  refuse('an integer that JavaScript cannot hold exactly', line({ vat_amount: 2 ** 53 }), [
    'cart.items[0].vat_amount',
    'out_of_range',
    range,
  ]),
  refuse('true in quotes', { cart, require_shipping: 'true' }, [
    'require_shipping',
    'invalid_type',
    'Write true, without quotes.',
  ]),
  refuse('yes for a boolean', { cart, express_shipping: 'yes' }, [
    'express_shipping',
    'invalid_type',
    'Write true or false.',
  ]),
  refuse('1 for a boolean', { cart, express_shipping: 1 }, [
    'express_shipping',
    'invalid_type',
    'Write true or false.',
  ]),
  refuse('a currency in lower case', { cart, purchase_currency: 'usd' }, [
    'purchase_currency',
    'invalid_currency',
    'Write "USD".',
  ]),
  refuse('a currency with a space', { cart, purchase_currency: ' SEK' }, [
    'purchase_currency',
    'invalid_currency',
    'Write "SEK".',
  ]),
  refuse('a currency that does not exist', { cart, purchase_currency: 'ZZZ' }, [
    'purchase_currency',
    'invalid_currency',
    listed,
  ]),
  refuse('a currency by number', { cart, purchase_currency: 978 }, [
    'purchase_currency',
    'invalid_type',
    'Write "978", in quotes.',
  ]),
  refuse('an address in one line', { cart, shipping_address: 'Storgata 1' }, [
    'shipping_address',
    'invalid_type',
    notText,
  ]),
  refuse('a list for an address', { cart, shipping_address: [] }, [
    'shipping_address',
    'invalid_type',
    'Write an object.',
  ]),
  refuse('a URL for the hooks', { cart, hooks: 'https://shop.example' }, ['hooks', 'invalid_type', notText]),
  ...[
    'order_id',
    'purchase_currency',
    'require_shipping',
    'express_shipping',
    'shipping_address',
    'hooks',
    'user_session_id',
    'user_identifier',
  ].map((field) => refuse(`null for ${field}`, { cart, [field]: null }, [field, 'invalid_type', notNull])),
  ...['type', 'sku', 'name', 'quantity', 'unit_price', 'discount_rate', 'vat_amount'].map((field) =>
    refuse(`null for the ${field} of a line`, line({ [field]: null }), [
      `cart.items[0].${field}`,
      'invalid_type',
      notNull,
    ]),
  ),
  refuse('null for the items', { cart: { items: null } }, ['cart.items', 'invalid_type', notNull]),
  ...['user_return_url_on_success', 'user_return_url_on_fail', 'terms_url', 'webhook_url'].flatMap(
    (field) => [
      refuse(`null for ${field}`, hooks({ [field]: null }), [`hooks.${field}`, 'invalid_type', notNull]),
      ...[
        '',
        '/done',
        'done.html',
        '//shop.example/done',
        '?a=1',
        'https://shop.example/a b',
        ' https://shop.example',
        'https://shop.example\n',
        'javascript:alert(1)',
        'JavaScript:alert(1)',
        'DATA:text/html,x',
        'data:,x',
        '\u0001javascript:x',
        'java\nscript:x',
      ].map((url) =>
        refuse(`${JSON.stringify(url)} for ${field}`, hooks({ [field]: url }), [
          `hooks.${field}`,
          'invalid_url',
          wholeAddress,
        ]),
      ),
    ],
  ),
  ...['terms_url', 'webhook_url'].flatMap((field) =>
    [
      'ftp://shop.example',
      'myapp://terms',
      'mailto:a@shop.example',
      'https:shop.example',
      'https:///terms',
      'https://?a',
      'https://#a',
      'httpss://shop.example',
      'xhttps://shop.example',
    ].map((url) =>
      refuse(`${url} for ${field}`, hooks({ [field]: url }), [`hooks.${field}`, 'invalid_url', wholeAddress]),
    ),
  ),
  ...['user_return_url_on_success', 'user_return_url_on_fail', 'terms_url', 'webhook_url'].map((field) =>
    refuse(`${field} at the top`, { cart, [field]: 'https://shop.example' }, [
      field,
      'misplaced',
      `Move it to hooks.${field}.`,
    ]),
  ),
  refuse('items at the top', { cart, items: [] }, ['items', 'misplaced', 'Move it to cart.items.']),
  refuse(
    'a misplaced field whose home has one already',
    { cart, terms_url: 1, hooks: { terms_url: 'https://shop.example' } },
    ['terms_url', 'misplaced', 'Move it to hooks.terms_url.'],
  ),
  refuse('a billing address', { cart, billing_address: {} }, [
    'billing_address',
    'not_supported',
    'Leave it out: the checkout page or the separate payment interface sets it.',
  ]),
  misspelled('a letter left out', { cart, shipping_adress: {} }, 'shipping_adress', 'shipping_address'),
  misspelled('a letter added', { cart, shippings_address: {} }, 'shippings_address', 'shipping_address'),
  misspelled('a letter replaced', { cart, user_identifyer: 'a' }, 'user_identifyer', 'user_identifier'),
  misspelled('two letters swapped', line({ qauntity: 1 }), 'cart.items[0].qauntity', 'quantity'),
  misspelled(
    'the first letter left out',
    { cart, hipping_address: {} },
    'hipping_address',
    'shipping_address',
  ),
  misspelled('camel case', { cart, orderId: 'a' }, 'orderId', 'order_id'),
  misspelled('camel case and one edit', { cart, shippingAdress: {} }, 'shippingAdress', 'shipping_address'),
  misspelled('more underscores', { cart, ORDER__ID_: 'a' }, 'ORDER__ID_', 'order_id'),
  misspelled('upper case', { cart, ORDER_ID: 'a' }, 'ORDER_ID', 'order_id'),
  misspelled('camel case in a short name', { cart: { Items: [] } }, 'cart.Items', 'items'),
  misspelled('camel case in a line', line({ unitPrice: 1 }), 'cart.items[0].unitPrice', 'unit_price'),
  misspelled(
    'camel case in the hooks',
    hooks({ webhookUrl: 'https://shop.example' }),
    'hooks.webhookUrl',
    'webhook_url',
  ),
  misspelled(
    'one edit in the hooks',
    hooks({ terms_uri: 'https://shop.example' }),
    'hooks.terms_uri',
    'terms_url',
  ),
  {
    ...refuse('a field named __proto__', JSON.parse('{"cart":{"__proto__":{}}}'), [
      'cart.__proto__',
      'not_serializable',
      'Leave it out.',
    ]),
    beyondJsonSchema: true,
  },
  refuse(
    'several problems at once',
    {
      order_id: 5,
      cart: { items: [{ quantity: 1.5 }, { unit_price: '3' }] },
      items: [],
      billing_address: {},
    },
    ['order_id', 'invalid_type', 'Write "5", in quotes.'],
    ['cart.items[0].quantity', 'not_integer', whole(1.5)],
    ['cart.items[1].unit_price', 'invalid_type', 'Write 3, without quotes.'],
    ['items', 'misplaced', 'Move it to cart.items.'],
    [
      'billing_address',
      'not_supported',
      'Leave it out: the checkout page or the separate payment interface sets it.',
    ],
  ),
];

/** Bodies for the schema that `defineOrderUpdate(definition)` makes. */
export const definedBodies: readonly BodyCase[] = [
  pass('every defined field', {
    cart,
    meta_1: 'a',
    meta_2: '',
    total: 2 ** 31 - 1,
    vat: -(2 ** 31),
    qr_session: 'q',
  }),
  pass('a listed currency', { cart, purchase_currency: 'EUR' }),
  refuse('a currency that is not listed', { cart, purchase_currency: 'USD' }, [
    'purchase_currency',
    'invalid_currency',
    'Write EUR or NOK.',
  ]),
  refuse('a listed currency in lower case', { cart, purchase_currency: 'nok' }, [
    'purchase_currency',
    'invalid_currency',
    'Write "NOK".',
  ]),
  refuse('a total of 2^31', { cart, total: 2 ** 31 }, ['total', 'out_of_range', range]),
  refuse('a VAT amount below int32', { cart, vat: -(2 ** 31) - 1 }, ['vat', 'out_of_range', range]),
  refuse('a fraction of a total', { cart, total: 10.5 }, ['total', 'not_integer', whole(10.5)]),
  refuse('a total in quotes', { cart, total: '10' }, ['total', 'invalid_type', 'Write 10, without quotes.']),
  refuse('metadata of 256 characters', { cart, meta_2: 'x'.repeat(256) }, [
    'meta_2',
    'too_long',
    'Shorten it by 1.',
  ]),
  refuse('a number for metadata', { cart, meta_1: 7 }, ['meta_1', 'invalid_type', 'Write "7", in quotes.']),
  refuse('null for a session identifier', { cart, qr_session: null }, [
    'qr_session',
    'invalid_type',
    notNull,
  ]),
  misspelled('a misspelling of a defined name', { cart, qrSession: 'q' }, 'qrSession', 'qr_session'),
];
