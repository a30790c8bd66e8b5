/// <reference lib="esnext.disposable" preserve="true" />
import { type Authorization, authorize } from '@orders/auth';
import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { type AttemptContext, createAttempt } from './attempt.ts';
import { abortedFailure, type Call } from './call.ts';
import type { Connections } from './connections.ts';
import { type Clock, Deadline } from './deadline.ts';
import { type AttemptFailure, createError } from './errors.ts';
import { withLanes } from './lanes.ts';
import type { Operation } from './operation.ts';
import {
  type CallOptions,
  check,
  checkCount,
  checkMs,
  type OrdersClientOptions,
  parseBaseUrl,
  type ResolvedCallOptions,
  resolveCallOptions,
  resolveClientOptions,
} from './options.ts';
import { RateLimit } from './rate-limit.ts';
import { runtime, summarize } from './receipt.ts';
import { createRedactor } from './redact.ts';
import { withRetries } from './retry.ts';
import type { Transport } from './transport.ts';
import {
  byteLength,
  type ClientCore,
  type EchoResponse,
  echoOperation,
  type MakeCall,
  PreparedRequest,
  type PreparedUpdate,
  toResult,
  type UpdateOrderResponse,
  type UpdateOrderResult,
  updateOperation,
} from './update-order.ts';
import {
  type UpdateOrdersItem,
  type UpdateOrdersOptions,
  type UpdateOrdersRun,
  updateOrders,
} from './update-orders.ts';
import { version } from './version.ts';

/** A client of the order service. It may be shared, logged and inspected: it shows no key. */
export interface OrdersClient<Update extends OrderUpdate = OrderUpdate, ClientData = unknown>
  extends AsyncDisposable {
  /** Whether this client sends over undici or over `fetch`. */
  readonly transport: 'undici' | 'fetch';
  /**
   * Updates an order: `PATCH /v2/orders/<token>` of the API reference. The update is validated before it is sent, and sent
   * as given.
   *
   * @param token The order token that the service generated, not your own `order_id`.
   * @returns The response of an update that was applied.
   * @throws OrdersError whose `outcome` says what became of the update.
   * @throws TypeError when an option is wrong.
   */
  updateOrder<Data = ClientData>(
    token: string,
    update: Update,
    options?: CallOptions<Data>,
  ): Promise<UpdateOrderResponse<Data>>;
  /**
   * Like `updateOrder`, but returns `{ ok: false, error }` instead of throwing an `OrdersError`.
   *
   * @param token The order token that the service generated, not your own `order_id`.
   * @returns `{ ok: true }` with the response, or `{ ok: false, error }`; `outcome` is in both.
   * @throws TypeError when an option is wrong.
   */
  safeUpdateOrder<Data = ClientData>(
    token: string,
    update: Update,
    options?: CallOptions<Data>,
  ): Promise<UpdateOrderResult<Data>>;
  /**
   * Updates many orders from an iterable of `{ token, update }`, and returns results as they complete. Updates of one
   * order are sent in sequence. It reads no further than it can send, so the number of items and results that it holds
   * is bounded.
   *
   * A failed update is a result, not an exception. An item that gets a 429 is sent again later: that uses up neither an
   * attempt nor time, unless you set `retry.maxAttempts` or `timeouts.total` for the run. When every response has been a
   * 429 for `maxPauseMs`, what remains is `rejected`. Waiting for `rateLimit` uses up no time either.
   *
   * When `signal` fires, updates in flight are aborted, nothing more is read, and the iteration ends after their results.
   * When the source throws, the iteration rejects with its error after the results of the items read before. When you
   * leave the loop early, call `stop()` on the run: it returns the results and items that the loop did not take.
   *
   * @throws TypeError when an option is wrong.
   */
  updateOrders<Item extends UpdateOrdersItem<Update>, Data = ClientData>(
    source: Iterable<Item> | AsyncIterable<Item>,
    options?: UpdateOrdersOptions<Data, NoInfer<Item>>,
  ): UpdateOrdersRun<Item, Data>;
  /**
   * Validates an update and returns the exact request, to look at, to log, or to send.
   *
   * @throws ValidationError when the update or the token is invalid.
   */
  prepareUpdateOrder(token: string, update: Update): PreparedUpdate<ClientData>;
  /**
   * Checks that the service accepts the private key: `GET /v2/echo_with_private_key`. It changes nothing, so it is
   * also retried when its outcome is unknown, such as after a timeout or a 5xx.
   *
   * @throws OrdersError, such as an `HttpError` with status 401.
   * @throws TypeError when an option is wrong.
   */
  echo<Data = unknown>(options?: CallOptions<Data>): Promise<EchoResponse<Data>>;
  /**
   * Reads the credentials of this client now: pass them as `credentials` to calls that must not wait for them later, such
   * as those of the outbox, whose claims expire. Rejects with what the credentials function throws.
   */
  readCredentials(): Authorization | Promise<Authorization>;
  /**
   * Until when a 429 pauses the calls of this client; `undefined` when none does. A pause ends by itself, after
   * `maxPauseMs` at the latest.
   */
  readonly pausedUntil: Date | undefined;
  /** Lifts the pause after a 429, also those of calls with credentials of their own: waiting calls go on at once. */
  resume(): void;
  /**
   * Waits until all calls have settled, and closes the sockets, unless the dispatcher is yours. A later call is
   * `not_sent`; a run of `updateOrders` reads no further, and what it has not sent is `not_sent`, too.
   */
  close(): Promise<void>;
  /** Like `close`, but aborts calls in flight: each fails with an `AbortError` whose outcome says how far it came. */
  destroy(): Promise<void>;
}

/** What a runtime brings to a client. */
export interface Platform {
  readonly transport: Transport;
  readonly connections?: Connections | undefined;
  /** What measures time. */
  readonly clock?: Clock;
  /** Frees the resources of the transport. */
  readonly release: () => Promise<void>;
  /** Length of a text in UTF-8, in bytes. */
  readonly measure?: (text: string) => number;
  /** Makes a faster schema. */
  readonly compile?: (schema: OrderUpdateSchema) => OrderUpdateSchema;
  /** Wraps each call, for tracing and metrics. */
  readonly wrap?: (makeCall: MakeCall) => MakeCall;
  /** Validates the update of a call, and traces and counts an invalid one, which `wrap` never sees. */
  readonly validate?: typeof updateOperation;
}

/** Makes a client out of its steps: lane, retries, attempt, transport. @throws TypeError for a wrong option. */
export function createClient<Update extends OrderUpdate, ClientData>(
  options: OrdersClientOptions<Update, ClientData>,
  transport: 'undici' | 'fetch',
  createPlatform: (origin: string) => Platform,
): OrdersClient<Update, ClientData> {
  const core = createCore(options as unknown as OrdersClientOptions, createPlatform);
  const { rateLimit, execute, close, destroy } = core;
  const resolve = (method: string, options: CallOptions | undefined) =>
    options ? core.resolve({ method, options }) : core.options;
  const send = async (method: string, token: string, update: Update, own?: CallOptions) =>
    execute(core.validate(token, update), resolve(method, own));

  const client = {
    transport,
    updateOrder: (token: string, update: Update, own?: CallOptions) =>
      send('updateOrder', token, update, own),
    safeUpdateOrder: (token: string, update: Update, own?: CallOptions) =>
      toResult(send('safeUpdateOrder', token, update, own)),
    updateOrders: (source: Iterable<UpdateOrdersItem<Update>>, own?: UpdateOrdersOptions) =>
      updateOrders(core, source, own ?? {}),
    prepareUpdateOrder: (token: string, update: Update) =>
      new PreparedRequest(core, updateOperation(core, token, update)),
    echo: async (own?: CallOptions) =>
      execute(echoOperation, { ...resolve('echo', own), responseSchema: own?.responseSchema }),
    readCredentials: () => authorize(core.options.credentials),
    get pausedUntil() {
      const pausedMs = rateLimit.pausedMs(core.options.credentials);
      if (pausedMs === 0) return undefined;
      return new Date(Date.now() + (pausedMs < Number.POSITIVE_INFINITY ? pausedMs : 0));
    },
    resume: () => rateLimit.resume(),
    close,
    destroy,
    [Symbol.asyncDispose]: close,
  };
  // The types of updates and data exist only for the user.
  return client as unknown as OrdersClient<Update, ClientData>;
}

/** Resolves the options, puts the steps together, and keeps the calls in flight. */
function createCore(
  options: OrdersClientOptions,
  createPlatform: (origin: string) => Platform,
): ClientCore & Pick<OrdersClient, 'close' | 'destroy'> {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  check(
    !(window && document) || options.dangerouslyAllowBrowser,
    'This is a browser: anyone could read the key. Call the service from your server.',
  );
  const resolved = resolveClientOptions(options);
  const { classifyResponse } = options;
  const baseUrl = parseBaseUrl(options.baseUrl, options.allowInsecureHttp ?? false);
  const { host } = baseUrl;
  const maxResponseBytes = checkCount('maxResponseBytes', options.maxResponseBytes ?? 1_048_576);
  const maxPauseMs = checkMs('maxPauseMs', options.maxPauseMs ?? 3_600_000);
  const isOrdered = options.ordering !== 'none';
  const platform = createPlatform(baseUrl.origin);
  const { transport, connections, release, clock, measure = byteLength, compile = (own) => own } = platform;
  const rateLimit = new RateLimit(options.rateLimit, maxPauseMs, clock);
  const { validate = updateOperation, wrap = (makeCall) => makeCall } = platform;
  const schema = compile(options.schema ?? (OrderUpdate as unknown as OrderUpdateSchema));

  const { random } = Math;
  const { credentials } = resolved;
  const context: AttemptContext = {
    transport,
    connections,
    baseUrl,
    classifyResponse,
    maxResponseBytes,
    rateLimit,
    random,
    // A browser names itself, and first asks other hosts about such a header.
    ownHeaders: options.dangerouslyAllowBrowser
      ? {}
      : { 'user-agent': `orders-client/${version} ${runtime}` },
    // What a function returns is known once a call has read it.
    lastRedact: typeof credentials === 'function' ? (text) => text : createRedactor(credentials),
  };
  const attempts = withRetries(createAttempt(context), { rateLimit, random });
  const steps = isOrdered ? withLanes(attempts) : attempts;
  const calls = new Set<Call>();
  const released = Promise.withResolvers<void>();
  const closed = new AbortController();
  let isReleased = false;

  const makeCall = wrap(async (call) => {
    try {
      const result = unsentFailure(call) ?? (await steps(call));
      if (result.code) throw createError(call, result);
      const { outcome, data, status, headers } = result;
      return { ...summarize(call, outcome), outcome, data, status, headers };
    } finally {
      call.deadline.release();
      calls.delete(call);
      releaseIfIdle();
    }
  });

  function unsentFailure(call: Call): AttemptFailure | undefined {
    if (call.deadline.aborted) return abortedFailure(call);
    return closed.signal.aborted ? closedFailure : call.options.bulk?.refusal();
  }

  function execute(operation: Operation, callOptions: ResolvedCallOptions): Promise<UpdateOrderResponse> {
    const { credentials, timeouts, signal } = callOptions;
    const call: Call = {
      operation,
      options: callOptions,
      deadline: new Deadline(timeouts.total, signal, clock),
      // Before a call has read its own credentials, an error may hold those that were read last.
      redact: typeof credentials === 'function' ? context.lastRedact : createRedactor(credentials),
      attempts: [],
      host,
      bodyBytes: measure(operation.body ?? ''),
      calledAt: Date.now(),
    };
    calls.add(call);
    return makeCall(call);
  }

  function stopRun(run: object, reason: unknown): void {
    for (const { deadline, options } of [...calls]) if (options.bulk?.run === run) deadline.stop(reason);
  }

  function releaseIfIdle(): void {
    if (!closed.signal.aborted || isReleased || calls.size > 0) return;
    isReleased = true;
    released.resolve(release());
  }

  async function close(): Promise<void> {
    closed.abort();
    releaseIfIdle();
    return released.promise;
  }

  async function destroy(): Promise<void> {
    const closing = close();
    for (const { deadline } of [...calls]) deadline.abort(new Error('The client was destroyed.'));
    return closing;
  }

  return {
    schema,
    baseUrl: baseUrl.origin + baseUrl.prefix,
    host,
    isOrdered,
    rateLimit,
    closed: closed.signal,
    options: resolved,
    resolve: (own) => resolveCallOptions(resolved, own),
    validate: (token, update) => validate({ schema, host }, token, update),
    execute,
    stopRun,
    close,
    destroy,
  };
}

const closedFailure: AttemptFailure = {
  code: 'connection_error',
  outcome: 'not_sent',
  what: 'the client is closed',
};
