import type { Arrived } from './arrived.ts';

/** Tells whether a request breaks a rule. */
export type Rule = (arrived: Arrived) => boolean;

export const METADATA = ['meta_1', 'meta_2'] as const;
export const AMOUNTS = { total: 'total', vat: 'vat' } as const;
export const QR_SESSION = 'qr_session';

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isFraction = (value: unknown) => typeof value === 'number' && !Number.isInteger(value);
const isLong = (value: unknown) => typeof value === 'string' && value.length > 255;
const isAway = (value: unknown) => value === undefined;
const isCurrency = (value: string) => Intl.supportedValuesOf('currency').includes(value);

const inOrder =
  (field: string, breaks: (value: unknown) => boolean): Rule =>
  ({ order }) =>
    order !== undefined && breaks(order[field]);

const inLine =
  (field: string, breaks: (value: unknown) => boolean): Rule =>
  ({ lines }) =>
    lines.some((line) => breaks(line[field]));

const inHooks =
  (field: string): Rule =>
  ({ hooks }) =>
    isText(hooks[field]) && !URL.canParse(String(hooks[field]));

/**
 * The interface document once more, as rules that an update or an echo may break, each under the case that should find
 * it missing. They are written apart from every schema, so that a mistake there cannot hide behind its own copy.
 */
export const documentRules: Readonly<Record<string, Rule>> = {
  'echo-refuses-missing-key': ({ operation, user }) => operation === 'echo' && user === undefined,
  'echo-refuses-unknown-key': ({ operation, user, keyType }) =>
    operation === 'echo' && Boolean(user) && keyType === undefined,
  'echo-refuses-key-as-password': ({ operation, user }) => operation === 'echo' && user === '',
  'update-refuses-missing-key': ({ operation, user }) => operation === 'update' && user === undefined,
  'update-refuses-unknown-key': ({ operation, user, keyType }) =>
    operation === 'update' && user !== undefined && keyType === undefined,
  'update-refuses-other-key-type': ({ operation, keyType = 'SalesChannelApiKey' }) =>
    operation === 'update' && keyType !== 'SalesChannelApiKey',
  'update-refuses-unknown-token': ({ operation, names }) => operation === 'update' && names === 'nothing',
  'update-refuses-order-id-as-token': ({ names }) => names === 'order_id',

  'refuses-body-not-json': ({ operation, isJson }) => operation === 'update' && !isJson,
  'refuses-body-as-list': ({ json }) => Array.isArray(json),
  'refuses-body-without-cart': inOrder('cart', isAway),
  'refuses-cart-as-list': inOrder('cart', Array.isArray),
  'refuses-items-as-object': ({ items }) => items !== undefined && !Array.isArray(items),
  'refuses-item-as-string': ({ items }) => Array.isArray(items) && items.some(isText),

  'refuses-order-id-of-256': inOrder('order_id', isLong),
  'refuses-order-id-as-number': inOrder('order_id', isNumber),
  'refuses-purchase-currency-not-iso-4217': inOrder(
    'purchase_currency',
    (value) => isText(value) && !isCurrency(String(value)),
  ),
  'refuses-purchase-currency-as-number': inOrder('purchase_currency', isNumber),
  'refuses-require-shipping-as-string': inOrder('require_shipping', isText),
  'refuses-express-shipping-as-string': inOrder('express_shipping', isText),
  'refuses-shipping-address-as-string': inOrder('shipping_address', isText),
  'refuses-hooks-as-string': inOrder('hooks', isText),
  'refuses-user-session-id-as-number': inOrder('user_session_id', isNumber),
  'refuses-user-identifier-as-number': inOrder('user_identifier', isNumber),

  'refuses-user-return-url-on-success-not-url': inHooks('user_return_url_on_success'),
  'refuses-user-return-url-on-fail-not-url': inHooks('user_return_url_on_fail'),
  'refuses-terms-url-not-url': inHooks('terms_url'),
  'refuses-webhook-url-not-url': inHooks('webhook_url'),

  'refuses-item-type-as-number': inLine('type', isNumber),
  'refuses-item-sku-as-number': inLine('sku', isNumber),
  'refuses-item-name-as-number': inLine('name', isNumber),
  'refuses-item-quantity-as-string': inLine('quantity', isText),
  'refuses-item-quantity-as-fraction': inLine('quantity', isFraction),
  'refuses-item-unit-price-as-string': inLine('unit_price', isText),
  'refuses-item-unit-price-as-fraction': inLine('unit_price', isFraction),
  'refuses-item-discount-rate-as-string': inLine('discount_rate', isText),
  'refuses-item-discount-rate-as-fraction': inLine('discount_rate', isFraction),
  'refuses-item-vat-amount-as-string': inLine('vat_amount', isText),
  'refuses-item-vat-amount-as-fraction': inLine('vat_amount', isFraction),

  'refuses-first-metadata-of-256': inOrder(METADATA[0], isLong),
  'refuses-first-metadata-as-number': inOrder(METADATA[0], isNumber),
  'refuses-second-metadata-of-256': inOrder(METADATA[1], isLong),
  'refuses-second-metadata-as-number': inOrder(METADATA[1], isNumber),
  'refuses-total-amount-over-int32': inOrder(AMOUNTS.total, (value) => Number(value) > 0x7fffffff),
  'refuses-total-amount-as-fraction': inOrder(AMOUNTS.total, isFraction),
  'refuses-total-amount-as-string': inOrder(AMOUNTS.total, isText),
  'refuses-vat-amount-over-int32': inOrder(AMOUNTS.vat, (value) => Number(value) > 0x7fffffff),
  'refuses-vat-amount-as-fraction': inOrder(AMOUNTS.vat, isFraction),
  'refuses-vat-amount-as-string': inOrder(AMOUNTS.vat, isText),
  'refuses-qr-session-id-as-number': inOrder(QR_SESSION, isNumber),
};
