import type { Credentials } from '@orders/auth';
import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { withAttempts } from './attempts.ts';
import { parseBaseUrl } from './base-url.ts';
import { abortedCall, type Call, type CallSuccess, errorOf } from './call.ts';
import { check, checkMs, checkWhole } from './check.ts';
import { Deadline } from './deadline.ts';
import type { Transport } from './exchange.ts';
import type { Defeat } from './judge.ts';
import { inLanes } from './lanes.ts';
import type { Operation } from './operation.ts';
import { RateLimit } from './rate-limit.ts';
import { Receipt } from './receipt.ts';
import { scrubberOf } from './scrub.ts';
import { type CallOptions, type ConnectionOptions, callSettings, clientSettings } from './settings.ts';

/** A connection to the service: what the endpoint functions send through. It shows no key. */
export interface OrdersConnection<Update extends OrderUpdate = OrderUpdate> {
  /** The schema that updates are checked with. */
  readonly schema: OrderUpdateSchema<Update>;
  /** The origin and the path prefix that requests go to. */
  readonly baseUrl: string;
  /** Whether updates to one order leave one at a time. */
  readonly ordered: boolean;
  /** How fast updates may leave, and who must wait. */
  readonly limit: RateLimit;
  /** What requests are sent with, unless a call brings its own. */
  readonly credentials: Credentials;
  /** What every request carries, without what proves who calls. */
  readonly headers: Readonly<Record<string, string>>;
  /** Makes a call. The endpoint functions use it; an application calls them. */
  perform(operation: Operation, options: CallOptions<unknown>): Promise<CallSuccess>;
  /** Ends when all calls have settled, and closes the sockets, unless the dispatcher is yours. A later call is `not_sent`. */
  close(): Promise<void>;
}

/** Makes a call: it rejects with an `OrdersError`. */
export type MakeCall = (call: Call) => Promise<CallSuccess>;

/** What a runtime brings to a connection. */
export interface Runtime {
  readonly transport: Transport;
  /** What goes around each call, such as tracing. */
  readonly outermost: (makeCall: MakeCall) => MakeCall;
  /** Length of a text in UTF-8, counted as cheaply as the runtime can. */
  readonly byteLength: (text: string) => number;
  /** Frees what the transport holds. */
  readonly release: () => Promise<void>;
}

/** Puts the layers of a connection together: lane, rate limit and attempts, attempt, transport, judge. */
export function openConnection<Update extends OrderUpdate>(
  options: ConnectionOptions<Update>,
  runtime: (options: ConnectionOptions<Update>) => Runtime,
): OrdersConnection<Update> {
  const { schema = OrderUpdate as unknown as OrderUpdateSchema<Update>, classify } = options;
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  check(
    !(window && document) || options.dangerouslyAllowBrowser,
    'This is a browser: anyone could read the key. Call the service from your server.',
  );
  const settings = clientSettings(options);
  const { credentials, headers } = settings;
  const baseUrl = parseBaseUrl(options.baseUrl, options.allowInsecureHttp ?? false);
  const maxResponseBytes = checkWhole('maxResponseBytes', options.maxResponseBytes ?? 1_048_576);
  const limit = new RateLimit(options.rateLimit, checkMs('maxPauseMs', options.maxPauseMs ?? 3_600_000));
  const ordered = options.ordering !== 'none';
  const { transport, outermost, byteLength, release } = runtime(options);

  const { random } = Math;
  const lastScrub = typeof credentials === 'function' ? (text: string) => text : scrubberOf(credentials);
  const context = { transport, baseUrl, classify, maxResponseBytes, limit, random, lastScrub };
  const attempts = withAttempts(context);
  const layers = ordered ? inLanes(attempts) : attempts;
  const released = Promise.withResolvers<void>();
  let closed = false;
  /** The calls under way, and one more until the connection is closed. */
  let users = 1;
  const leave = (): void => {
    if (--users === 0) released.resolve(release());
  };
  const makeCall = outermost(async (call) => {
    const verdict = await layers(call);
    if (verdict.code) throw errorOf(call, verdict);
    return { ...verdict, attempts: call.attempts.length, receipt: new Receipt(call) };
  });

  async function perform(operation: Operation, callOptions: CallOptions): Promise<CallSuccess> {
    // Most calls have no options of their own.
    const ownSettings = Object.keys(callOptions).length > 0 ? callSettings(settings, callOptions) : settings;
    const { credentials, timeouts, signal } = ownSettings;
    const call: Call = {
      operation,
      settings: ownSettings,
      deadline: new Deadline(timeouts.total, signal),
      scrub: typeof credentials === 'function' ? context.lastScrub : scrubberOf(credentials),
      attempts: [],
      bodyBytes: byteLength(operation.body ?? ''),
      calledAt: Date.now(),
    };
    const refusal = signal?.aborted ? abortedCall(call) : closed && closedClient;
    if (refusal) throw errorOf(call, refusal);
    users++;
    try {
      return await makeCall(call);
    } finally {
      leave();
    }
  }

  return {
    schema,
    baseUrl: baseUrl.origin + baseUrl.prefix,
    ordered,
    limit,
    credentials,
    headers,
    perform,
    close() {
      if (!closed) leave();
      closed = true;
      return released.promise;
    },
  };
}

const closedClient: Defeat = {
  code: 'connection_failed',
  outcome: 'not_sent',
  what: 'the client is closed',
};
