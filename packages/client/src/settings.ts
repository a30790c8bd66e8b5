import { basic, type Credentials, type Secret } from '@orders/auth';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { type AttemptEnd, type AttemptStart, checkAttemptEvents } from './attempt-events.ts';
import type { Classify } from './classify.ts';
import type { RateLimitOptions } from './rate-limit.ts';
import { checkHeaders } from './request-headers.ts';
import type { RetryOptions } from './retry-policy.ts';
import type { StandardSchema } from './standard-schema.ts';

/** How long things may take, in milliseconds. */
export interface Timeouts {
  /**
   * One attempt, connecting included.
   * @default 15_000
   */
  readonly attempt?: number;
  /**
   * The whole call until the parsed body: waiting in its lane, all attempts, and the pauses between.
   * @default 45_000
   */
  readonly total?: number;
}

/** Options of one call; each overrides the client's. */
export interface CallOptions<Data = unknown> {
  /** Ends the call: it settles with an `AbortError` whose outcome says how far it came. */
  readonly signal?: AbortSignal;
  readonly timeouts?: Timeouts;
  readonly retry?: RetryOptions;
  /** More headers; not Authorization, Host or Content-*. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credentials?: Credentials;
  /**
   * Checks and types the answer; any Standard Schema. The interface document shows no answers: without a
   * schema, `data` is JSON of unknown shape. A refused answer is an `InvalidResponseError` with outcome `applied`.
   */
  readonly responseSchema?: StandardSchema<Data>;
  /**
   * Called before each attempt, and waited for: what it stores is stored before a byte of that attempt leaves. It runs
   * once lane and rate limit let the attempt through, while the signal and `timeouts.total` go on. When it throws or
   * rejects, the attempt is not made: the call ends with an `AbortError` whose `cause` keeps name, message and code of
   * what was thrown, and the place at the rate limit is spent.
   * @default nothing is called
   */
  readonly beforeAttempt?: (start: AttemptStart) => unknown;
  /**
   * Told of each attempt once it has ended, and how long the call waits before the next one. Not waited for. What it
   * throws changes nothing for the call: it becomes an uncaught error.
   * @default nothing is called
   */
  readonly afterAttempt?: (end: AttemptEnd) => void;
}

/** Options of a client in any runtime. */
export interface ConnectionOptions<Update extends OrderUpdate = OrderUpdate> {
  /** Where the service is: an https URL. Plain http only to this machine, or with `allowInsecureHttp`. */
  readonly baseUrl: string | URL;
  /** The private key, sent as HTTP Basic with an empty password. Give this or `credentials`. */
  readonly apiKey?: string | Secret;
  /** Other credentials, or a function that yields them before each attempt, for keys that rotate. */
  readonly credentials?: Credentials;
  /**
   * The schema of updates, as `defineOrderUpdate` makes it.
   * @default OrderUpdate
   */
  readonly schema?: OrderUpdateSchema<Update>;
  readonly timeouts?: Timeouts;
  readonly retry?: RetryOptions;
  /** More headers of every request; not Authorization, Host or Content-*. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides what a status means, since the interface document shows no statuses. */
  readonly classify?: Classify;
  /**
   * Whether updates to one order leave one at a time, in call order, or as they come.
   * @default 'per-order'
   */
  readonly ordering?: 'per-order' | 'none';
  /**
   * Largest answer that is read, in bytes.
   * @default 1_048_576
   */
  readonly maxResponseBytes?: number;
  /**
   * How fast attempts leave, over all calls of this client. Whatever it is, a 429 holds all of them back
   * for the time that the service asks.
   * @default no limit
   */
  readonly rateLimit?: RateLimitOptions;
  /**
   * Whether plain http to another machine is allowed: it shows the key to the network between.
   * @default false
   */
  readonly allowInsecureHttp?: boolean;
  /**
   * Whether the client runs where `window` and `document` are: it would show the key to whoever opens the page.
   * @default false
   */
  readonly dangerouslyAllowBrowser?: boolean;
}

/** How a call runs, with every default filled in. */
export interface CallSettings {
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Required<Timeouts>;
  readonly retry: Required<RetryOptions>;
}

/** @throws TypeError when an option is missing or out of range; the message says what to write. */
export function clientSettings(options: Omit<ConnectionOptions, 'schema'>): CallSettings {
  const { apiKey } = options;
  if ((apiKey === undefined) === (options.credentials === undefined)) {
    throw new TypeError('Pass either apiKey or credentials: { apiKey: process.env.ORDERS_API_KEY }.');
  }
  const credentials = apiKey === undefined ? options.credentials : basic(apiKey);
  const defaults: CallSettings = {
    credentials: checkCredentials(credentials),
    headers: { accept: 'application/json' },
    timeouts: { attempt: 15_000, total: 45_000 },
    retry: { maxAttempts: 3, unknownOutcome: false },
  };
  const { timeouts, retry, headers } = options;
  return callSettings(defaults, {
    ...(timeouts && { timeouts }),
    ...(retry && { retry }),
    ...(headers && { headers }),
  });
}

/** Overrides settings by the options of one call. @throws TypeError as `clientSettings` does. */
export function callSettings(settings: CallSettings, options: CallOptions<unknown>): CallSettings {
  const { timeouts, retry, headers, credentials } = options;
  checkAttemptEvents(options.beforeAttempt, options.afterAttempt);
  if (!(timeouts || retry || headers || credentials)) return settings;
  const attempt = checkMs('timeouts.attempt', timeouts?.attempt ?? settings.timeouts.attempt);
  const total = checkMs('timeouts.total', timeouts?.total ?? settings.timeouts.total);
  const maxAttempts = retry?.maxAttempts ?? settings.retry.maxAttempts;
  if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1) {
    throw new TypeError('retry.maxAttempts: write a whole number from 1 on.');
  }
  return {
    credentials: credentials === undefined ? settings.credentials : checkCredentials(credentials),
    headers: headers ? { ...settings.headers, ...checkHeaders(headers) } : settings.headers,
    timeouts: { attempt, total },
    retry: { maxAttempts, unknownOutcome: retry?.unknownOutcome ?? settings.retry.unknownOutcome },
  };
}

/** A timer of more milliseconds would fire at once. */
const longest = 2 ** 31 - 1;

export function checkMs(name: string, value: number): number {
  if (!(value > 0 && value <= longest)) {
    throw new TypeError(`${name}: write milliseconds, more than 0 and at most ${longest}.`);
  }
  return value;
}

function checkCredentials(credentials: Credentials | undefined): Credentials {
  // Not `instanceof`: the credentials may come from another copy of @orders/auth.
  if (typeof credentials === 'function' || typeof credentials?.reveal === 'function') return credentials;
  throw new TypeError('credentials: pass basic(key), bearer(token), or a function that yields one of them.');
}
