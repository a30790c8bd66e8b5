import type { Fault, MockOrderService } from '@orders/testing';

/** Every kind of fault that an update can meet. */
const kinds: readonly Fault[] = [
  { type: 'status', status: 400 },
  { type: 'status', status: 409 },
  { type: 'status', status: 429, headers: { 'retry-after': '0' } },
  { type: 'status', status: 500 },
  { type: 'status', status: 503 },
  // Pages of proxies whose connection to the service broke after it had applied the update.
  { type: 'status', status: 503, headers: { 'retry-after': '0' }, applied: true },
  { type: 'status', status: 404, headers: { 'content-type': 'text/html' }, applied: true },
  { type: 'redirect' },
  { type: 'empty' },
  { type: 'no_content' },
  { type: 'invalid_json' },
  { type: 'wrong_media_type' },
  { type: 'latency', ms: 300 },
  { type: 'stalled_headers' },
  { type: 'stalled_headers', applied: false },
  { type: 'stalled_body' },
  { type: 'truncation' },
  { type: 'close_after_response' },
  { type: 'oversize', bytes: 2_000_000 },
  { type: 'garbage' },
  { type: 'reset_before_body' },
  { type: 'reset_before_applying' },
  { type: 'reset_on_reuse' },
  { type: 'reset_after_applying' },
];

/** Makes one update in ten meet a fault, of any kind, the same ones for each seed. */
export function makeItFail(service: MockOrderService, seed: number): void {
  for (const [index, fault] of kinds.entries()) {
    service.faults.sometimes(fault, { probability: 0.1 / kinds.length, seed: seed * 1_000 + index });
  }
}
