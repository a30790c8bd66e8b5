import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

type Fields = Readonly<Record<string, unknown>>;

/** A request, parsed as far as it can be. */
export interface ParsedRequest {
  readonly operation: 'echo' | 'update';
  /** The user name of HTTP Basic. */
  readonly user: string | undefined;
  /** The type of the key that the user name is. */
  readonly keyType: string | undefined;
  readonly echoesBefore: number;
  /** What the path of an update names. */
  readonly names: 'token' | 'order_id' | 'nothing';
  readonly isJson: boolean;
  readonly json: unknown;
  /** The body, when it is an object. */
  readonly order: Fields | undefined;
  readonly items: unknown;
  /** The lines that are objects. */
  readonly lines: readonly Fields[];
  readonly hooks: Fields;
}

/** What the service knows. */
export interface ServiceState {
  readonly keys: Readonly<Record<string, string>>;
  readonly token: string;
  readonly orderIds: ReadonlySet<string>;
  readonly echoes: number;
}

/** Undefined for another operation than the two of the document. */
export async function parseRequest(
  request: IncomingMessage,
  state: ServiceState,
): Promise<ParsedRequest | undefined> {
  const { method, url = '', headers } = request;
  const body = await text(request);
  const [, name] = /^\/v2\/orders\/([^/]+)$/.exec(url) ?? [];
  const isEcho = method === 'GET' && url === '/v2/echo_with_private_key';
  if (!isEcho && (method !== 'PATCH' || name === undefined)) return undefined;
  const user = readUser(headers.authorization);
  const json = readJson(body);
  const order = asFields(json);
  const items = asFields(order?.['cart'])?.['items'];
  return {
    operation: isEcho ? 'echo' : 'update',
    user,
    keyType: user === undefined ? undefined : state.keys[user],
    echoesBefore: state.echoes,
    names: name === state.token ? 'token' : state.orderIds.has(name ?? '') ? 'order_id' : 'nothing',
    isJson: json !== undefined,
    json,
    order,
    items,
    lines: (Array.isArray(items) ? items : []).map(asFields).filter((line) => line !== undefined),
    hooks: asFields(order?.['hooks']) ?? {},
  };
}

function readUser(authorization = ''): string | undefined {
  const [, encoded] = /^Basic (.*)$/.exec(authorization) ?? [];
  return encoded === undefined ? undefined : atob(encoded).split(':', 1)[0];
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function asFields(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value)) : undefined;
}

/** Whether a request breaks a rule. */
type Rule = (request: ParsedRequest) => boolean;

export const METADATA = ['meta_1', 'meta_2'] as const;
export const AMOUNTS = { total: 'total', vat: 'vat' } as const;
export const QR_SESSION = 'qr_session';

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isFraction = (value: unknown) => typeof value === 'number' && !Number.isInteger(value);
const isLong = (value: unknown) => typeof value === 'string' && value.length > 255;
const isMissing = (value: unknown) => value === undefined;
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
 * The rules of the API's document, each under the case that fails without it. They share no code with the schemas, so
 * that a bug there cannot hide behind its own copy.
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
  'refuses-body-without-cart': inOrder('cart', isMissing),
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

const hasLength =
  (field: string, length: number): Rule =>
  ({ order }) =>
    String(order?.[field]).length === length;

/** A field that is accepted only beside another one. */
const without =
  (field: string, other: string): Rule =>
  ({ order }) =>
    order !== undefined && order[field] !== undefined && order[other] === undefined;

/**
 * Rules that are not in the document, each under the case that fails with it: they refuse what the document allows, but
 * not the plain update and the plain echo.
 */
export const inventedRules: Readonly<Record<string, Rule>> = {
  // A key that fails once, at its second echo.
  'echo-accepts-key': ({ operation, keyType, echoesBefore }) =>
    operation === 'echo' && keyType === 'SalesChannelApiKey' && echoesBefore === 1,
  // More than one of an item only with another field of the order.
  'accepts-cart-alone': ({ order, lines }) =>
    order !== undefined && Object.keys(order).length === 1 && lines.some(({ quantity }) => quantity === 2),
  // A fee only with another field of the order.
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
