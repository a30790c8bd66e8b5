import type { Fault, MockOrderService } from '@orders/testing';

export type Outcome = 'applied' | 'rejected' | 'not_sent' | 'unknown';

/** What the service does to a program, by name. */
export interface JudgeCase {
  readonly name: string;
  /** What a request meets, for `--list`. */
  readonly about: string;
  /** What an honest client can know from that, by the table of outcomes. */
  readonly means: Outcome;
  /** Whether a client that keeps its time limit can know it. */
  readonly isKnowable: boolean;
  /** Makes the service fail so, for orders with these tokens. */
  readonly prepare: (service: MockOrderService, tokens: readonly string[]) => void;
}

type Row = readonly [name: string, means: Outcome, about: string, fault: Fault];

/**
 * Every case. But for `refused`, the first PATCH of each order meets the fault, and no other does.
 *
 * @param timeoutMs The time limit of an attempt that the program gets.
 * @param elsewhere The URL of a page on another host.
 */
export function judgeCases(timeoutMs: number, elsewhere: string): readonly JudgeCase[] {
  const rows: readonly Row[] = [
    ['healthy', 'applied', 'no fault', { type: 'none' }],
    ['refused', 'not_sent', 'nothing listens, during the whole case', { type: 'connection_refused' }],
    ['reset-lost', 'unknown', 'a reset after the request; not applied', { type: 'reset_before_applying' }],
    ['reset-applied', 'unknown', 'a reset after the request; applied', { type: 'reset_after_applying' }],
    ['stalled', 'unknown', 'no response on an open connection; applied', { type: 'stalled_headers' }],
    ['slow', 'applied', 'a 200 after 1.5 time limits; applied', { type: 'latency', ms: timeoutMs * 1.5 }],
    ['stalled-200', 'applied', 'half of the JSON of a 200, then nothing; applied', { type: 'stalled_body' }],
    ['truncated-200', 'applied', 'half of the JSON of a 200, then the end; applied', { type: 'truncation' }],
    ['broken-200', 'applied', 'a 200 whose JSON cannot be read; applied', { type: 'invalid_json' }],
    ['empty-200', 'applied', 'a 200 of type JSON without a body; applied', { type: 'empty' }],
    ['no-content', 'applied', 'a 204; applied', { type: 'no_content' }],
    ['page-200', 'unknown', 'a 200 with a proxy’s HTML page; not applied', { type: 'wrong_media_type' }],
    ['not-http', 'unknown', 'bytes that are not HTTP; applied', { type: 'garbage', applied: true }],
    ['redirect-302', 'unknown', 'a 302 to a page on another host; not applied', redirect(302, elsewhere)],
    ['redirect-307', 'unknown', 'a 307 to a page on another host; not applied', redirect(307, elsewhere)],
    ['refusal-400', 'rejected', 'a 400 with JSON; not applied', status(400, false)],
    ['refusal-409', 'rejected', 'a 409 with JSON; not applied', status(409, false)],
    ['page-404', 'unknown', 'a 404 with a proxy’s HTML page, in place of a failure; applied', page(404)],
    ['timeout-408', 'unknown', 'a 408 with JSON; applied', status(408, true)],
    ['limited', 'rejected', 'a 429 with Retry-After: 1; not applied', status(429, false, '1')],
    ['limited-for-long', 'rejected', 'a 429 with Retry-After: 3600; not applied', status(429, false, '3600')],
    ['failed-500', 'unknown', 'a 500 with JSON; applied', status(500, true)],
    ['page-502', 'unknown', 'a 502 with a proxy’s HTML page; applied', page(502)],
    ['lost-503', 'unknown', 'a 503 with JSON; not applied', status(503, false)],
    ['applied-503', 'unknown', 'a 503 with Retry-After: 1 and a proxy’s HTML page; applied', page(503, '1')],
    ['page-504', 'unknown', 'a 504 with a proxy’s HTML page; applied', page(504)],
  ];
  return rows.map(([name, means, about, fault]) => ({
    name,
    about,
    means,
    isKnowable: means !== 'unknown' && fault.type !== 'latency',
    prepare({ faults }, tokens) {
      if (fault.type === 'connection_refused') faults.always(fault);
      else for (const token of tokens) faults.next(fault, { token, method: 'PATCH' });
    },
  }));
}

function redirect(code: 302 | 307, location: string): Fault {
  return { type: 'redirect', status: code, location };
}

function status(code: number, applied: boolean, retryAfter?: string): Fault {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { type: 'status', status: code, applied, headers };
}

function page(code: number, retryAfter?: string): Fault {
  const headers = { 'content-type': 'text/html', ...(retryAfter && { 'retry-after': retryAfter }) };
  const body = `<!doctype html><title>${code}</title><h1>${code}</h1>`;
  return { type: 'status', status: code, applied: true, headers, body };
}
