import type { Fault } from '@orders/testing';

/**
 * What may go wrong with a request: everything but faults that would only take long. A service that says
 * "not taken" and takes it all the same is not among them, because no client could count that right.
 * A proxy's page in place of a connection that broke is: its outcome is unknown.
 */
export const soakFaults: readonly Fault[] = [
  { fault: 'status', status: 429, headers: { 'retry-after': '0' } },
  { fault: 'status', status: 503, headers: { 'retry-after': '0' }, applied: true },
  { fault: 'status', status: 404, headers: { 'content-type': 'text/html' }, applied: true },
  { fault: 'status', status: 422 },
  { fault: 'status', status: 500 },
  { fault: 'status', status: 502, applied: true },
  { fault: 'redirect' },
  { fault: 'empty' },
  { fault: 'no_content' },
  { fault: 'invalid_json' },
  { fault: 'wrong_media_type' },
  { fault: 'wrong_media_type', applied: true },
  { fault: 'latency', ms: 20 },
  { fault: 'stalled_headers' },
  { fault: 'stalled_body' },
  { fault: 'truncation' },
  { fault: 'oversize', bytes: 2_097_152 },
  { fault: 'oversize', bytes: 2_097_152, chunked: true },
  { fault: 'close_after_answer' },
  { fault: 'garbage' },
  { fault: 'reset_on_accept' },
  { fault: 'reset_before_body' },
  { fault: 'reset_on_reuse' },
  { fault: 'reset_before_applying' },
  { fault: 'reset_after_applying' },
];

/** The service itself goes down once in a while. */
export const soakRestart: Fault = { fault: 'restart', downMs: 50 };
