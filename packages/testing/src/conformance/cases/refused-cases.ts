import type { ConformanceCase, ConformanceRequest } from '../conformance-case.ts';
import { hooks, line, plainUpdate } from '../requests.ts';
import { type BodyCase, idOf, longText, refused } from './body-case.ts';

const wholeBodyCases: readonly ConformanceCase[] = [
  refusedWhole({
    id: 'refuses-body-not-json',
    title: 'A body that is not JSON is refused',
    source: 'Update order',
    instead: (body) => ({ text: JSON.stringify(body).slice(0, -1) }),
  }),
  refusedWhole({
    id: 'refuses-body-as-list',
    title: 'A body that is a list is refused, even one of a valid update',
    source: 'Update order',
    instead: (body) => ({ body: [body] }),
  }),
  refusedWhole({
    id: 'refuses-body-without-cart',
    title: 'A body without a cart is refused',
    source: 'Order',
    instead: () => ({ body: { require_shipping: true } }),
  }),
];

const cartCases: readonly ConformanceCase[] = [
  refused({
    id: 'refuses-cart-as-list',
    title: 'A cart that is a list of lines is refused',
    source: 'Order',
    strength: 'implied',
    fields: () => ({ cart: [line()] }),
  }),
  refused({
    id: 'refuses-items-as-object',
    title: 'A line in place of the list of lines is refused',
    source: 'Cart',
    strength: 'implied',
    fields: () => ({ cart: { items: line() } }),
  }),
  refused({
    id: 'refuses-item-as-string',
    title: 'A line that is a string is refused',
    source: 'Cart',
    strength: 'implied',
    fields: () => ({ cart: { items: ['CONFORMANCE-1'] } }),
  }),
];

const orderFieldCases: readonly ConformanceCase[] = [
  refused({
    id: 'refuses-order-id-of-256',
    title: 'An order_id of 256 characters is refused',
    source: 'Limits',
    strength: 'stated',
    fields: (context) => ({ order_id: longText(256, context) }),
  }),
  refused({
    id: 'refuses-purchase-currency-not-iso-4217',
    title: 'A purchase_currency that is no code of ISO 4217 is refused',
    source: 'Order',
    strength: 'stated',
    // Never to be given out: codes begin with a country's, and QQ is left to private use.
    fields: () => ({ purchase_currency: 'QQQ' }),
  }),
  ...(
    [
      ['order_id', 'number', 1001],
      ['purchase_currency', 'number', 978],
      ['require_shipping', 'string', 'true'],
      ['express_shipping', 'string', 'false'],
      ['shipping_address', 'string', 'Storgata 1, 0155 Oslo'],
      ['hooks', 'string', hooks()['webhook_url']],
      ['user_session_id', 'number', 7],
      ['user_identifier', 'number', 42],
    ] as const
  ).map(([field, kind, value]) =>
    refused({
      id: `refuses-${idOf(field)}-as-${kind}`,
      title: `The field ${field} is refused when it is a ${kind}`,
      source: 'Order',
      strength: 'implied',
      fields: () => ({ [field]: value }),
    }),
  ),
];

const hookCases = Object.keys(hooks()).map((field) =>
  refused({
    id: `refuses-${idOf(field)}-not-url`,
    title: `The hook ${field} is refused when it is no URL`,
    source: 'Hooks',
    strength: 'implied',
    fields: () => ({ hooks: hooks({ [field]: 'not a URL' }) }),
  }),
);

const itemCases = (
  [
    ['type', 'number', 1],
    ['sku', 'number', 1001],
    ['name', 'number', 1001],
    ['quantity', 'string', '1'],
    ['quantity', 'fraction', 1.5],
    ['unit_price', 'string', '1000'],
    ['unit_price', 'fraction', 999.5],
    ['discount_rate', 'string', '0'],
    ['discount_rate', 'fraction', 0.5],
    ['vat_amount', 'string', '0'],
    ['vat_amount', 'fraction', 0.5],
  ] as const
).map(([field, kind, value]) =>
  refused({
    id: `refuses-item-${idOf(field)}-as-${kind}`,
    title: `The ${field} of a line is refused when it is a ${kind}`,
    source: 'Cart item',
    strength: 'implied',
    fields: () => ({ cart: { items: [line({ [field]: value })] } }),
  }),
);

/** Bodies that break one rule each (interface document, Update order, Order, Cart, Cart item, Hooks and Limits). */
export const refusedCases: readonly ConformanceCase[] = [
  ...wholeBodyCases,
  ...cartCases,
  ...orderFieldCases,
  ...hookCases,
  ...itemCases,
];

interface WholeBodyCase extends Pick<BodyCase, 'id' | 'title' | 'source'> {
  /** What is sent in place of the plain body. */
  readonly instead: (body: unknown) => Pick<ConformanceRequest, 'body' | 'text'>;
}

function refusedWhole({ instead, ...names }: WholeBodyCase): ConformanceCase {
  return {
    ...refused({ ...names, strength: 'stated', fields: () => ({}) }),
    request: (context) => {
      const { body, ...head } = plainUpdate(context);
      return { ...head, ...instead(body) };
    },
  };
}
