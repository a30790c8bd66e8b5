import { AMOUNTS, METADATA, type Rule } from './document-rules.ts';

const hasLength =
  (field: string, length: number): Rule =>
  ({ order }) =>
    String(order?.[field]).length === length;

/** A field that is taken only beside another one. */
const without =
  (field: string, other: string): Rule =>
  ({ order }) =>
    order !== undefined && order[field] !== undefined && order[other] === undefined;

/**
 * Rules that a service might have though the document has none of them, each under the case that should find it: they
 * refuse what is allowed, but not the plain update and the plain echo that all else is compared with.
 */
export const inventedRules: Readonly<Record<string, Rule>> = {
  // A key for one echo only.
  'echo-accepts-key': ({ operation, keyType, echoesBefore }) =>
    operation === 'echo' && keyType !== undefined && echoesBefore > 0,
  // More than one of a thing only with something else said of the order.
  'accepts-cart-alone': ({ order, lines }) =>
    order !== undefined && Object.keys(order).length === 1 && lines.some(({ quantity }) => quantity === 2),
  // A fee only with something else said of the order.
  'accepts-shipping-fee': ({ order, lines }) =>
    order !== undefined &&
    Object.keys(order).length === 1 &&
    lines.some(({ type }) => type === 'shipping_fee'),
  // A limit on the number of fields.
  'accepts-fields-together': ({ order }) => order !== undefined && Object.keys(order).length > 3,
  // A gap among the lengths.
  'accepts-order-id': ({ order }) =>
    order !== undefined && Object.keys(order).length === 2 && /^.{41,254}$/.test(String(order['order_id'])),
  // A limit that is off by one.
  'accepts-order-id-of-255': hasLength('order_id', 255),
  'accepts-first-metadata-of-255': hasLength(METADATA[0], 255),
  'accepts-second-metadata-of-255': hasLength(METADATA[1], 255),
  'accepts-purchase-currency': without('purchase_currency', 'order_id'),
  'accepts-require-shipping': without('require_shipping', 'express_shipping'),
  'accepts-express-shipping': without('express_shipping', 'require_shipping'),
  'accepts-shipping-address': without('shipping_address', 'hooks'),
  'accepts-hooks': without('hooks', 'shipping_address'),
  'accepts-user-session-id': without('user_session_id', 'user_identifier'),
  'accepts-user-identifier': without('user_identifier', 'user_session_id'),
  'accepts-total-amount': without(AMOUNTS.total, AMOUNTS.vat),
  'accepts-vat-amount': without(AMOUNTS.vat, AMOUNTS.total),
};
