import type { AnswerHead } from './exchange.ts';

type HeaderValue = string | readonly string[] | undefined;

/** How long the service asks to wait, in milliseconds from `now` (Unix time in milliseconds), if it asks. */
export function askedDelay({ status, headers }: AnswerHead, now: number): number | undefined {
  const retryAfter = parseRetryAfter(headers['retry-after'], now);
  if (retryAfter !== undefined || status !== 429) return retryAfter;
  return parseReset(headers['ratelimit-reset'] ?? headers['x-ratelimit-reset'], now);
}

/** `Retry-After` (RFC 9110): whole seconds, or an HTTP date. Anything else is as good as absent. */
export function parseRetryAfter(value: HeaderValue, now: number): number | undefined {
  const text = first(value);
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The reset of a rate limit: seconds to wait, or, as some services write it, a Unix time in seconds. */
function parseReset(value: HeaderValue, now: number): number | undefined {
  const text = first(value);
  if (!/^\d{1,12}(\.\d{1,9})?$/.test(text)) return undefined;
  const seconds = Number(text);
  // No service asks to wait for thirty years, and no clock stands in 1970.
  return seconds > 1e9 ? Math.max(0, seconds * 1_000 - now) : Math.ceil(seconds * 1_000);
}

function first(value: HeaderValue): string {
  const text = typeof value === 'string' ? value : value?.[0];
  return text?.trim() ?? '';
}
