import type { Scrub } from './scrub.ts';

/**
 * Keeps what a cause says and drops what it carries: an error of the HTTP parser holds the raw bytes of
 * the answer, and these may echo the key.
 */
export function cleanCause(cause: unknown, scrub: Scrub): Error | undefined {
  if (cause === undefined) return undefined;
  // A host of several addresses fails with one error for each.
  const error = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const { name, message, code } = Object(error) as { name?: unknown; message?: unknown; code?: unknown };
  const clean = new Error(scrub(String(message ?? error).trim()));
  clean.name = String(name ?? 'Error');
  clean.stack = `${clean.name}: ${clean.message}`;
  return typeof code === 'string' ? Object.assign(clean, { code }) : clean;
}

/** What a cause is called in a message: its code, else its own message. */
export function nameOfCause(cause: Error | undefined): string {
  if (!cause) return '';
  return 'code' in cause ? ` (${String(cause.code)}: ${cause.message})` : ` (${cause.message})`;
}
