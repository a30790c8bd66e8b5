import { basic, type Credentials, type Secret } from '@orders/auth';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import {
  type AfterAttempt,
  type AttemptEnd,
  type AttemptStart,
  type BeforeAttempt,
  checkAttemptEvents,
} from './attempt-events.ts';
import { check, checkMs, checkWhole } from './check.ts';
import type { Classify } from './classify.ts';
import type { RateLimitOptions } from './rate-limit.ts';
import { checkHeaders, isAuthorization } from './request-headers.ts';
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

/** How a call is tried again. */
export interface RetryOptions {
  /**
   * Attempts in all, the first one included; 1 never sends twice.
   * @default 3
   */
  readonly maxAttempts?: number;
  /**
   * Whether an update whose outcome is unknown is sent again. The API does not document that an update may be repeated:
   * a cart line sent twice might be added twice.
   * @default false
   */
  readonly unknownOutcome?: boolean;
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
   * Checks and types the response; any Standard Schema. The API does not document its responses: without a schema,
   * `data` is JSON of unknown shape. A response that it refuses, or for which it throws, is an `InvalidResponseError`
   * with outcome `applied`.
   */
  readonly responseSchema?: StandardSchema<Data>;
  /**
   * Called before each attempt, and waited for: what it stores is stored before a byte of that attempt leaves. It runs
   * once lane and rate limit let the attempt through, while the signal and `timeouts.total` go on. When it throws or
   * rejects, the attempt is not made and has no `afterAttempt`: the call ends with an `AbortError` whose `cause` keeps
   * name, message and code of the error, and the slot at the rate limit is spent.
   * @default nothing is called
   */
  readonly beforeAttempt?: (start: AttemptStart) => unknown;
  /**
   * Called once each attempt has ended, with its result and how long the call waits before the next one. Not waited
   * for. What it throws changes nothing for the call: `process.emitWarning` reports it.
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
  /** Overrides what a response means, since the API does not document its statuses. @see treat503AsRejected */
  readonly classify?: Classify;
  /**
   * Whether updates to one order leave one at a time, in call order, or as they come.
   * @default 'per-order'
   */
  readonly ordering?: 'per-order' | 'none';
  /**
   * Largest response that is read, in bytes.
   * @default 1_048_576
   */
  readonly maxResponseBytes?: number;
  /**
   * How fast attempts leave, over all calls of this client. Whatever it is, a 429 pauses all calls with the same key
   * for the time that the service asks.
   * @default no limit
   */
  readonly rateLimit?: RateLimitOptions;
  /**
   * The longest pause after a 429, in milliseconds. Where the service asks for more, one attempt goes first once this
   * time is over, and the others follow when it is not refused with another 429.
   * @default 3_600_000
   */
  readonly maxPauseMs?: number;
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
  readonly signal: AbortSignal | undefined;
  readonly responseSchema: StandardSchema | undefined;
  readonly beforeAttempt: BeforeAttempt | undefined;
  readonly afterAttempt: AfterAttempt | undefined;
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: Required<Timeouts>;
  readonly retry: Required<RetryOptions>;
}

const defaults: Pick<CallSettings, 'headers' | 'timeouts' | 'retry'> = {
  headers: { accept: 'application/json' },
  timeouts: { attempt: 15_000, total: 45_000 },
  retry: { maxAttempts: 3, unknownOutcome: false },
};

/** @throws TypeError when an option is missing or out of range; the message says what to write. */
export function clientSettings(options: Omit<ConnectionOptions, 'schema'>): CallSettings {
  const { apiKey, credentials } = options;
  const noKey = apiKey === undefined;
  const unset = noKey && 'apiKey' in options ? 'apiKey is undefined: is the environment variable set? ' : '';
  check(
    noKey !== (credentials === undefined),
    `${unset}Pass either apiKey: process.env.ORDERS_API_KEY, or credentials.`,
  );
  return callSettings(defaults, noKey ? options : { ...options, credentials: basic(apiKey) });
}

/** Overrides settings by the options of one call. @throws TypeError as `clientSettings` does. */
export function callSettings(
  settings: typeof defaults & { readonly credentials?: Credentials },
  options: CallOptions,
): CallSettings {
  const { credentials = settings.credentials, headers, timeouts, retry } = options;
  const { responseSchema, signal, beforeAttempt, afterAttempt } = options;
  // Not `instanceof`: the credentials may come from another copy of @orders/auth.
  check(
    typeof credentials === 'function' || isAuthorization(credentials?.reveal?.()),
    'credentials: pass basic(key), bearer(token), or a function that returns one of them.',
  );
  checkAttemptEvents(options);
  check(
    !responseSchema || typeof responseSchema['~standard']?.validate === 'function',
    'responseSchema: pass a Standard Schema.',
  );
  check(!signal || typeof signal.addEventListener === 'function', 'signal: pass an AbortSignal.');
  return {
    responseSchema,
    signal,
    beforeAttempt,
    afterAttempt,
    credentials,
    headers: { ...settings.headers, ...checkHeaders(headers ?? {}) },
    timeouts: {
      attempt: checkMs('timeouts.attempt', timeouts?.attempt ?? settings.timeouts.attempt),
      total: checkMs('timeouts.total', timeouts?.total ?? settings.timeouts.total),
    },
    retry: {
      maxAttempts: checkWhole('retry.maxAttempts', retry?.maxAttempts ?? settings.retry.maxAttempts),
      unknownOutcome: retry?.unknownOutcome ?? settings.retry.unknownOutcome,
    },
  };
}
