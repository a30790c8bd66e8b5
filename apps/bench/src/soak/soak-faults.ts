import type { Fault } from '@orders/testing';

/**
 * What may go wrong with a request: everything but faults that would only take long. A service that says
 * "not taken" and takes it all the same is not among them, because no client could count that right.
 * A proxy's page in place of a connection that broke is: its outcome is unknown.
 */
export const soakFaults: readonly Fault[] = [
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

/** The service itself goes down once in a while. */
export const soakRestart: Fault = { type: 'restart', downMs: 50 };
