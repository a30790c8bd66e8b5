import { randomUUID } from 'node:crypto';
import { defineOrderUpdate, OrderToken, type OrderUpdateDefinition } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { findKeyProblem } from '../mock/keys.ts';
import { createRedactor } from '../redact.ts';
import {
  type ConformanceCase,
  type ConformanceContext,
  type ConformanceNeed,
  conformanceCases,
} from './cases.ts';
import type { ConformanceResult } from './report.ts';

/** Which service to test, and what it may be sent. */
export interface ConformanceOptions {
  /** What comes before `/v2`; https, except on loopback. */
  readonly baseUrl: string;
  /** A key of type `SalesChannelApiKey`; in no report. */
  readonly apiKey: string;
  /** The token of an order that can be updated; in no report. @default cases that need one are skipped */
  readonly orderToken?: string | undefined;
  /**
   * Whether that order may be changed for good: its cart, its `order_id` and all else.
   * @default false: no request that could change it is sent, and such cases are skipped
   */
  readonly disposable?: boolean | undefined;
  /** A key of another type than `SalesChannelApiKey`; in no report. @default its case is skipped */
  readonly otherTypeKey?: string | undefined;
  /** Names of the fields that the API has but does not name, as for `defineOrderUpdate`. @default their cases are skipped */
  readonly names?:
    | Pick<OrderUpdateDefinition, 'metadata' | 'totalAmount' | 'vatAmount' | 'qrSessionId'>
    | undefined;
  /** A currency that the service accepts. @default its case is skipped */
  readonly currency?: string | undefined;
  /** An address that the service accepts. @default its case is skipped */
  readonly shippingAddress?: Readonly<Record<string, unknown>> | undefined;
  /** Ids of the only cases to run. @default all */
  readonly only?: readonly string[] | undefined;
  /** Ids of cases to skip. @default none */
  readonly skip?: readonly string[] | undefined;
  /** Time limit of each request and its response, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** Aborts the run, which rejects with the signal's reason. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Called with each result as soon as there is one. @default none */
  readonly onResult?: ((result: ConformanceResult) => void) | undefined;
  /** Sends the requests, for example through a proxy; it must not follow redirects. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Allows plain http to another machine, where anyone on the way can read the keys. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

const optionNames: Readonly<Record<keyof ConformanceOptions, true>> = {
  baseUrl: true,
  apiKey: true,
  orderToken: true,
  disposable: true,
  otherTypeKey: true,
  names: true,
  currency: true,
  shippingAddress: true,
  only: true,
  skip: true,
  timeoutMs: true,
  signal: true,
  onResult: true,
  fetch: true,
  allowInsecureHttp: true,
};

/** Checks the options and fills in every default. A `TypeError` has what to write instead, and no key. */
export function resolveOptions(options: ConformanceOptions) {
  checkOptions('conformance', options, Object.keys(optionNames));
  const { apiKey, otherTypeKey, orderToken = '', currency = '', shippingAddress, names = {} } = options;
  const { only, skip = [], timeoutMs = 10_000, disposable = false } = options;
  const baseUrl = checkBaseUrl(options.baseUrl, options.allowInsecureHttp ?? false);
  checkKey('apiKey', apiKey);
  if (otherTypeKey !== undefined) checkKey('otherTypeKey', otherTypeKey);
  if (otherTypeKey === apiKey) throw new TypeError('otherTypeKey is the same as apiKey.');
  if (options.orderToken !== undefined && !OrderToken.safeParse(orderToken).success) {
    throw new TypeError('orderToken is not a token; give the one that the service generated.');
  }
  if (disposable && orderToken === '') throw new TypeError('disposable needs the orderToken of an order.');
  if (options.currency === '')
    throw new TypeError('currency is empty; leave it out, or give a code such as EUR.');
  // Throws for a name that is empty, given twice, or documented.
  defineOrderUpdate(names);
  for (const [option, ids] of Object.entries({ only: only ?? [], skip })) {
    const unknown = ids.find((wanted) => !conformanceCases.some(({ id }) => id === wanted));
    if (unknown !== undefined) throw new TypeError(`${option}: there is no case ${JSON.stringify(unknown)}.`);
  }
  // A longer timeout would fire at once.
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2_147_483_647) {
    throw new TypeError(`timeoutMs: expected an integer from 1 to 2147483647, got ${timeoutMs}.`);
  }

  const [firstMetadata = '', secondMetadata = ''] = names.metadata ?? [];
  const { totalAmount = '', vatAmount = '', qrSessionId = '' } = names;
  const fields = { firstMetadata, secondMetadata, totalAmount, vatAmount, qrSessionId };
  const runId = randomUUID();
  const context: ConformanceContext = {
    runId,
    orderToken,
    currency,
    shippingAddress: shippingAddress ?? {},
    ...fields,
  };
  const given = { ...context, shippingAddress, otherTypeKey };
  const skipReason = ({ id, needs }: ConformanceCase): string | undefined => {
    if (skip.includes(id)) return 'in the option skip';
    const missing = needs.find((need) => !given[need]);
    if (missing !== undefined) return `needs ${descriptions[missing]}`;
    return needs.includes('orderToken') && !disposable
      ? 'could change the order, which is not declared disposable'
      : undefined;
  };
  return {
    baseUrl,
    context,
    authorizations: {
      key: basic(`${apiKey}:`),
      key_as_password: basic(`:${apiKey}`),
      unknown_key: basic(`unknown-${runId}:`),
      other_type_key: basic(`${otherTypeKey}:`),
      none: undefined,
    },
    cases: conformanceCases.filter(({ id }) => only === undefined || only.includes(id)),
    skipReason,
    fetch: options.fetch ?? fetch,
    timeoutMs,
    signal: options.signal,
    redact: createRedactor([apiKey, otherTypeKey ?? '', orderToken]),
  };
}

const descriptions: Readonly<Record<ConformanceNeed, string>> = {
  orderToken: 'the token of an order',
  otherTypeKey: 'a key of another type',
  currency: 'a currency that the service accepts',
  shippingAddress: 'a shipping address that the service accepts',
  firstMetadata: 'the name of the first metadata string',
  secondMetadata: 'the name of the second metadata string',
  totalAmount: 'the name of the total amount',
  vatAmount: 'the name of the VAT amount',
  qrSessionId: 'the name of the session identifier of a QR payment',
};

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

function checkKey(option: string, key: unknown): void {
  // An environment variable that is not set, in JavaScript.
  if (typeof key !== 'string') throw new TypeError(`${option} is missing; give a key.`);
  const problem = findKeyProblem(key);
  if (problem !== undefined) throw new TypeError(`${option} ${problem}.`);
}

/** Returns the URL that every path is appended to. Messages hold no more of it than the host. */
function checkBaseUrl(input: string, allowInsecureHttp: boolean): string {
  const url = URL.canParse(input) ? new URL(input) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl: write a whole URL, such as https://api.example.com.');
  }
  const { protocol, hostname, username, password, search, hash } = url;
  const prefix = url.pathname.replace(/\/+$/, '');
  if (username + password !== '') throw new TypeError('baseUrl holds credentials; give the key as apiKey.');
  if (search + hash !== '') throw new TypeError('baseUrl: leave out the query and the fragment.');
  if (/\/v2(\/orders(\/[^/]+)?|\/echo_with_private_key)?$/.test(prefix)) {
    throw new TypeError('baseUrl ends in /v2, or more of a path that is added to it: leave it out.');
  }
  const isLoopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !allowInsecureHttp && !isLoopback) {
    throw new TypeError(
      `baseUrl: over plain http, anyone between here and ${hostname} can read the key; use https, or set allowInsecureHttp.`,
    );
  }
  return url.origin + prefix;
}
