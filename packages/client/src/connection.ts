import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { attemptWith } from './attempt.ts';
import { withAttempts } from './attempts.ts';
import { parseBaseUrl } from './base-url.ts';
import { abortedCall, type Call, type CallSuccess, endOf, type Layer } from './call.ts';
import { Deadline } from './deadline.ts';
import { ConnectionError } from './errors.ts';
import type { Transport } from './exchange.ts';
import { inLanes } from './lanes.ts';
import { labelOf, type Operation } from './operation.ts';
import { RateLimit } from './rate-limit.ts';
import { type CallOptions, type ConnectionOptions, callSettings, clientSettings } from './settings.ts';

/** A connection to the service: what the endpoint functions send through. It shows no key. */
export interface OrdersConnection<Update extends OrderUpdate = OrderUpdate> {
  /** The schema that updates are checked with. */
  readonly schema: OrderUpdateSchema<Update>;
  /** The origin and the path prefix that requests go to. */
  readonly baseUrl: string;
  /** Whether updates to one order leave one at a time. */
  readonly ordered: boolean;
  /** How long the service's pause after a 429 still lasts, in milliseconds. */
  pausedMs(): number;
  /** Makes a call. The endpoint functions use it; an application calls them. */
  perform(operation: Operation, options: CallOptions<unknown>): Promise<CallSuccess>;
  /** Ends when all calls have settled, and closes the sockets, unless the dispatcher is yours. A later call is `not_sent`. */
  close(): Promise<void>;
}

/** What a runtime brings to a connection. */
export interface Runtime {
  readonly transport: Transport;
  /** A layer around all others, such as tracing. */
  readonly outermost: (next: Layer) => Layer;
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
  refuseBrowser(options.dangerouslyAllowBrowser ?? false);
  const settings = clientSettings(options);
  const baseUrl = parseBaseUrl(options.baseUrl, options.allowInsecureHttp ?? false);
  const maxResponseBytes = checkBytes(options.maxResponseBytes ?? 1_048_576);
  const limit = new RateLimit(options.rateLimit);
  const ordered = options.ordering !== 'none';
  const { transport, outermost, byteLength, release } = runtime(options);

  const attempt = attemptWith({ transport, baseUrl, classify: options.classify, maxResponseBytes });
  const attempts = withAttempts(attempt, limit, Math.random);
  const layers = outermost(ordered ? inLanes(attempts) : attempts);
  let running = 0;
  let closing: Promise<void> | undefined;
  let onIdle = (): void => {};

  async function perform(operation: Operation, callOptions: CallOptions<unknown>): Promise<CallSuccess> {
    const { responseSchema, signal, beforeAttempt, afterAttempt } = callOptions;
    const ownSettings = callSettings(settings, callOptions);
    const call: Call = {
      operation,
      settings: ownSettings,
      responseSchema,
      deadline: new Deadline(ownSettings.timeouts.total, signal),
      attempts: [],
      beforeAttempt,
      afterAttempt,
      bodyBytes: byteLength(operation.body ?? ''),
      calledAt: Date.now(),
    };
    if (signal?.aborted) throw abortedCall(call);
    if (closing) throw closedClient(call);
    running++;
    try {
      return await layers(call);
    } finally {
      if (--running === 0) onIdle();
    }
  }

  async function closeAll(): Promise<void> {
    if (running > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await release();
  }

  return {
    schema: options.schema ?? (OrderUpdate as unknown as OrderUpdateSchema<Update>),
    baseUrl: baseUrl.origin + baseUrl.prefix,
    ordered,
    pausedMs: () => limit.pausedMs(performance.now()),
    perform,
    close: () => (closing ??= closeAll()),
  };
}

function closedClient(call: Call): ConnectionError {
  return new ConnectionError(
    `${labelOf(call.operation)}: the client is closed. Nothing was sent.`,
    endOf(call),
  );
}

function checkBytes(bytes: number): number {
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new TypeError('maxResponseBytes: write a whole number of bytes from 1 on.');
}

function refuseBrowser(allowed: boolean): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  if (window && document && !allowed) {
    throw new TypeError(
      'This is a browser: whoever opens the page could read the key. Call the service from your server, and validate here with @orders/schema.',
    );
  }
}
