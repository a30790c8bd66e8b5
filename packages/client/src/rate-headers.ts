import { headerValue, ownHeader, type ResponseHead } from './transport.ts';

/** In the order in which they count; after a status other than 429 only the first does. */
const names = ['retry-after', 'ratelimit', 'ratelimit-reset', 'x-ratelimit-reset'];

/** No service asks to wait for longer than a year. */
const maxDelayMs = 365 * 86_400_000;

/**
 * How long the service asks to wait, in milliseconds: by `Retry-After`, after a 429 else by the reset of its rate limit.
 * The longest of several values counts. `now` is Unix time in milliseconds, for a response without a `Date`.
 */
export function getRetryAfterMs({ status, headers }: ResponseHead, now: number): number | undefined {
  // The clocks of the service and of this machine may differ.
  const sentAt = parseDate(headerValue(headers, 'date')) || now;
  for (const name of names.slice(0, status === 429 ? 4 : 1)) {
    // A repeated header is a list or joined by commas; a date has one after the day of the week.
    const values = String(ownHeader(headers, name) ?? '').split(/(?<!\b[A-Z][a-z]+),/);
    // Of the policies of a RateLimit, those without requests left caused the 429.
    const spent = values.filter((value) => /; *r=0/.test(value));
    const delays = (spent.length > 0 ? spent : values).map((value) => parseDelay(value, sentAt));
    const ms = Math.max(...delays.filter((delay) => delay <= maxDelayMs));
    if (ms >= 0) return ms;
  }
  return undefined;
}

/** The delay in milliseconds that a value asks for, itself or as its `t` or `reset`; `NaN` if none. */
function parseDelay(value: string, sentAt: number): number {
  const text = (/(?:^|;) *(?:t|reset)=([^;]*)/.exec(value)?.[1] ?? value).trim();
  let at = parseDate(text);
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    // What is too large for a delay in seconds is a Unix time: in milliseconds, or in seconds.
    at = number > 1e11 ? number : number * 1_000 + (number > 1e9 ? 0 : sentAt);
  }
  return Math.ceil(Math.max(0, at - sentAt));
}

/** The Unix time of an HTTP date in milliseconds, else `NaN`. Each form is in GMT, though asctime's does not say so. */
function parseDate(text: string): number {
  const [date] = /^[A-Z][a-z]+,? .*:\d\d( \d+)?(?= GMT$|$)/.exec(text) ?? [];
  return Date.parse(`${date} GMT`);
}
