import type { OrdersClient } from '@orders/client';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import type { Rate } from './limits.ts';
import { checkSchemaName } from './schema.ts';
import type { RejectedChoice, Settlement, UnknownChoice } from './settlement.ts';
import type { OutboxStore } from './store.ts';

/** An update whose outcome is unknown, as `onUnknown` gets it. */
export interface UnknownUpdate {
  readonly id: string;
  readonly token: string;
  /** How often it was tried, the last attempt among them. */
  readonly attempts: number;
  /** What failed: a code of the client, `worker_lost` or `client_failed`. */
  readonly code: string;
  readonly message: string;
}

/** What became of an update in this process, as `onSettled` gets it. */
export interface SettledUpdate {
  readonly id: string;
  readonly token: string;
  /** `queued` when it is sent again. */
  readonly state: Settlement['state'];
  /** What failed: a code of the client, `worker_lost`, `client_failed`, `claim_expired` or `unreadable`. */
  readonly code?: string;
  /** The HTTP status of the response, if there was one. */
  readonly status?: number;
  /** Since it was accepted, in milliseconds. */
  readonly ageMs: number;
}

/** The methods of a client that an outbox uses. */
export type OutboxClient<Update extends OrderUpdate = OrderUpdate> = Pick<
  OrdersClient<Update>,
  'prepareUpdateOrder' | 'safeUpdateOrder' | 'echo'
> &
  Partial<Pick<OrdersClient, 'resume' | 'pausedUntil' | 'readCredentials'>>;

/** What `readCredentials` of a client resolves with. */
export type Authorization = Awaited<ReturnType<OrdersClient['readCredentials']>>;

/** Options of `createOutbox`. */
export interface OutboxOptions<Update extends OrderUpdate = OrderUpdate> {
  /**
   * Checks updates and sends them; its retries are not used, since the outbox retries by itself. It stays open. A process
   * that only enqueues needs none.
   * @example createOrdersClient({ baseUrl, apiKey })
   */
  readonly client?: OutboxClient<Update> | undefined;
  /** What updates are checked with where there is no client. @default OrderUpdate */
  readonly schema?: OrderUpdateSchema<Update> | undefined;
  /**
   * Where updates are stored: `postgresStore(...)` or `await pgliteStore(...)`. It closes with the outbox.
   * @example postgresStore({ connectionString: process.env.DATABASE_URL })
   */
  readonly store: OutboxStore;
  /**
   * The database schema that holds the tables; those of pg-boss are in another, which ends in `_queue`.
   * @default 'orders_outbox'
   */
  readonly databaseSchema?: string | undefined;
  /**
   * Whether to make the tables or bring them up to date.
   * @default true on PGlite and in an empty schema, else false
   */
  readonly migrate?: boolean | undefined;
  /**
   * What to do with an update whose outcome is unknown. The API does not document that an update may be repeated, so it
   * needs review by default, and later updates of its order wait; `'resend'` sends it again. A function decides about each,
   * for example by the state of the order, and may return `'applied'` and `'discard'`, too; when it throws, or takes longer
   * than a minute, the update needs review.
   * @default 'review'
   * @example async ({ token, id }) => ((await hasChange(token, id)) ? 'applied' : 'review')
   */
  readonly onUnknown?:
    | 'review'
    | 'resend'
    | ((update: UnknownUpdate) => UnknownChoice | Promise<UnknownChoice>)
    | undefined;
  /**
   * Whether later updates of an order go on when one was rejected, or wait for a person.
   * @default 'continue'
   */
  readonly onRejected?: RejectedChoice | undefined;
  /**
   * Whether a new update replaces those of its order that are queued.
   * @default false
   */
  readonly latestWins?: boolean | undefined;
  /**
   * Updates in flight at once, over all processes on the database; each process may have at least one.
   * @default 32
   */
  readonly concurrency?: number | undefined;
  /**
   * Updates in flight at once in this process.
   * @default 32
   */
  readonly localConcurrency?: number | undefined;
  /**
   * How many updates may leave per second, over all processes: pass the same to all.
   * @default unlimited
   * @example { perSecond: 20, burst: 5 }
   */
  readonly rate?: Rate | undefined;
  /**
   * The longest delay before an update that could not be sent is tried again, in milliseconds.
   * @default 60_000
   */
  readonly maxRetryDelayMs?: number | undefined;
  /**
   * How long applied and discarded updates are kept, in milliseconds.
   * @default 604_800_000 (7 days)
   */
  readonly keepSettledMs?: number | undefined;
  /**
   * How long rejected updates that hold no order are kept, in milliseconds.
   * @default 2_592_000_000 (30 days)
   */
  readonly keepRejectedMs?: number | undefined;
  /**
   * Called with what the operator should know, such as a database that cannot be reached; contains no key and no body.
   * @default process.emitWarning
   * @example (message) => log.warn(message)
   */
  readonly warn?: ((message: string) => void) | undefined;
  /**
   * Called with messages that need no action, such as whether the worker listens or polls.
   * @default nothing
   */
  readonly log?: ((message: string) => void) | undefined;
  /**
   * Called once the outcome of an update that this process worked on is stored: for metrics. It is not awaited. Where the
   * response of the database was lost, it is not called.
   * @example ({ state, ageMs }) => metrics.record({ state, ageMs })
   */
  readonly onSettled?: ((settled: SettledUpdate) => void) | undefined;
}

/** Options with their defaults. */
export type ResolvedOptions = Pick<OutboxOptions, WithoutDefault> & {
  readonly [Name in Exclude<keyof OutboxOptions, WithoutDefault>]-?: NonNullable<OutboxOptions[Name]>;
};

type WithoutDefault = 'client' | 'schema' | 'rate' | 'migrate' | 'warn' | 'log' | 'onSettled';

/** Every option there is; the type keeps the list complete. */
const names: Readonly<Record<keyof OutboxOptions, true>> = {
  client: true,
  schema: true,
  store: true,
  databaseSchema: true,
  migrate: true,
  onUnknown: true,
  onRejected: true,
  latestWins: true,
  concurrency: true,
  localConcurrency: true,
  rate: true,
  maxRetryDelayMs: true,
  keepSettledMs: true,
  keepRejectedMs: true,
  warn: true,
  log: true,
  onSettled: true,
};

const days = 86_400_000;

/** Checks options and adds their defaults, before anything is opened. @throws TypeError that says what to write instead. */
export function resolveOptions(options: OutboxOptions): ResolvedOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('createOutbox: pass { client, store }.');
  checkOptions('createOutbox', options, Object.keys(names));
  const { client, store, rate } = options;
  if (client !== undefined)
    for (const method of ['prepareUpdateOrder', 'safeUpdateOrder', 'echo'] as const)
      if (typeof client?.[method] !== 'function')
        throw new TypeError(`client: pass what createOrdersClient returns; ${method} is missing.`);
  checkStore(store);
  checkOptions('createOutbox: rate', rate, ['perSecond', 'burst']);
  if (rate !== undefined && !(rate?.perSecond > 0 && Number.isFinite(rate.perSecond)))
    throw new TypeError('rate.perSecond: write a number above 0.');
  checkCount('rate.burst', rate?.burst);
  checkCount('concurrency', options.concurrency);
  checkCount('localConcurrency', options.localConcurrency);
  checkMs('maxRetryDelayMs', options.maxRetryDelayMs);
  checkMs('keepSettledMs', options.keepSettledMs, Number.POSITIVE_INFINITY);
  checkMs('keepRejectedMs', options.keepRejectedMs, Number.POSITIVE_INFINITY);
  for (const name of ['latestWins', 'migrate'] as const) checkType(name, options[name], 'boolean');
  for (const name of ['warn', 'log', 'onSettled'] as const) checkType(name, options[name], 'function');
  const { onUnknown = 'review', onRejected = 'continue' } = options;
  if (typeof onUnknown !== 'function' && !['review', 'resend'].includes(onUnknown))
    throw new TypeError("onUnknown: write 'review', 'resend', or a function that returns a choice.");
  if (!['continue', 'hold'].includes(onRejected))
    throw new TypeError("onRejected: write 'continue' or 'hold'.");
  const { concurrency = 32, localConcurrency = 32 } = options;
  return {
    ...options,
    databaseSchema: checkSchemaName(options.databaseSchema ?? 'orders_outbox'),
    onUnknown,
    onRejected,
    latestWins: options.latestWins ?? false,
    concurrency,
    localConcurrency: Math.min(localConcurrency, concurrency),
    maxRetryDelayMs: options.maxRetryDelayMs ?? 60_000,
    keepSettledMs: options.keepSettledMs ?? 7 * days,
    keepRejectedMs: options.keepRejectedMs ?? 30 * days,
  };
}

/** Checks a whole number, where it is given. @throws TypeError */
/** Whether this process can store updates and events. @throws TypeError that says what to do */
export function checkStore(store: OutboxStore): void {
  if (typeof store?.transaction !== 'function')
    throw new TypeError('store: pass postgresStore(...) or await pgliteStore(...).');
  if ('toJSON' in [])
    throw new TypeError(
      'All arrays of this process have a toJSON, which would change what is stored: delete it from Array.prototype and Object.prototype.',
    );
}

export function checkCount(name: string, value: number | undefined, longest = 100_000): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1 && value <= longest)) return;
  throw new TypeError(`${name}: write a whole number from 1 to ${longest.toLocaleString('en')}.`);
}

/** Checks an id or a token. @throws TypeError */
export function checkText(name: string, what: 'id' | 'token', value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${name}: pass the ${what} as a string.`);
}

/** Checks a number of milliseconds, where it is given. @throws TypeError */
export function checkMs(name: string, value: number | undefined, longest = Number.MAX_VALUE): void {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= longest)) return;
  const or = longest === Number.POSITIVE_INFINITY ? '; Infinity keeps everything' : '';
  throw new TypeError(`${name}: write a number of milliseconds from 0${or}.`);
}

function checkType(name: string, value: unknown, type: 'boolean' | 'function'): void {
  if (value === undefined || typeof value === type) return;
  throw new TypeError(`${name}: ${type === 'boolean' ? 'write true or false' : 'pass a function'}.`);
}
