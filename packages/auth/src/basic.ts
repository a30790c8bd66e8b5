import type { Authorization } from './credentials.ts';
import { Secret } from './secret.ts';

/**
 * Credentials of HTTP Basic (RFC 7617): the key as username, an empty password, in UTF-8
 * (interface document, Authentication).
 *
 * @throws TypeError when the key is empty or holds a colon, a control character or half a surrogate
 * pair. The message never shows the key.
 */
export function basic(key: string | Secret): Authorization {
  const username = typeof key === 'string' ? key : key.reveal();
  if (username === '') throw new TypeError('The API key is empty: is the variable that holds it set?');
  if (username.includes(':')) {
    throw new TypeError('The API key holds a colon: pass the key alone, without the colon and the password.');
  }
  if (/\p{Cc}/u.test(username)) {
    throw new TypeError('The API key holds a control character, such as a line break at its end: trim it.');
  }
  if (/\p{Cs}/u.test(username))
    throw new TypeError('The API key holds half a surrogate pair: it is cut in two.');
  return new Secret(`Basic ${base64(`${username}:`)}`);
}

function base64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
