import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts';
import { hooks, line } from '../requests.ts';
import { accepted, longText } from './body-case.ts';

/** Bodies that the document allows; each field stands alone beside the cart, so that the one refused is known. */
export const acceptedCases: readonly ConformanceCase[] = [
  accepted({
    id: 'accepts-cart-alone',
    title: 'A cart and nothing else is accepted',
    source: 'Order',
    strength: 'stated',
    // Not the baseline's cart, so that a service that takes no other is found out.
    fields: () => ({ cart: { items: [line({ quantity: 2 })] } }),
  }),
  accepted({
    id: 'accepts-shipping-fee',
    title: 'A cart with lines of the types physical and shipping_fee is accepted',
    source: 'Cart item',
    strength: 'implied',
    fields: () => ({ cart: cartWithFee() }),
  }),
  accepted({
    id: 'accepts-fields-together',
    title: 'All documented fields at once are accepted',
    source: 'Order',
    strength: 'implied',
    fields: fieldsTogether,
  }),
  accepted({
    id: 'accepts-order-id',
    title: 'An order_id is accepted',
    source: 'Order',
    strength: 'stated',
    fields: ({ runId }) => ({ order_id: `conformance-${runId}` }),
  }),
  accepted({
    id: 'accepts-order-id-of-255',
    title: 'An order_id of 255 characters is accepted',
    source: 'Limits',
    strength: 'stated',
    fields: (context) => ({ order_id: longText(255, context) }),
  }),
  accepted({
    id: 'accepts-purchase-currency',
    title: 'The purchase_currency that was given is accepted',
    source: 'Order',
    strength: 'stated',
    needs: ['currency'],
    fields: ({ currency }) => ({ purchase_currency: currency }),
  }),
  accepted({
    id: 'accepts-require-shipping',
    title: 'A require_shipping is accepted',
    source: 'Order',
    strength: 'stated',
    fields: () => ({ require_shipping: true }),
  }),
  accepted({
    id: 'accepts-express-shipping',
    title: 'An express_shipping is accepted',
    source: 'Order',
    strength: 'stated',
    // Asks for nothing that an order may not allow.
    fields: () => ({ express_shipping: false }),
  }),
  accepted({
    id: 'accepts-shipping-address',
    title: 'The shipping_address that was given is accepted',
    source: 'Order',
    strength: 'stated',
    needs: ['shippingAddress'],
    fields: ({ shippingAddress }) => ({ shipping_address: shippingAddress }),
  }),
  accepted({
    id: 'accepts-hooks',
    title: 'The four hooks together are accepted',
    source: 'Hooks',
    strength: 'stated',
    fields: () => ({ hooks: hooks() }),
  }),
  accepted({
    id: 'accepts-user-session-id',
    title: 'A user_session_id is accepted',
    source: 'Order',
    strength: 'implied',
    fields: ({ runId }) => ({ user_session_id: `session-${runId}` }),
  }),
  accepted({
    id: 'accepts-user-identifier',
    title: 'A user_identifier is accepted',
    source: 'Order',
    strength: 'implied',
    fields: ({ runId }) => ({ user_identifier: `customer-${runId}` }),
  }),
];

function cartWithFee(): Readonly<Record<string, unknown>> {
  return { items: [line(), line({ type: 'shipping_fee', sku: 'CONFORMANCE-2', name: 'Shipping' })] };
}

/** A currency and an address are left out where none was given that the service takes. */
function fieldsTogether({
  runId,
  currency,
  shippingAddress,
}: ConformanceContext): Readonly<Record<string, unknown>> {
  const hasAddress = Object.keys(shippingAddress).length > 0;
  return {
    order_id: `together-${runId}`,
    ...(currency === '' ? {} : { purchase_currency: currency }),
    cart: cartWithFee(),
    require_shipping: true,
    express_shipping: false,
    ...(hasAddress ? { shipping_address: shippingAddress } : {}),
    hooks: hooks(),
    user_session_id: `session-${runId}`,
    user_identifier: `customer-${runId}`,
  };
}
