/** Runs the order service of `@orders/testing` in a process of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, startMockOrderService } from '@orders/testing';
import { apiKey, indexOf, monotonicMs, tokenOf } from './workload.ts';

export interface OrderServiceSettings {
  /** Orders that it holds. */
  readonly orders: number;
  /** @default a free one */
  readonly port?: number;
  /** Fails one request in so many, and goes down once; the same seed brings the same faults. */
  readonly faults?: { readonly every: number; readonly seed: number };
}

/** What the service has seen since it was last reset. */
export interface ServiceRecord {
  /** When each request arrived, by `monotonicMs`. */
  readonly arrivals: readonly number[];
  /** The numbers of the updates, in the sequence in which they were applied. */
  readonly applied: readonly number[];
  /** How many faults of each type it played. */
  readonly faults: Readonly<Record<string, number>>;
}

export async function start({ orders, port = 0, faults }: OrderServiceSettings) {
  const tokens = Array.from({ length: orders }, (_, order) => tokenOf(order));
  const service = await startMockOrderService({ port, keys: [apiKey], orders: tokens, now: monotonicMs });
  if (faults) {
    service.faults.next({ type: 'none' }, { times: 200 });
    service.faults.next({ type: 'restart', downMs: 50 });
    service.faults.sometimes(requestFaults, { probability: 1 / faults.every, seed: faults.seed });
  }
  const applied = (): number[] => service.ledger.map(({ body }) => indexOf(body));
  return {
    url: () => service.url,
    /** Waits until so many different updates were applied; resolves with whether they were in time. */
    async waitFor(updates: number, withinMs: number): Promise<boolean> {
      const late = delay(withinMs, false, { ref: false });
      for (;;) {
        const known = applied();
        const missing = updates - new Set(known).size;
        if (missing <= 0) return true;
        const arrived = service.waitForRequests(known.length + missing).then(() => true);
        if (!(await Promise.race([arrived, late]))) return false;
        // Requests that are not applied also count as arrived.
        if (new Set(applied()).size < updates) await delay(5);
      }
    },
    /** How many requests came, and when the last one did. */
    latest: () => ({ count: service.journal.length, at: service.journal.at(-1)?.at ?? Number.NaN }),
    record(): ServiceRecord {
      const played = Object.groupBy(service.faults.played, ({ fault }) => fault.type);
      const counts = Object.entries(played).map(([type, all]) => [type, all.length]);
      return {
        arrivals: service.journal.map(({ at }) => at),
        applied: applied(),
        faults: Object.fromEntries(counts),
      };
    },
    reset: () => service.reset(),
    /** What is in flight may still be applied until it resolves. */
    close: () => service.close(),
  };
}

/**
 * Every fault but those that only take long. A service that rejects an update and applies it all the same is not among
 * them, since no client can count that right; a proxy's page instead of a broken connection is: its outcome is unknown.
 */
const requestFaults: readonly Fault[] = [
  { type: 'status', status: 429, headers: { 'retry-after': '0' } },
  { type: 'status', status: 503, headers: { 'retry-after': '0' }, applied: true },
  { type: 'status', status: 404, headers: { 'content-type': 'text/html' }, applied: true },
  { type: 'status', status: 422 },
  { type: 'status', status: 500 },
  { type: 'status', status: 502, applied: true },
  { type: 'redirect' },
  { type: 'empty' },
  { type: 'no_content' },
  { type: 'invalid_json' },
  { type: 'wrong_media_type' },
  { type: 'wrong_media_type', applied: true },
  { type: 'latency', ms: 20 },
  { type: 'stalled_headers' },
  { type: 'stalled_body' },
  { type: 'truncation' },
  { type: 'oversize', bytes: 2_097_152 },
  { type: 'oversize', bytes: 2_097_152, chunked: true },
  { type: 'close_after_response' },
  { type: 'garbage' },
  { type: 'reset_on_accept' },
  { type: 'reset_before_body' },
  { type: 'reset_on_reuse' },
  { type: 'reset_before_applying' },
  { type: 'reset_after_applying' },
];
