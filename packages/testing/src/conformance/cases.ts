/**
 * `stated`: a rule of the API reference, such as what is required or limited. `implied`: it follows from a type, from
 * an example, or from a sentence that leaves the reaction of the service open.
 */
export type ConformanceStrength = 'stated' | 'implied';

/** What a case cannot run without, because the API reference leaves it open. */
export type ConformanceNeed =
  | 'orderToken'
  | 'otherTypeKey'
  | 'currency'
  | 'shippingAddress'
  | 'firstMetadata'
  | 'secondMetadata'
  | 'totalAmount'
  | 'vatAmount'
  | 'qrSessionId';

/** What a request is built from. What a case needs is set; the rest may be empty. */
export interface ConformanceContext
  extends Readonly<Record<Exclude<ConformanceNeed, 'otherTypeKey' | 'shippingAddress'>, string>> {
  /** Differs from run to run, for identifiers that must be new. */
  readonly runId: string;
  readonly shippingAddress: Readonly<Record<string, unknown>>;
}

/** A request as plain data, without any key. */
export interface ConformanceRequest {
  readonly method: 'GET' | 'PATCH';
  /** What follows the base URL, percent-encoded. */
  readonly path: string;
  /** The credentials of HTTP Basic; `key` is the key as user name with an empty password. */
  readonly authorization: 'key' | 'key_as_password' | 'unknown_key' | 'other_type_key' | 'none';
  /** All headers but `Authorization`, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * `accepted` is any 2xx, `refused` any 4xx that is about the request. The other two are accepted, too, and the body, if
 * there is one, has the media type `application/json` or is JSON.
 */
export type ConformanceExpectation = 'accepted' | 'refused' | 'json_media_type' | 'json_text';

/** A request, and the response that the API documents for it. */
export interface ConformanceCase {
  /** Never changes its meaning. */
  readonly id: string;
  readonly title: string;
  /** The heading of the API reference that describes it. */
  readonly source: string;
  readonly strength: ConformanceStrength;
  /** A case with `orderToken` may change that order, be it because the service accepts what it should refuse. */
  readonly needs: readonly ConformanceNeed[];
  /** A request that has to be accepted first. */
  readonly before?: (context: ConformanceContext) => ConformanceRequest;
  readonly request: (context: ConformanceContext) => ConformanceRequest;
  readonly expected: ConformanceExpectation;
}

/** As in the example of the API reference: no body, and no header but `Authorization`. */
export function echo(authorization: ConformanceRequest['authorization'] = 'key'): ConformanceRequest {
  return { method: 'GET', path: '/v2/echo_with_private_key', authorization, headers: {} };
}

/** The least that is accepted: the cart alone. */
export function plainUpdate({ orderToken }: Pick<ConformanceContext, 'orderToken'>): ConformanceRequest {
  return {
    method: 'PATCH',
    path: `/v2/orders/${encodeURIComponent(orderToken)}`,
    authorization: 'key',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ cart: cart() }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields beside the cart, or in its place; a text is the whole body. */
type Body = Fields | string | ((context: ConformanceContext) => Fields);

function update(body: Body): ConformanceCase['request'] {
  return (context) => {
    const given = typeof body === 'function' ? body(context) : body;
    const text = typeof given === 'string' ? given : JSON.stringify({ cart: cart(), ...given });
    return { ...plainUpdate(context), body: text };
  };
}

/** What the one line of a cart comes to, in any unit, and whether or not the price includes VAT. */
const lineTotal = 1000;

/** A cart line with every field, since it is undocumented which are required. */
function line(fields: Fields = {}): Fields {
  return {
    type: 'physical',
    sku: 'CONFORMANCE-1',
    name: 'Conformance check',
    quantity: 1,
    unit_price: lineTotal,
    discount_rate: 0,
    vat_amount: 0,
    ...fields,
  };
}

function cart(...lines: readonly Fields[]): Fields {
  return { items: lines.length > 0 ? lines : [line()] };
}

const cartWithFee = cart(line(), line({ type: 'shipping_fee', sku: 'CONFORMANCE-2', name: 'Shipping' }));

/** All four URLs, since it is undocumented which are required. */
const hooks = {
  user_return_url_on_success: 'https://shop.example/checkout/success',
  user_return_url_on_fail: 'https://shop.example/checkout/fail',
  terms_url: 'https://shop.example/terms',
  webhook_url: 'https://shop.example/webhooks/orders',
};

/** Differs from run to run, and is ASCII, so that it does not matter how a service counts characters. */
function longText(length: number, { runId }: ConformanceContext): string {
  return `conformance-${runId}-`.padEnd(length, 'x');
}

function orderIdOf(length: number): Body {
  return (context) => ({ order_id: longText(length, context) });
}

/** A currency and an address are left out where none was given that the service accepts. */
function fieldsTogether({ runId, currency, shippingAddress }: ConformanceContext): Fields {
  return {
    order_id: `together-${runId}`,
    ...(currency === '' ? {} : { purchase_currency: currency }),
    cart: cartWithFee,
    require_shipping: true,
    express_shipping: false,
    ...(Object.keys(shippingAddress).length === 0 ? {} : { shipping_address: shippingAddress }),
    hooks,
    user_session_id: 'session-1',
    user_identifier: 'customer-1',
  };
}

type Row = readonly [id: string, title: string, body: Body, ...needs: ConformanceNeed[]];

/** Updates that differ from the plain one in their bodies. */
function updates(
  common: Pick<ConformanceCase, 'source' | 'strength' | 'expected' | 'needs'>,
  rows: readonly Row[],
): readonly ConformanceCase[] {
  return rows.map(([id, title, body, ...needs]) => ({
    id,
    title,
    ...common,
    needs: [...common.needs, ...needs],
    request: update(body),
  }));
}

const stated = { strength: 'stated', needs: ['orderToken'] } as const;
const implied = { strength: 'implied', needs: ['orderToken'] } as const;
const refusedUpdate = { source: 'Update order', ...stated, expected: 'refused' } as const;
const refusedEcho = {
  source: 'Echo',
  strength: 'implied',
  needs: [],
  expected: 'refused',
} as const;

function wrongTypes(
  inside: '' | 'item-',
  rows: readonly (readonly [field: string, kind: 'number' | 'string' | 'fraction', value: unknown])[],
): readonly Row[] {
  return rows.map(([field, kind, value]) => [
    `refuses-${inside}${field.replaceAll('_', '-')}-as-${kind}`,
    `The field ${field}${inside && ' of a line'} is refused when it is a ${kind}`,
    inside ? { cart: cart(line({ [field]: value })) } : { [field]: value },
  ]);
}

const metadata = [
  ['first', 'firstMetadata'],
  ['second', 'secondMetadata'],
] as const;

const amounts = [
  ['total', 'totalAmount', lineTotal],
  ['VAT', 'vatAmount', 0],
] as const;

const wrongAmounts = amounts.flatMap(([name, need, correct]) =>
  (
    [
      ['over-int32', 'is too large for an int32', 2_147_483_648],
      ['as-fraction', 'is a fraction', correct + 0.5],
      ['as-string', 'is a string', String(correct)],
    ] as const
  ).map(
    ([how, words, value]): Row => [
      `refuses-${name.toLowerCase()}-amount-${how}`,
      `The ${name} amount is refused when it ${words}`,
      (context) => ({ [context[need]]: value }),
      need,
    ],
  ),
);

/**
 * Every request whose response the API documents, in the order of a run. What is undocumented has no case: statuses,
 * bodies of responses, unknown fields, other methods and versions, whether an update may be repeated.
 */
export const conformanceCases: readonly ConformanceCase[] = [
  {
    id: 'echo-accepts-key',
    title: 'An echo with the key as user name and an empty password is accepted',
    source: 'Echo',
    strength: 'stated',
    needs: [],
    request: () => echo(),
    expected: 'accepted',
  },
  {
    ...refusedEcho,
    id: 'echo-refuses-missing-key',
    title: 'An echo without a key is refused',
    request: () => echo('none'),
  },
  {
    ...refusedEcho,
    id: 'echo-refuses-unknown-key',
    title: 'An echo with an unknown key is refused',
    request: () => echo('unknown_key'),
  },
  {
    ...refusedEcho,
    id: 'echo-refuses-key-as-password',
    title: 'An echo with the key as password and an empty user name is refused',
    source: 'Authentication',
    request: () => echo('key_as_password'),
  },
  {
    ...refusedUpdate,
    id: 'update-refuses-missing-key',
    title: 'An update without a key is refused',
    request: (context) => ({ ...plainUpdate(context), authorization: 'none' }),
  },
  {
    ...refusedUpdate,
    id: 'update-refuses-unknown-key',
    title: 'An update with an unknown key is refused',
    request: (context) => ({ ...plainUpdate(context), authorization: 'unknown_key' }),
  },
  {
    ...refusedUpdate,
    id: 'update-refuses-other-key-type',
    title: 'An update with a key of another type than SalesChannelApiKey is refused',
    needs: ['orderToken', 'otherTypeKey'],
    // A key that is unknown would be refused for another reason.
    before: () => echo('other_type_key'),
    request: (context) => ({ ...plainUpdate(context), authorization: 'other_type_key' }),
  },
  {
    id: 'update-refuses-unknown-token',
    title: 'An update of an order that does not exist is refused',
    source: 'Update order',
    strength: 'implied',
    // It needs no order, so that it runs where none may be changed.
    needs: [],
    request: ({ runId }) => plainUpdate({ orderToken: `unknown-${runId}` }),
    expected: 'refused',
  },
  {
    id: 'update-refuses-order-id-as-token',
    title: "An update that names the order by the merchant's own order_id is refused",
    source: 'Update order',
    ...stated,
    before: update(({ runId }) => ({ order_id: `own-${runId}` })),
    request: ({ runId }) => plainUpdate({ orderToken: `own-${runId}` }),
    expected: 'refused',
  },

  // Each field stands alone beside the cart, so that the one refused is known.
  ...updates({ source: 'Update order', ...stated, expected: 'accepted' }, [
    // Not the cart of the plain update, so that a service that accepts no other one fails.
    ['accepts-cart-alone', 'A cart and nothing else is accepted', { cart: cart(line({ quantity: 2 })) }],
    ['accepts-order-id', 'An order_id is accepted', ({ runId }) => ({ order_id: `conformance-${runId}` })],
    [
      'accepts-purchase-currency',
      'The purchase_currency that was given is accepted',
      ({ currency }) => ({ purchase_currency: currency }),
      'currency',
    ],
    ['accepts-require-shipping', 'A require_shipping is accepted', { require_shipping: true }],
    // False, because an order may not allow it.
    ['accepts-express-shipping', 'An express_shipping is accepted', { express_shipping: false }],
    [
      'accepts-shipping-address',
      'The shipping_address that was given is accepted',
      ({ shippingAddress }) => ({ shipping_address: shippingAddress }),
      'shippingAddress',
    ],
    ...amounts.map(
      ([name, need, correct]): Row => [
        `accepts-${name.toLowerCase()}-amount`,
        `The ${name} amount that fits the cart is accepted`,
        (context) => ({ [context[need]]: correct }),
        need,
      ],
    ),
  ]),
  ...updates({ source: 'Update order', ...implied, expected: 'accepted' }, [
    ['accepts-fields-together', 'All documented fields at once are accepted', fieldsTogether],
    ['accepts-user-session-id', 'A user_session_id is accepted', { user_session_id: 'session-1' }],
    ['accepts-user-identifier', 'A user_identifier is accepted', { user_identifier: 'customer-1' }],
  ]),
  ...updates({ source: 'Cart', ...implied, expected: 'accepted' }, [
    [
      'accepts-shipping-fee',
      'A cart with a line of the type shipping_fee is accepted',
      { cart: cartWithFee },
    ],
  ]),
  ...updates({ source: 'Hooks', ...stated, expected: 'accepted' }, [
    ['accepts-hooks', 'The four hooks together are accepted', { hooks }],
  ]),
  ...updates({ source: 'Update order', ...stated, expected: 'accepted' }, [
    ['accepts-order-id-of-255', 'An order_id of 255 characters is accepted', orderIdOf(255)],
    ...metadata.map(
      ([which, need]): Row => [
        `accepts-${which}-metadata-of-255`,
        `The ${which} metadata string is accepted with 255 characters`,
        (context) => ({ [context[need]]: longText(255, context) }),
        need,
      ],
    ),
  ]),

  {
    id: 'update-response-json-media-type',
    title: 'The response to an accepted update has the media type application/json',
    source: 'Update order',
    ...stated,
    request: plainUpdate,
    expected: 'json_media_type',
  },
  {
    id: 'update-response-json-text',
    title: 'The response to an accepted update is JSON',
    source: 'Update order',
    ...implied,
    request: plainUpdate,
    expected: 'json_text',
  },

  // Each of these breaks one rule and no other.
  ...updates(refusedUpdate, [
    [
      'refuses-body-not-json',
      'A body that is not JSON is refused',
      JSON.stringify({ cart: cart() }).slice(0, -1),
    ],
    [
      'refuses-body-as-list',
      'A body that is an array is refused, even one of a valid update',
      JSON.stringify([{ cart: cart() }]),
    ],
  ]),
  ...updates({ source: 'Update order', ...stated, expected: 'refused' }, [
    ['refuses-body-without-cart', 'A body without a cart is refused', '{"require_shipping":true}'],
    // Currency codes begin with the code of a country, and QQ is for private use.
    [
      'refuses-purchase-currency-not-iso-4217',
      'A purchase_currency that is no code of ISO 4217 is refused',
      { purchase_currency: 'QQQ' },
    ],
  ]),
  ...updates({ source: 'Update order', ...implied, expected: 'refused' }, [
    ['refuses-cart-as-list', 'A cart that is an array of lines is refused', { cart: [line()] }],
    ...wrongTypes('', [
      ['order_id', 'number', 1001],
      ['purchase_currency', 'number', 978],
      ['require_shipping', 'string', 'true'],
      ['express_shipping', 'string', 'false'],
      ['shipping_address', 'string', 'Storgata 1, 0155 Oslo'],
      ['hooks', 'string', hooks.webhook_url],
      ['user_session_id', 'number', 7],
      ['user_identifier', 'number', 42],
    ]),
    ...metadata.map(
      ([which, need]): Row => [
        `refuses-${which}-metadata-as-number`,
        `The ${which} metadata string is refused when it is a number`,
        (context) => ({ [context[need]]: 7 }),
        need,
      ],
    ),
    ...wrongAmounts,
    // None is known to be accepted, because its value comes with a webhook.
    [
      'refuses-qr-session-id-as-number',
      'The session identifier of a QR payment is refused when it is a number',
      ({ qrSessionId }) => ({ [qrSessionId]: 7 }),
      'qrSessionId',
    ],
  ]),
  ...updates({ source: 'Cart', ...implied, expected: 'refused' }, [
    [
      'refuses-items-as-object',
      'A line in place of the array of lines is refused',
      { cart: { items: line() } },
    ],
    ['refuses-item-as-string', 'A line that is a string is refused', { cart: { items: ['CONFORMANCE-1'] } }],
  ]),
  ...updates({ source: 'Cart', ...implied, expected: 'refused' }, [
    ...wrongTypes('item-', [
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
    ]),
  ]),
  ...updates(
    { source: 'Hooks', ...implied, expected: 'refused' },
    Object.keys(hooks).map((hook) => [
      `refuses-${hook.replaceAll('_', '-')}-not-url`,
      `The hook ${hook} is refused when it is no URL`,
      { hooks: { ...hooks, [hook]: 'not a URL' } },
    ]),
  ),
  ...updates({ source: 'Update order', ...stated, expected: 'refused' }, [
    ['refuses-order-id-of-256', 'An order_id of 256 characters is refused', orderIdOf(256)],
    ...metadata.map(
      ([which, need]): Row => [
        `refuses-${which}-metadata-of-256`,
        `The ${which} metadata string is refused with 256 characters`,
        (context) => ({ [context[need]]: longText(256, context) }),
        need,
      ],
    ),
  ]),
];
