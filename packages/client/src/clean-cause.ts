import type { Scrub } from './scrub.ts';

const maxMessage = 2_000;

/**
 * Keeps the name, message and code of a cause and drops what else it carries: an error of the HTTP parser holds the raw
 * bytes of the response, an error of a database the rows that were to be stored, and both may hold the key.
 */
export function cleanCause(cause: unknown, scrub: Scrub): Error | undefined {
  if (cause === undefined) return undefined;
  const { name, message, code } = read(cause);
  const clean = new Error(scrub(message).slice(0, maxMessage));
  clean.name = scrub(name).slice(0, maxMessage);
  clean.stack = `${clean.name}: ${clean.message}`;
  return typeof code === 'string' ? Object.assign(clean, { code: scrub(code) }) : clean;
}

/** Anything can be thrown, even a value that throws when it is read. */
function read(cause: unknown): { readonly name: string; readonly message: string; readonly code: unknown } {
  try {
    // A host of several addresses fails with one error for each.
    const error = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
    const { name, message, code } = Object(error) as { name?: unknown; message?: unknown; code?: unknown };
    return { name: String(name ?? 'Error'), message: String(message ?? error).trim(), code };
  } catch {
    return { name: 'Error', message: 'an unreadable value', code: undefined };
  }
}

/** A cause in a message: its code, if it has one, and its text. */
export function nameOfCause(cause: Error | undefined): string {
  if (!cause) return '';
  const code = 'code' in cause ? `${cause.code}: ` : '';
  return ` (${code}${cause.message})`;
}
