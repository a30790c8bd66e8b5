import { Secret } from './secret.ts';

/** The value of an `Authorization` header, `Basic …` or `Bearer …`, as a secret. */
export type Authorization = Secret;

/**
 * An `Authorization` value, made by `basic` or `bearer`, or a function that returns one, for keys that rotate. The
 * client calls the function before each attempt.
 */
export type Credentials = Authorization | (() => Authorization | Promise<Authorization>);

/** Returns the `Authorization` value of credentials: as it is, or what their function returns. */
export function authorize(credentials: Credentials): Authorization | Promise<Authorization> {
  return typeof credentials === 'function' ? credentials() : credentials;
}

/**
 * Makes HTTP Basic credentials (RFC 7617, in UTF-8) as the API reference describes them: the key is the username, and
 * the password is empty.
 *
 * @param key The private API key, without a colon.
 * @throws TypeError when the key is not a string, is empty, or holds a colon, a control character or half a surrogate
 * pair. The message never shows the key.
 */
export function basic(key: string | Secret): Authorization {
  const username = reveal(key, 'basic: Expected the API key');
  if (username === '') throw new TypeError('The API key is empty: is the variable that holds it set?');
  if (username.includes(':')) {
    throw new TypeError('The API key holds a colon: pass the key alone, without colon and password.');
  }
  if (/\p{Cc}/u.test(username)) {
    throw new TypeError('The API key holds a control character, such as a line break at its end: trim it.');
  }
  if (/\p{Cs}/u.test(username)) {
    throw new TypeError('The API key holds half a surrogate pair: it is cut in two.');
  }
  return new Secret(`Basic ${base64(`${username}:`)}`);
}

/**
 * Makes the credentials of a bearer token (RFC 6750). The API reference names this alternative without details: which
 * operations accept it is undocumented.
 *
 * @throws TypeError when the token is not a string, is empty, or holds a character that RFC 6750 does not allow. The
 * message never shows the token.
 */
export function bearer(token: string | Secret): Authorization {
  const value = reveal(token, 'bearer: Expected the token');
  if (!/^[\w.~+/-]+=*$/.test(value)) {
    throw new TypeError('The bearer token is empty or holds a character that RFC 6750 does not allow.');
  }
  return new Secret(`Bearer ${value}`);
}

function reveal(given: unknown, expected: string): string {
  // Not `instanceof`: the secret may come from another copy of this package.
  const text: unknown = typeof given === 'string' ? given : (given as Secret | undefined)?.reveal?.();
  if (typeof text === 'string') return text;
  const found = given == null ? String(given) : `a value of type ${typeof given}`;
  throw new TypeError(
    `${expected} as a string or a Secret, got ${found}. Pass the string: is the variable that holds it set?`,
  );
}

function base64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
