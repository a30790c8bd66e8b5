import type { ConformanceContext, ConformanceRequest } from './conformance-case.ts';

/** The echo as its example sends it: no method, body or header but `Authorization` (interface document, Echo). */
export const ECHO: ConformanceRequest = {
  method: 'GET',
  path: '/v2/echo_with_private_key',
  authorization: 'key',
  headers: {},
};

/** An update without its body, as the document asks for it (interface document, Update order). */
export function updateOf(orderToken: string): ConformanceRequest {
  return {
    method: 'PATCH',
    path: `/v2/orders/${encodeURIComponent(orderToken)}`,
    authorization: 'key',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  };
}

/** An update with a cart of one line and, laid over it, the given fields. */
export function updateWith(
  fields: (context: ConformanceContext) => Readonly<Record<string, unknown>>,
): (context: ConformanceContext) => ConformanceRequest {
  return (context) => ({
    ...updateOf(context.orderToken),
    body: { cart: { items: [line()] }, ...fields(context) },
  });
}

/** The least that is accepted: the cart alone. */
export const plainUpdate = updateWith(() => ({}));

/**
 * A cart line with every field, since the document does not show which are required.
 *
 * Discount and V.A.T. are 0, so the total is the same whatever the unit, and whether or not the price includes V.A.T.
 */
export function line(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    type: 'physical',
    sku: 'CONFORMANCE-1',
    name: 'Conformance check',
    quantity: 1,
    unit_price: LINE_TOTAL,
    discount_rate: 0,
    vat_amount: 0,
    ...fields,
  };
}

/** What the one line comes to. */
export const LINE_TOTAL = 1000;

/** All four addresses, since the document does not show which are required. */
export function hooks(fields: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    user_return_url_on_success: 'https://shop.example/checkout/success',
    user_return_url_on_fail: 'https://shop.example/checkout/fail',
    terms_url: 'https://shop.example/terms',
    webhook_url: 'https://shop.example/webhooks/orders',
    ...fields,
  };
}
