import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { Agent } from 'undici';
import { attemptWith } from './attempt.ts';
import { withAttempts } from './attempts.ts';
import { parseBaseUrl } from './base-url.ts';
import { abortedCall, type Call, type CallSuccess, endOf, type Operation } from './call.ts';
import { Deadline } from './deadline.ts';
import { ConnectionError } from './errors.ts';
import { inLanes } from './lanes.ts';
import {
  type CallOptions,
  callSettings,
  checkMs,
  clientSettings,
  type OrdersClientOptions,
} from './settings.ts';
import { undiciTransport } from './undici-transport.ts';

/** A connection to the service: what the endpoint functions send through. It shows no key. */
export interface OrdersConnection<Update extends OrderUpdate = OrderUpdate> {
  /** The schema that updates are checked with. */
  readonly schema: OrderUpdateSchema<Update>;
  /** Makes a call. The endpoint functions use it; an application calls them. @internal */
  perform(operation: Operation, options: CallOptions<unknown>): Promise<CallSuccess>;
  /** Ends when all calls have settled, and closes the sockets, unless the dispatcher is yours. A later call is `not_sent`. */
  close(): Promise<void>;
}

/**
 * Connects the endpoint functions to a service. Nothing is sent until the first call.
 *
 * @throws TypeError when an option is missing or out of range; the message says what to write.
 */
export function createConnection<Update extends OrderUpdate = OrderUpdate>(
  options: OrdersClientOptions<Update>,
): OrdersConnection<Update> {
  refuseBrowser(options.dangerouslyAllowBrowser ?? false);
  const settings = clientSettings(options);
  const baseUrl = parseBaseUrl(options.baseUrl, options.allowInsecureHttp ?? false);
  const connectMs = checkMs('timeouts.connect', options.timeouts?.connect ?? 5_000);
  const maxResponseBytes = options.maxResponseBytes ?? 1_048_576;
  if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
    throw new TypeError('maxResponseBytes: write a whole number of bytes from 1 on.');
  }
  // A dispatcher that was passed in is its owner's to close.
  const ownAgent = options.dispatcher ? undefined : new Agent({ connect: { timeout: connectMs } });
  const transport = undiciTransport(options.dispatcher ?? (ownAgent as Agent));
  const attempt = attemptWith({ transport, baseUrl, classify: options.classify, maxResponseBytes });
  const attempts = withAttempts(attempt, Math.random);
  const layers = options.ordering === 'none' ? attempts : inLanes(attempts);
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function perform(operation: Operation, callOptions: CallOptions<unknown>): Promise<CallSuccess> {
    const { responseSchema, signal } = callOptions;
    const call: Call = {
      operation,
      settings: callSettings(settings, callOptions),
      responseSchema,
      deadline: new Deadline(callOptions.timeouts?.total ?? settings.timeouts.total, signal),
      attempts: [],
      calledAt: Date.now(),
    };
    if (signal?.aborted) throw abortedCall(call);
    if (closing) throw closedClient(call);
    const settled = layers(call);
    running.add(settled);
    try {
      return await settled;
    } finally {
      running.delete(settled);
    }
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled(running);
    await ownAgent?.close();
  }

  return {
    schema: options.schema ?? (OrderUpdate as unknown as OrderUpdateSchema<Update>),
    perform,
    close: () => (closing ??= closeAll()),
  };
}

function closedClient(call: Call): ConnectionError {
  return new ConnectionError(`${call.operation.label}: the client is closed. Nothing was sent.`, endOf(call));
}

function refuseBrowser(allowed: boolean): void {
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  if (window && document && !allowed) {
    throw new TypeError(
      'This is a browser: whoever opens the page could read the key. Call the service from your server, and validate here with @orders/schema.',
    );
  }
}
