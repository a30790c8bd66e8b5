import { type Authorization, basic, type Credentials, type Secret } from '@orders/auth';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import type { AttemptFailure } from './errors.ts';
import { adviseOption, optionGroups } from './familiar-options.ts';
import type { AttemptRecord } from './receipt.ts';
import type { ClassifyResponse } from './response.ts';

/** Timeouts of one call, in milliseconds. */
export interface Timeouts {
  /**
   * One attempt, connecting included.
   * @default 15_000
   */
  readonly attempt?: number | undefined;
  /**
   * The whole call until the parsed body: waiting for its turn, all attempts, and the delays between them.
   * @default 45_000
   */
  readonly total?: number | undefined;
}

/** Timeouts of a client, in milliseconds. */
export interface ClientTimeouts extends Timeouts {
  /**
   * Connecting, TLS included; undici only. It belongs to the client, since calls share connections.
   * @default 5_000
   */
  readonly connect?: number | undefined;
  /**
   * How long an idle connection may be reused; undici only. The service must not be the first to close: an update that
   * meets a connection just closed is `unknown`, so set it below the idle timeout of the service and of every proxy
   * before it. A `Keep-Alive: timeout=n` of the service shortens it, to 2 s before that time.
   * @default 4_000
   */
  readonly idle?: number | undefined;
}

/** When a call is retried. */
export interface RetryOptions {
  /**
   * Attempts in all, the first one included; 1 never retries.
   * @default 3
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Whether an update whose outcome is unknown is sent again. The API does not document that an update may be repeated:
   * a cart line sent twice might be added twice.
   * @default false
   */
  readonly resendUnknown?: boolean | undefined;
}

/** How fast a client sends: attempts are counted, not calls. */
export interface RateLimitOptions {
  /** Attempts per second on average. */
  readonly requestsPerSecond: number;
  /**
   * Attempts that may leave at once after a quiet time.
   * @default 1
   */
  readonly burst?: number | undefined;
}

/** An attempt that is about to be made. */
export interface BeforeAttemptEvent {
  /** Its number within the call, from 1. */
  readonly attempt: number;
}

/** An attempt that has ended, as in the call's receipt. */
export interface AfterAttemptEvent extends AttemptRecord {
  /** Its number within the call, from 1. */
  readonly attempt: number;
  /**
   * How long the call waits before the next attempt, in milliseconds; absent when this was the last. A rate limit may add
   * to it, and the call may end while it waits.
   */
  readonly retryDelayMs?: number;
}

/** Called before each attempt, and awaited. */
export type BeforeAttempt = (event: BeforeAttemptEvent) => unknown;

/** Called right before the first byte of each attempt leaves. */
export type BeforeSend = (event: BeforeAttemptEvent) => void;

/** Called with each attempt that has ended. */
export type AfterAttempt = (event: AfterAttemptEvent) => void;

/** Options of a client and of its calls. */
export interface SharedOptions<Data = unknown> {
  /**
   * The limits of a call, in milliseconds. A limit that is left out is the client's.
   * @example { attempt: 5_000, total: 20_000 }
   */
  readonly timeouts?: Timeouts | undefined;
  /**
   * How often a call is attempted. It retries what was not sent, a 429, and a 503 that `classifyResponse` calls
   * `rejected`; an update whose outcome is unknown is resent only with `resendUnknown`. A call takes from the client what
   * it leaves out.
   * @default { maxAttempts: 3, resendUnknown: false }
   * @example { maxAttempts: 1 }
   */
  readonly retry?: RetryOptions | undefined;
  /**
   * More headers, except those that the client and HTTP set themselves, such as Authorization, Host and Content-*. Those
   * of a call are added to the client's.
   * @default `Accept: application/json` and `User-Agent: orders-client/<version> <runtime>/<version>`, which a client with `dangerouslyAllowBrowser` leaves to the browser
   * @example { 'x-correlation-id': correlationId }
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The credentials of `@orders/auth`, or a function that returns them before each attempt, for keys that rotate. Those
   * of a call replace the client's.
   * @example async () => bearer(await vault.read('orders-token'))
   */
  readonly credentials?: Credentials | undefined;
  /**
   * Checks and types the response of an update; any Standard Schema. The API does not document its responses: without a
   * schema, `data` is JSON of unknown shape. A response that it refuses, or for which it throws, is an
   * `InvalidResponseError` with outcome `applied`. That of the client is for updates alone: `echo` takes its own.
   * @example z.object({ status: z.string() })
   */
  readonly responseSchema?: StandardSchema<Data> | undefined;
}

/** Functions that a call runs around its attempts; one of a call replaces the client's. */
export interface CallHooks {
  /**
   * Called before each attempt, and awaited: what it stores is stored before a byte of that attempt leaves. It runs
   * after the wait for earlier updates of the order and for the rate limit, while the signal and `timeouts.total` go on.
   * When it throws or rejects, the attempt is not made and has no `afterAttempt`: the call fails with an `AbortError`
   * whose `cause` keeps name, message and code of the error, and no slot of the rate limit is spent.
   * @default nothing is called
   * @example ({ attempt }) => audit.insert({ orderToken, attempt })
   */
  readonly beforeAttempt?: BeforeAttempt | undefined;
  /**
   * Called after credentials and connection, right before the first byte of an attempt leaves; over fetch right before
   * `fetch` is called. It is synchronous. When it throws, or returns a promise, nothing is sent: the attempt is
   * `not_sent`, and the call fails with an `AbortError` whose `cause` keeps name, message and code of the error.
   * @default nothing is called
   * @example ({ attempt }) => span.addEvent('sent', { attempt })
   */
  readonly beforeSend?: BeforeSend | undefined;
  /**
   * Called once each attempt has ended, with its result and the delay before the next one. Not awaited. What it throws
   * changes nothing for the call: `process.emitWarning` reports it.
   * @default nothing is called
   * @example ({ attempt, outcome, retryDelayMs }) => log.info({ attempt, outcome, retryDelayMs })
   */
  readonly afterAttempt?: AfterAttempt | undefined;
}

/** Options of one call. */
export interface CallOptions<Data = unknown> extends SharedOptions<Data>, CallHooks {
  /**
   * Aborts the call: it fails with an `AbortError` whose outcome says how far it came.
   * @example AbortSignal.timeout(30_000)
   */
  readonly signal?: AbortSignal | null | undefined;
}

/** Options of a client. */
export interface OrdersClientOptions<Update extends OrderUpdate = OrderUpdate, Data = unknown>
  extends SharedOptions<Data>,
    CallHooks {
  /**
   * The https URL of the service. Plain http only to this machine, or with `allowInsecureHttp`.
   * @example 'https://api.example.com'
   */
  readonly baseUrl: string | URL;
  /**
   * The private key, sent as HTTP Basic with an empty password. A function is called before each attempt, and not when
   * the client is created, so a module can create its client before the key is there. Pass this or `credentials`.
   * @example () => process.env.ORDERS_API_KEY
   */
  readonly apiKey?: ApiKey | (() => ApiKey | undefined | PromiseLike<ApiKey | undefined>) | undefined;
  /**
   * The schema of updates, from `defineOrderUpdate`.
   * @default OrderUpdate
   * @example defineOrderUpdate({ fields: { item: { ean: z.string() } } })
   */
  readonly schema?: OrderUpdateSchema<Update> | undefined;
  /**
   * The limits of calls and connections, in milliseconds. A call may have an `attempt` and a `total` of its own.
   * @default { connect: 5_000, attempt: 15_000, total: 45_000, idle: 4_000 }
   * @example { connect: 2_000, total: 20_000 }
   */
  readonly timeouts?: ClientTimeouts | undefined;
  /**
   * Overrides the outcome of a response. The API reference lists no statuses, so by default a 5xx is `unknown`, for example.
   * Return an outcome where you know more, and `undefined` elsewhere.
   * @default no response is overridden
   * @example treat503AsRejected
   */
  readonly classifyResponse?: ClassifyResponse | undefined;
  /**
   * Whether updates of one order leave one at a time, in call order, or as they come.
   * @default 'per-order'
   */
  readonly ordering?: 'per-order' | 'none' | undefined;
  /**
   * The largest response that is read, in bytes.
   * @default 1_048_576
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * How many attempts may leave per second, over all calls of this client; an attempt that does not leave is not counted. With
   * a limit or without, a 429 pauses all calls with its key for the time of its `Retry-After`. After that they leave one by
   * one, and faster with each response that is not a 429.
   * @default no limit
   * @example { requestsPerSecond: 10, burst: 5 }
   */
  readonly rateLimit?: RateLimitOptions | undefined;
  /**
   * The longest pause after a 429, in milliseconds. Where the service asks for more, one attempt goes first once this
   * time is over, and the others follow when it gets no other 429.
   * @default 3_600_000
   */
  readonly maxPauseMs?: number | undefined;
  /**
   * Whether plain http to another machine is allowed: it shows the key to the network between.
   * @default false
   */
  readonly allowInsecureHttp?: boolean | undefined;
  /**
   * Whether the client may run where `window` and `document` exist: it would show the key to everyone who opens the page.
   * @default false
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Certificates as PEM: `ca` where a private authority signed the certificate of the service, `cert` and `key` for mutual
   * TLS; undici only.
   * @default the authorities that Node trusts, and no certificate of the client
   * @example { ca: await readFile('company-ca.pem', 'utf8') }
   */
  readonly tls?: TlsOptions | undefined;
  /**
   * The http URL of a proxy to connect through, with user and password if it asks for them; undici only. Every connection
   * is a tunnel (`CONNECT`), so the proxy cannot read what goes over https. `timeouts.connect` includes it. What the
   * proxy refuses is `not_sent`. The environment is not read.
   * @default no proxy
   * @example 'http://user:password@proxy.internal:3128'
   */
  readonly proxy?: string | URL | undefined;
  /**
   * How many connections may be open at once, each of which carries one request; undici only. A call that waits for one
   * uses up `timeouts.total`, not the time of an attempt; an item of `updateOrders` uses up none.
   * @default no limit
   * @example 64
   */
  readonly maxConnections?: number | undefined;
  /**
   * Your own undici dispatcher, for interceptors, mocks or HTTP/2; undici only, and without `tls`, `proxy` and
   * `maxConnections`. `timeouts.connect` and `timeouts.idle` are then its own, and `close` leaves it open. It must send
   * each request once, and call `onRequestStart` before its first byte. The client's own agent resets the connection of an
   * abandoned request; another dispatcher closes it, so the kernel may still deliver that request. One of undici 6, or one
   * that was closed, fails each call with a `ConnectionError` that is not retried.
   * @default an agent of the client
   * @example new Agent({ allowH2: true })
   */
  readonly dispatcher?: UndiciDispatcher | undefined;
  /**
   * Your own `fetch`; over fetch only. It must send each request once and follow no redirect; one that repeats requests
   * by itself makes outcomes wrong.
   * @default the runtime's own
   */
  readonly fetch?: Fetch | undefined;
}

/** Certificates of a client, as PEM: text, or the bytes of a file. */
export interface TlsOptions {
  /** The authorities that certificates of the service are checked against, instead of those that Node trusts. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** The client's certificate for mutual TLS, with the chain below its authority. */
  readonly cert?: Pem | undefined;
  /** The private key of `cert`, not encrypted. */
  readonly key?: Pem | undefined;
  /**
   * The name that the service's certificate must hold, which is also sent as SNI.
   * @default the host of `baseUrl`
   */
  readonly servername?: string | undefined;
}

type Pem = string | Uint8Array;

type ApiKey = string | Secret;

/** An undici dispatcher, such as an `Agent`. Not undici's own type, which needs the types of Node where they are not installed. */
export interface UndiciDispatcher {
  dispatch(options: never, handler: never): boolean;
}

/** A function that sends a request as `fetch` does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A schema of any library that implements Standard Schema (https://standardschema.dev), version 1. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** The result of a Standard Schema. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem that a Standard Schema found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Options with every default filled in. */
type Filled<Options> = { readonly [Name in keyof Options]-?: NonNullable<Options[Name]> };

/** The options of a call with every default filled in. */
export interface ResolvedCallOptions {
  readonly signal: AbortSignal | null | undefined;
  readonly responseSchema: StandardSchema | undefined;
  readonly beforeAttempt: BeforeAttempt | undefined;
  readonly beforeSend: BeforeSend | undefined;
  readonly afterAttempt: AfterAttempt | undefined;
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Filled<Timeouts>;
  readonly retry: Filled<RetryOptions>;
  /** Of a call that is part of a bulk run. */
  readonly bulk?: BulkRules;
}

/** What a bulk run decides about one of its calls. */
export interface BulkRules {
  readonly run: object;
  /** Why none of its calls is sent any more. */
  readonly refusal: () => AttemptFailure | undefined;
  /**
   * Decides whether the run sends an update again that got a 429, and notes it. The call ends in either case; the run drops
   * the failure of an update that it sends again. Absent where a 429 is retried as that of a single call.
   */
  readonly putsBack: ((failure: AttemptFailure) => boolean) | undefined;
}

type Defaults = Pick<ResolvedCallOptions, 'headers' | 'timeouts' | 'retry'> & Partial<ResolvedCallOptions>;

const defaults: Defaults = {
  headers: { accept: 'application/json' },
  timeouts: { attempt: 15_000, total: 45_000 },
  retry: { maxAttempts: 3, resendUnknown: false },
};

const sharedOptions = [
  'timeouts',
  'retry',
  'headers',
  'credentials',
  'responseSchema',
  'beforeAttempt',
  'beforeSend',
  'afterAttempt',
] as const;
export const callOptionNames = ['signal', ...sharedOptions] as const;
export const clientOptionNames = [
  ...sharedOptions,
  'baseUrl',
  'apiKey',
  'schema',
  'classifyResponse',
  'ordering',
  'maxResponseBytes',
  'rateLimit',
  'maxPauseMs',
  'allowInsecureHttp',
  'dangerouslyAllowBrowser',
  'tls',
  'proxy',
  'maxConnections',
  'dispatcher',
  'fetch',
] as const;

const factory = 'createOrdersClient';

/** Checks the options of a client. @throws TypeError when one is unknown, missing or out of range; the message says what to write. */
export function resolveClientOptions(options: OrdersClientOptions): ResolvedCallOptions {
  checkGroup(factory, '', options ?? false, clientOptionNames);
  const { timeouts, rateLimit, schema, classifyResponse, ordering = 'per-order' } = options;
  checkGroup(factory, 'timeouts', timeouts, optionGroups.timeouts);
  checkGroup(factory, 'rateLimit', rateLimit, optionGroups.rateLimit);
  checkGroup(factory, 'tls', options.tls, optionGroups.tls);
  check(
    !schema || typeof schema.safeParse === 'function',
    'schema: pass OrderUpdate, or one of defineOrderUpdate.',
  );
  check(ordering === 'per-order' || ordering === 'none', 'ordering: write "per-order" or "none".');
  checkBoolean('allowInsecureHttp', options.allowInsecureHttp);
  checkBoolean('dangerouslyAllowBrowser', options.dangerouslyAllowBrowser);
  checkFunction('classifyResponse', classifyResponse);
  return override(defaults, { ...options, credentials: toCredentials(options) }, factory);
}

/** Overrides the client's options by those of one call. @throws TypeError that names the method. */
export function resolveCallOptions(
  client: ResolvedCallOptions,
  { method, options, names = callOptionNames }: OwnOptions,
): ResolvedCallOptions {
  const { signal } = options;
  checkGroup(method, '', options, names);
  checkGroup(method, 'timeouts', options.timeouts, ['attempt', 'total']);
  check(!signal || typeof signal.addEventListener === 'function', `${method}: signal: pass an AbortSignal.`);
  return override(client, options, method);
}

/** The options of one call. */
export interface OwnOptions {
  /** The method that they were passed to. */
  readonly method: string;
  readonly options: CallOptions;
  /** The names that it knows. @default those of every call */
  readonly names?: readonly string[];
}

/** Refuses unknown names in the options, or in one of them that holds others. */
function checkGroup(where: string, group: string, options: unknown, known: readonly string[]): void {
  const path = group && `${group}.`;
  checkOptions(group ? `${where}: ${group}` : where, options, known, (name, value) =>
    adviseOption(path + name, value, known),
  );
}

function override(base: Defaults, options: CallOptions, where: string): ResolvedCallOptions {
  const { timeouts, retry } = options;
  const headers = options.headers ?? {};
  checkGroup(where, 'retry', retry, optionGroups.retry);
  checkOptions(`${where}: headers`, headers, Object.keys(headers), () => 'Pass a plain object.');
  checkBoolean(`${where}: retry.resendUnknown`, retry?.resendUnknown);
  const { responseSchema, credentials = base.credentials } = options;
  // Not `instanceof`: they may come from another copy of @orders/auth.
  check(
    typeof credentials === 'function' || isAuthorization(credentials?.reveal?.()),
    `${where}: credentials: pass basic(key), bearer(token), or a function that returns one of them.`,
  );
  check(
    !responseSchema || typeof responseSchema['~standard']?.validate === 'function',
    `${where}: responseSchema: pass a Standard Schema.`,
  );
  const hook = <Name extends keyof CallHooks>(name: Name): CallHooks[Name] => {
    checkFunction(`${where}: ${name}`, options[name]);
    return options[name] ?? base[name];
  };
  return {
    signal: options.signal,
    responseSchema: responseSchema ?? base.responseSchema,
    beforeAttempt: hook('beforeAttempt'),
    beforeSend: hook('beforeSend'),
    afterAttempt: hook('afterAttempt'),
    credentials,
    headers: { ...base.headers, ...checkHeaders(where, headers) },
    timeouts: {
      attempt: checkMs(`${where}: timeouts.attempt`, timeouts?.attempt ?? base.timeouts.attempt),
      total: checkMs(`${where}: timeouts.total`, timeouts?.total ?? base.timeouts.total),
    },
    retry: {
      maxAttempts: checkCount(`${where}: retry.maxAttempts`, retry?.maxAttempts ?? base.retry.maxAttempts),
      resendUnknown: retry?.resendUnknown ?? base.retry.resendUnknown,
    },
  };
}

function toCredentials(options: OrdersClientOptions): Credentials {
  const { apiKey, credentials } = options;
  check(apiKey === undefined || credentials === undefined, 'Pass either apiKey or credentials, not both.');
  if (credentials !== undefined) return credentials;
  const unset = 'apiKey' in options ? 'apiKey is undefined: is the environment variable set? ' : '';
  check(apiKey !== undefined, `${unset}Pass either apiKey: process.env.ORDERS_API_KEY, or credentials.`);
  if (typeof apiKey !== 'function') return basic(apiKey);
  let last: { readonly key: unknown; readonly authorization: unknown } | undefined;
  return async () => {
    const key = await apiKey();
    if (!last || last.key !== key) last = { key, authorization: toAuthorization(key) };
    return last.authorization as Authorization;
  };
}

/** A wrong key becomes an error instead of throwing one: the attempt reports it and is not retried. */
function toAuthorization(key: ApiKey | undefined): unknown {
  try {
    return key && basic(key);
  } catch (error) {
    return error;
  }
}

/** Where requests go: the origin, and a path prefix without a slash at its end. */
export interface BaseUrl {
  readonly origin: string;
  readonly host: string;
  readonly prefix: string;
}

/** @throws TypeError when the base URL is wrong; the message shows no credentials that it holds. */
export function parseBaseUrl(input: string | URL, allowInsecureHttp: boolean): BaseUrl {
  const url = URL.parse(String(input));
  check(
    url && /^https?:$/.test(url.protocol),
    'baseUrl: write the full URL, such as "https://api.example.com".',
  );
  check(!url.username && !url.password, 'baseUrl holds credentials: pass the key as apiKey instead.');
  // Only the first slash of a row is tried, so that many of them take linear time.
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '');
  const base = prefix.replace(/\/v2(\/orders(\/[^/]+)?|\/echo_with_private_key)?$/, '');
  check(base === prefix, `baseUrl ends in /v2…, which the client adds itself: write "${url.origin}${base}".`);
  check(!url.search && !url.hash, 'baseUrl: leave out the query and the fragment.');
  check(
    // A resolver may be asked for names below `.localhost`, so they prove nothing.
    url.protocol === 'https:' ||
      allowInsecureHttp ||
      /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname),
    'baseUrl: plain http would show the key to the network; use https, or set allowInsecureHttp.',
  );
  return { origin: url.origin, host: url.host, prefix };
}

const reserved =
  /^(authorization|proxy-authorization|host|content-.+|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding)$/i;

/** @throws TypeError for a header that the client sets itself, or that HTTP does not allow; the message shows no value. */
function checkHeaders(where: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked = Object.entries(headers).map(([name, value]) => {
    check(
      /^[\w!#$%&'*+.^`|~-]+$/.test(name),
      `${where}: headers: ${JSON.stringify(name)} is no header name.`,
    );
    check(!reserved.test(name), `${where}: headers: ${name} is set by the client; leave it out.`);
    check(isHeaderValue(value), `${where}: headers: ${name} has no value that HTTP allows.`);
    return [name.toLowerCase(), value];
  });
  return Object.fromEntries(checked);
}

/** Whether a value may be that of an `Authorization` header. */
export function isAuthorization(value: unknown): value is string {
  return value !== '' && isHeaderValue(value);
}

function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** The longest timer, in milliseconds: a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** @throws TypeError with the message, which says what to write. */
export function check(isRight: unknown, message: string): asserts isRight {
  if (!isRight) throw new TypeError(message);
}

export function checkMs(name: string, value: number): number {
  const isRight = typeof value === 'number' && value > 0 && value <= longestTimerMs;
  check(isRight, `${name}: write milliseconds, more than 0 and at most ${longestTimerMs}.`);
  return value;
}

export function checkCount(name: string, value: number): number {
  check(Number.isSafeInteger(value) && value > 0, `${name}: write a whole number from 1 on.`);
  return value;
}

function checkBoolean(name: string, value: unknown): void {
  check(value === undefined || typeof value === 'boolean', `${name}: write true or false.`);
}

export function checkFunction(name: string, value: unknown): void {
  check(value === undefined || typeof value === 'function', `${name}: pass a function.`);
}
