/**
 * Whether a failure of `fetch` certainly came before a byte of the request left. Node and Bun name their causes by
 * codes that come before sending or not at all; whatever else a runtime says, or will say one day, is no proof.
 *
 * Deno's message about a refused connection is none: its `fetch` may say so after a first sending of its own.
 */
export function nothingLeft(failure: unknown): boolean {
  if (typeof failure !== 'object' || failure === null) return false;
  const { code, syscall, cause, errors } = failure as Record<'code' | 'syscall' | 'cause' | 'errors', unknown>;
  // A host of several addresses fails with one error for each.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(nothingLeft);
  if (code !== undefined) return syscall === 'connect' || syscall === 'getaddrinfo' || codes.has(code);
  return cause !== failure && nothingLeft(cause);
}

const codes = new Set<unknown>([
  'ECONNREFUSED',
  // What Bun called it before 1.4.
  'ConnectionRefused',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // Of a server's certificate, which is checked before a request is written.
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
