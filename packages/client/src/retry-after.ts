import { type AnswerHead, headerOf } from './exchange.ts';

/** How long the service asks to wait, in milliseconds from `now` (Unix time in milliseconds), if it asks. */
export function askedDelay({ status, headers }: AnswerHead, now: number): number | undefined {
  const retryAfter = parseRetryAfter(headerOf(headers, 'retry-after'), now);
  if (retryAfter !== undefined || status !== 429) return retryAfter;
  return parseReset(headerOf(headers, 'ratelimit-reset') || headerOf(headers, 'x-ratelimit-reset'), now);
}

/** `Retry-After` (RFC 9110): whole seconds, or an HTTP date. Anything else is as good as absent. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The reset of a rate limit: seconds to wait, or, as some services write it, a Unix time in seconds. */
function parseReset(text: string, now: number): number | undefined {
  if (!/^\d{1,12}(\.\d{1,9})?$/.test(text)) return undefined;
  const ms = Number(text) * 1_000;
  // No service asks to wait for thirty years, and no clock stands in 1970.
  return ms > 1e12 ? Math.max(0, ms - now) : Math.ceil(ms);
}
