import { type AnswerHead, headerOf } from './exchange.ts';

/** How long the service asks to wait, in milliseconds from `now` (Unix time in milliseconds), if it asks. */
export function askedDelay({ status, headers }: AnswerHead, now: number): number | undefined {
  const retryAfter = parseDelay(headerOf(headers, 'retry-after'), now);
  if (retryAfter !== undefined || status !== 429) return retryAfter;
  return parseDelay(headerOf(headers, 'ratelimit-reset') || headerOf(headers, 'x-ratelimit-reset'), now);
}

/** Seconds to wait, an HTTP date, or, as some services write it, a Unix time in seconds. Anything else is as good as absent. */
function parseDelay(text: string, now: number): number | undefined {
  const isDate = /^[A-Z][a-z]{2,8},? /.test(text);
  if (!isDate && !/^\d{1,15}(\.\d{1,9})?$/.test(text)) return undefined;
  const ms = isDate ? Date.parse(text) : Number(text) * 1_000;
  if (Number.isNaN(ms)) return undefined;
  // No service asks to wait for thirty years, and no clock stands in 1970.
  return isDate || ms > 1e12 ? Math.max(0, ms - now) : Math.ceil(ms);
}
