import { cleanCause } from './clean-cause.ts';

/**
 * Whether what made `fetch` fail certainly came before a byte of the request left. Node and Bun name such causes by
 * codes; whatever else a runtime says, or will say one day, is no proof.
 *
 * "Connection refused" in Deno's words, and `ConnectionRefused` as Bun wrote before 1.4, are none: these say so too
 * when the connection for a second sending of their own is refused.
 */
export function nothingLeft(failure: unknown): boolean {
  try {
    const { name, code, syscall, errors } = Object(rootOf(failure));
    // A host of several addresses fails with one error for each.
    if (Array.isArray(errors) && errors.length > 0) return errors.every(nothingLeft);
    // Deno refuses what it was not allowed before it connects.
    if (name === 'NotCapable') return true;
    if (code === undefined) return false;
    return syscall === 'connect' || syscall === 'getaddrinfo' || early.test(String(code));
  } catch {
    // A `fetch` of the user's own may throw anything.
    return false;
  }
}

/** A connection that never stood, or a server's certificate that was refused, which is checked before a request is written. */
const early =
  /^(ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_)/;

/** What made `fetch` fail, to keep and to show. Runtimes write the URL, and with it the whole order token, into it. */
export function causeOf(failure: unknown, path: string): Error | undefined {
  const hidePath = (text: string): string => text.replaceAll(path, '/…');
  const cause = cleanCause(rootOf(failure), hidePath);
  return cause?.message ? cause : cleanCause(failure, hidePath);
}

/** Node and Deno say that `fetch` failed, and why in the cause. */
function rootOf(failure: unknown): unknown {
  try {
    const { cause } = Object(failure) as { cause?: unknown };
    return cause instanceof Error ? cause : failure;
  } catch {
    return failure;
  }
}
