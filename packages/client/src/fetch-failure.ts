import { cleanCause } from './clean-cause.ts';

/**
 * Whether what made `fetch` fail certainly came before a byte of the request left. Node and Bun name such causes by
 * codes; whatever else a runtime says, or will say one day, is no proof.
 *
 * "Connection refused" in Deno's words, and `ConnectionRefused` as Bun wrote before 1.4, are none: these say so too
 * when the connection for a second sending of their own is refused.
 */
export function nothingLeft(failure: unknown): boolean {
  const { code, syscall, errors } = Object(rootOf(failure)) as Record<'code' | 'syscall' | 'errors', unknown>;
  // A host of several addresses fails with one error for each.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(nothingLeft);
  return code !== undefined && (syscall === 'connect' || syscall === 'getaddrinfo' || early.has(code));
}

const early = new Set<unknown>([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // A server's certificate is checked before a request is written.
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What made `fetch` fail, to keep and to show. Runtimes write the URL, and with it the whole order token, into it. */
export function causeOf(failure: unknown, path: string): Error | undefined {
  const hidePath = (text: string): string => text.replaceAll(path, '/…');
  const cause = cleanCause(rootOf(failure), hidePath);
  return cause?.message ? cause : cleanCause(failure, hidePath);
}

/** Node and Deno say that `fetch` failed, and why in the cause. */
function rootOf(failure: unknown): unknown {
  const { cause } = Object(failure) as { cause?: unknown };
  return cause instanceof Error ? cause : failure;
}
