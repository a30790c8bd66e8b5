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
  `Amounts, rates and quantities are whole numbers: check the unit of ${value} before you round it.`;
const range = 'Write a number in this range, or check its unit.';
const notNull = 'Write a value; an optional field is left out, not null.';
const wholeAddress = 'Write the whole URL without spaces, with its scheme such as https://, or leave it out.';
const listed = 'Write the listed code, if the amounts are in it.';
const notText = 'Write an object, not text; parse JSON text first.';

const line = (item: object): object => ({ cart: { items: [item] } });
const hooks = (fields: object): object => ({ cart, hooks: fields });
const pass = (name: string, body: unknown): BodyCase => ({ name, body, problems: [] });
const refuse = (name: string, body: unknown, ...problems: Problem[]): BodyCase => ({ name, body, problems });
/** Refused for its one field beside the cart, for the one field of its line, or of its hooks. */
const refuseField = (name: string, field: object, code: string, hint: string): BodyCase =>
  refuse(name, { cart, ...field }, [Object.keys(field).join(), code, hint]);
const refuseInLine = (name: string, field: object, code: string, hint: string): BodyCase =>
  refuse(name, line(field), [`cart.items[0].${Object.keys(field).join()}`, code, hint]);
const refuseInHooks = (name: string, field: object, code: string, hint: string): BodyCase =>
  refuse(name, hooks(field), [`hooks.${Object.keys(field).join()}`, code, hint]);
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

const hookNames = Object.keys(documentedExample.hooks);
const incompleteUrls = ['', '/done', 'done.html', '//shop.example/done', '?a=1'];
const spacedUrls = ['https://shop.example/a b', ' https://shop.example', 'https://shop.example\n'];
const scriptUrls = [
  ...['javascript:alert(1)', 'JavaScript:alert(1)', 'DATA:text/html,x', 'data:,x'],
  ...['\u0001javascript:x', 'java\nscript:x'],
];
const otherSchemes = [
  ...['ftp://shop.example', 'myapp://terms', 'mailto:a@shop.example'],
  ...['httpss://shop.example', 'xhttps://shop.example'],
];
const hostlessUrls = ['https:shop.example', 'https:///terms', 'https://?a', 'https://#a'];

/** Bodies that `OrderUpdate` refuses, and why. */
export const invalidBodies: readonly BodyCase[] = [
  refuse('no cart', {}, ['cart', 'required', 'Add cart, with every line of the order.']),
  refuse('a list for a body', [], ['', 'invalid_type', 'Write an object.']),
  refuse('null for a body', null, ['', 'invalid_type', notNull]),
  refuse('a string for a body', '{"cart":{}}', ['', 'invalid_type', notText]),
  refuse('null for the cart', { cart: null }, ['cart', 'invalid_type', notNull]),
  refuse('a list for the cart', { cart: [] }, ['cart', 'invalid_type', 'Write an object.']),
  refuse('an object for the items', { cart: { items: {} } }, ['cart.items', 'invalid_type', 'Write a list.']),
  refuse('null among the items', { cart: { items: [{}, null] } }, ['cart.items[1]', 'invalid_type', notNull]),
  refuseField('an order_id of 256 characters', { order_id: 'a'.repeat(256) }, 'too_long', 'Shorten it by 1.'),
  refuseField('an order_id of 300 emoji', { order_id: '🧡'.repeat(300) }, 'too_long', 'Shorten it by 45.'),
  refuseField('a number for order_id', { order_id: 1001 }, 'invalid_type', 'Write "1001", in quotes.'),
  refuseInLine('a numeric sku', { sku: 12 }, 'invalid_type', 'Write "12", in quotes.'),
  refuseInLine('true for a name', { name: true }, 'invalid_type', 'Write "true", in quotes.'),
  refuseInLine('a list for a name', { name: ['a'] }, 'invalid_type', 'Write a string.'),
  refuseInLine('a quantity in quotes', { quantity: '2' }, 'invalid_type', 'Write 2, without quotes.'),
  refuseInLine('a price in words', { unit_price: '399,79 kr' }, 'invalid_type', 'Write an integer.'),
  refuseInLine('true for an integer', { discount_rate: true }, 'invalid_type', 'Write an integer.'),
  refuseInLine('a fraction', { unit_price: 399.79999 }, 'not_integer', whole(399.79999)),
  refuseInLine('a rate as a fraction', { discount_rate: 0.25 }, 'not_integer', whole(0.25)),
  refuseInLine(
    'an integer that JavaScript cannot hold exactly',
    { vat_amount: 2 ** 53 },
    'out_of_range',
    range,
  ),
  refuseField('true in quotes', { require_shipping: 'true' }, 'invalid_type', 'Write true, without quotes.'),
  refuseField('yes for a boolean', { express_shipping: 'yes' }, 'invalid_type', 'Write true or false.'),
  refuseField('1 for a boolean', { express_shipping: 1 }, 'invalid_type', 'Write true or false.'),
  refuseField('a currency in lower case', { purchase_currency: 'usd' }, 'invalid_currency', 'Write "USD".'),
  refuseField('a currency with a space', { purchase_currency: ' SEK' }, 'invalid_currency', 'Write "SEK".'),
  refuseField('a currency that does not exist', { purchase_currency: 'ZZZ' }, 'invalid_currency', listed),
  refuseField('a currency by number', { purchase_currency: 978 }, 'invalid_type', 'Write a string.'),
  refuseField('an address in one line', { shipping_address: 'Storgata 1' }, 'invalid_type', notText),
  refuseField('a list for an address', { shipping_address: [] }, 'invalid_type', 'Write an object.'),
  refuseField('a URL for the hooks', { hooks: 'https://shop.example' }, 'invalid_type', notText),
  ...Object.keys(documentedExample)
    .filter((field) => field !== 'cart')
    .map((field) => refuseField(`null for ${field}`, { [field]: null }, 'invalid_type', notNull)),
  ...['type', 'sku', 'name', 'quantity', 'unit_price', 'discount_rate', 'vat_amount'].map((field) =>
    refuseInLine(`null for the ${field} of a line`, { [field]: null }, 'invalid_type', notNull),
  ),
  refuse('null for the items', { cart: { items: null } }, ['cart.items', 'invalid_type', notNull]),
  ...hookNames.map((field) => refuseInHooks(`null for ${field}`, { [field]: null }, 'invalid_type', notNull)),
  ...hookNames.flatMap((field) =>
    [...incompleteUrls, ...spacedUrls, ...scriptUrls].map((url) =>
      refuseInHooks(`${JSON.stringify(url)} for ${field}`, { [field]: url }, 'invalid_url', wholeAddress),
    ),
  ),
  ...['terms_url', 'webhook_url'].flatMap((field) =>
    [...otherSchemes, ...hostlessUrls].map((url) =>
      refuseInHooks(`${url} for ${field}`, { [field]: url }, 'invalid_url', wholeAddress),
    ),
  ),
  ...hookNames.map((field) =>
    refuseField(`${field} at the top`, { [field]: 1 }, 'misplaced', `Move it to hooks.${field}.`),
  ),
  refuseField('items at the top', { items: [] }, 'misplaced', 'Move it to cart.items.'),
  refuse(
    'a misplaced field whose home has one already',
    { cart, terms_url: 1, hooks: { terms_url: 'https://shop.example' } },
    ['terms_url', 'misplaced', 'Move it to hooks.terms_url.'],
  ),
  refuseField(
    'a billing address',
    { billing_address: {} },
    'not_supported',
    'Leave it out: the checkout page or the separate payment interface sets it.',
  ),
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
  refuseField(
    'a currency that is not listed',
    { purchase_currency: 'USD' },
    'invalid_currency',
    'Write EUR or NOK, if the amounts are in it.',
  ),
  refuseField(
    'a listed currency in lower case',
    { purchase_currency: 'nok' },
    'invalid_currency',
    'Write "NOK".',
  ),
  refuseField('a total of 2^31', { total: 2 ** 31 }, 'out_of_range', range),
  refuseField('a VAT amount below int32', { vat: -(2 ** 31) - 1 }, 'out_of_range', range),
  refuseField('a fraction of a total', { total: 10.5 }, 'not_integer', whole(10.5)),
  refuseField('a total in quotes', { total: '10' }, 'invalid_type', 'Write 10, without quotes.'),
  refuseField('metadata of 256 characters', { meta_2: 'x'.repeat(256) }, 'too_long', 'Shorten it by 1.'),
  refuseField('a number for metadata', { meta_1: 7 }, 'invalid_type', 'Write "7", in quotes.'),
  refuseField('null for a session identifier', { qr_session: null }, 'invalid_type', notNull),
  misspelled('a misspelling of a defined name', { cart, qrSession: 'q' }, 'qrSession', 'qr_session'),
];
