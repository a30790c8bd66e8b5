import type { Scrub } from './scrub.ts';

/**
 * Keeps what a cause says and drops what it carries: an error of the HTTP parser holds the raw bytes of
 * the answer, and these may echo the key.
 */
export function cleanCause(cause: unknown, scrub: Scrub): Error | undefined {
  if (cause === undefined) return undefined;
  const { name, message, code } = read(cause);
  const clean = new Error(scrub(message));
  clean.name = name;
  clean.stack = `${clean.name}: ${clean.message}`;
  return typeof code === 'string' ? Object.assign(clean, { code }) : clean;
}

/** Anything can be thrown, even what throws when it is read. */
function read(cause: unknown): { readonly name: string; readonly message: string; readonly code: unknown } {
  try {
    // A host of several addresses fails with one error for each.
    const error = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
    const { name, message, code } = Object(error) as { name?: unknown; message?: unknown; code?: unknown };
    return { name: String(name ?? 'Error'), message: String(message ?? error).trim(), code };
  } catch {
    return { name: 'Error', message: 'what was thrown cannot be read', code: undefined };
  }
}

/** What a cause is called in a message: its code, else its own message. */
export function nameOfCause(cause: Error | undefined): string {
  if (!cause) return '';
  return 'code' in cause ? ` (${String(cause.code)}: ${cause.message})` : ` (${cause.message})`;
}
