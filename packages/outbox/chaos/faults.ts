import type { Fault, OrderService } from '@orders/testing';

/** Every kind of fault that an update can meet. */
const kinds: readonly Fault[] = [
  { fault: 'status', status: 400 },
  { fault: 'status', status: 409 },
  { fault: 'status', status: 429, headers: { 'retry-after': '0' } },
  { fault: 'status', status: 500 },
  { fault: 'status', status: 503 },
  // Pages of proxies whose connection to the service broke after it had applied the update.
  { fault: 'status', status: 503, headers: { 'retry-after': '0' }, applied: true },
  { fault: 'status', status: 404, headers: { 'content-type': 'text/html' }, applied: true },
  { fault: 'redirect' },
  { fault: 'empty' },
  { fault: 'no_content' },
  { fault: 'invalid_json' },
  { fault: 'wrong_media_type' },
  { fault: 'latency', ms: 300 },
  { fault: 'stalled_headers' },
  { fault: 'stalled_headers', applied: false },
  { fault: 'stalled_body' },
  { fault: 'truncation' },
  { fault: 'close_after_answer' },
  { fault: 'oversize', bytes: 2_000_000 },
  { fault: 'garbage' },
  { fault: 'reset_before_body' },
  { fault: 'reset_before_applying' },
  { fault: 'reset_on_reuse' },
  { fault: 'reset_after_applying' },
];

/** Makes one update in ten meet a fault, of any kind, the same ones for each seed. */
export function makeItFail(service: OrderService, seed: number): void {
  for (const [index, fault] of kinds.entries()) {
    service.faults.sometimes(fault, { probability: 0.1 / kinds.length, seed: seed * 1_000 + index });
  }
}
