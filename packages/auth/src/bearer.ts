import type { Authorization } from './credentials.ts';
import { Secret } from './secret.ts';

/**
 * Credentials of a bearer token (RFC 6750). The interface document names this alternative and shows
 * no details of it: whether an operation takes it is the service's to say.
 *
 * @throws TypeError when the token is no bearer token. The message never shows it.
 */
export function bearer(token: string | Secret): Authorization {
  const value = typeof token === 'string' ? token : token.reveal();
  if (!/^[\w.~+/-]+=*$/.test(value)) {
    throw new TypeError('The bearer token is empty or holds a character that RFC 6750 does not allow.');
  }
  return new Secret(`Bearer ${value}`);
}
