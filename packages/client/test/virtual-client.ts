import { createClient, type OrdersClient } from '../src/client.ts';
import type { OrdersClientOptions } from '../src/options.ts';
import type { Transport, TransportRequest, TransportResult } from '../src/transport.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** How a service in virtual time treats a request; each part may be left out. */
export interface Treatment {
  /** How long connecting takes before the first byte leaves. */
  readonly connectMs?: number;
  readonly latencyMs?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the connection breaks in place of a response. */
  readonly breaks?: boolean;
}

/** A client whose time is virtual, with a service that is asked how it treats each request when its first byte leaves. */
export interface VirtualClient {
  readonly orders: OrdersClient;
  readonly clock: VirtualClock;
  /** When the first byte of each request left, and the path of the request. */
  readonly departures: readonly Departure[];
  /** Waits in virtual time. */
  sleep(ms: number): Promise<void>;
}

export interface Departure {
  readonly at: number;
  readonly path: string;
}

export function createVirtualClient(
  options: Partial<OrdersClientOptions>,
  treat: (departure: Departure, request: TransportRequest) => Treatment = () => ({}),
  connectMs: (request: TransportRequest) => number = () => 0,
): VirtualClient {
  const clock = createVirtualClock();
  const departures: Departure[] = [];
  const connected = new Set<string>();
  const sleep = (ms: number): Promise<void> =>
    ms > 0 ? new Promise((resolve) => clock.setTimer(resolve, ms)) : Promise.resolve();

  const transport: Transport = async (request, { deadline, timeoutMs }): Promise<TransportResult> => {
    const notSent = { sent: false, response: undefined } as const;
    const aborted = () => ({ failure: 'aborted', cause: deadline.reason }) as const;
    const endsAt = clock.now() + timeoutMs;
    const connectingMs = connected.has(request.path) ? 0 : connectMs(request);
    await sleep(Math.min(timeoutMs, connectingMs));
    if (clock.now() >= endsAt) return { failure: 'timeout', ...notSent };
    if (deadline.aborted) return { ...aborted(), ...notSent };
    // The connection stays open for a request that must wait for its slot.
    connected.add(request.path);
    try {
      if (!request.beforeSend()) return { failure: 'held', ...notSent };
    } catch (cause) {
      return { failure: 'before_send', ...notSent, cause };
    }
    if (deadline.aborted) return { ...aborted(), ...notSent };
    const departure = { at: clock.now(), path: request.path };
    departures.push(departure);
    const { latencyMs = 0, status = 200, headers = {}, breaks = false } = treat(departure, request);
    await sleep(Math.min(latencyMs, endsAt - clock.now()));
    if (clock.now() >= endsAt) return { failure: 'timeout', sent: true, response: undefined };
    if (breaks) return { failure: 'connection', sent: true, response: undefined };
    if (deadline.aborted) return { ...aborted(), sent: true, response: undefined };
    const json = { 'content-type': 'application/json' };
    return {
      failure: undefined,
      sent: true,
      response: { status, headers: { ...json, ...headers }, text: '{}', isUtf8: true },
    };
  };

  const orders = createClient(
    { baseUrl: 'https://orders.example', apiKey: 'swordfish-swordfish', ...options },
    'undici',
    () => ({ transport, clock, release: async () => {} }),
  );
  return { orders: orders as OrdersClient, clock, departures, sleep };
}
