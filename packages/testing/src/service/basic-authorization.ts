/** Why an `Authorization` was not taken. */
export type AuthorizationProblem = 'missing' | 'malformed' | 'unsupported' | 'unknown';

export type BasicReading =
  | { readonly scheme: 'basic'; readonly username: string }
  | { readonly scheme?: 'basic' | 'bearer' | 'other'; readonly problem: AuthorizationProblem };

/**
 * Reads `Basic <BASE64>` of `<API_KEY>:` (interface document, Authentication; RFC 7617), accepting nothing near it.
 *
 * Written apart from the SDK's encoder on purpose, so that a bug there cannot hide behind its own copy.
 */
export function readBasicAuthorization(value: string | undefined): BasicReading {
  if (value === undefined) return { problem: 'missing' };
  const [, word = '', credentials = ''] = /^(\S*)(?: +(.*))?$/.exec(value) ?? [];
  const scheme = nameScheme(word);
  if (scheme !== 'basic') return { scheme, problem: 'unsupported' };
  const username = decodeUsername(credentials);
  return username === undefined ? { scheme, problem: 'malformed' } : { scheme, username };
}

/** Only known names are told apart, because the first word of a malformed header may be the key itself. */
function nameScheme(word: string): 'basic' | 'bearer' | 'other' {
  const name = word.toLowerCase();
  return name === 'basic' || name === 'bearer' ? name : 'other';
}

function decodeUsername(credentials: string): string | undefined {
  const bytes = Buffer.from(credentials, 'base64');
  // Node decodes base64url, missing padding, foreign characters and unused bits without a word.
  if (bytes.toString('base64') !== credentials) return undefined;
  let pair: string;
  try {
    pair = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const colon = pair.indexOf(':');
  const isKeyAlone = colon > 0 && colon === pair.length - 1;
  return isKeyAlone && !/\p{Cc}/u.test(pair) ? pair.slice(0, colon) : undefined;
}
