import { randomBytes } from 'node:crypto';
import { checkOptions } from '@orders/schema/check-options';

/** The type of an API key; the API names `SalesChannelApiKey` alone, which may update orders. */
export type KeyType = 'SalesChannelApiKey' | (string & Record<never, never>);

/** A key that the service accepts. */
export interface ServiceKey {
  /** Not empty, without a colon or control characters (RFC 7617). */
  readonly key: string;
  /** @default 'SalesChannelApiKey' */
  readonly type?: KeyType | undefined;
}

/** What a request's `Authorization` amounted to; never the key or the header itself. */
export interface AuthorizationFacts {
  /** Absent without the header. */
  readonly scheme?: 'basic' | 'bearer' | 'other';
  /** Index of the key among the service's keys; absent when no key was accepted. */
  readonly keyIndex?: number;
  /** Type of the accepted key. */
  readonly keyType?: KeyType;
  /** Why no key was accepted. */
  readonly problem?: 'missing' | 'malformed' | 'unsupported' | 'unknown';
}

export type ServiceKeys = readonly (string | ServiceKey)[] | Readonly<Record<string, KeyType>>;

export interface KeyRing {
  /** The first key that may update an order, else the first key. */
  readonly first: string;
  identify(authorization: string | undefined): AuthorizationFacts;
}

export const updatingKeyType = 'SalesChannelApiKey';

/** Throws a `TypeError` that names a bad key by its index, never by its text. */
export function createKeyRing(given: ServiceKeys | undefined): KeyRing {
  const keys = listKeys(given ?? [`test_key_${randomBytes(16).toString('hex')}`]);
  const [firstKey] = keys;
  if (firstKey === undefined)
    throw new TypeError('keys: give at least one, or leave it out for a random one.');
  const accepted = new Map<string, AuthorizationFacts>();
  for (const [keyIndex, { key, type = updatingKeyType }] of keys.entries()) {
    const problem = findKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`keys[${keyIndex}] ${problem}.`);
    if (typeof type !== 'string' || !/^\P{Cc}+$/u.test(type))
      throw new TypeError(`keys[${keyIndex}] has a type that is not a text such as "${updatingKeyType}".`);
    const credentials = Buffer.from(`${key}:`).toString('base64');
    if (accepted.has(credentials)) throw new TypeError(`keys[${keyIndex}] is given twice.`);
    accepted.set(credentials, Object.freeze({ scheme: 'basic', keyIndex, keyType: type }));
  }
  const first = keys.find(({ type = updatingKeyType }) => type === updatingKeyType) ?? firstKey;

  return {
    first: first.key,
    identify(authorization) {
      if (authorization === undefined) return { problem: 'missing' };
      const [, word = '', credentials = ''] = /^(\S*)(?: +(.*))?$/.exec(authorization) ?? [];
      const scheme = schemeOf(word);
      if (scheme !== 'basic') return { scheme, problem: 'unsupported' };
      const problem = isKeyAlone(credentials) ? 'unknown' : 'malformed';
      return accepted.get(credentials) ?? { scheme, problem };
    },
  };
}

/** Says what is wrong with a key, for a sentence that does not show it. */
export function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string') return 'is not a string';
  if (key === '') return 'is empty';
  if (key.includes(':')) return 'holds a colon, which HTTP Basic cannot carry in a user name';
  if (/\p{Cc}/u.test(key)) return 'holds a control character, which HTTP Basic forbids';
  if (!key.isWellFormed()) return 'holds half a surrogate pair, which UTF-8 cannot carry';
  return undefined;
}

function listKeys(given: ServiceKeys): readonly ServiceKey[] {
  if (typeof given !== 'object' || given === null)
    throw new TypeError('keys: give a list of keys, or an object of key to type.');
  if (!isList(given)) return Object.entries(given).map(([key, type]) => ({ key, type }));
  return given.map((entry, index) => {
    if (typeof entry === 'string') return { key: entry };
    checkOptions(`keys[${index}]`, entry, ['key', 'type']);
    return entry ?? { key: '' };
  });
}

// `Array.isArray` does not narrow a readonly array out of a union.
function isList(keys: ServiceKeys): keys is readonly (string | ServiceKey)[] {
  return Array.isArray(keys);
}

/** Only known names: the first word of a malformed header may be the key itself. */
function schemeOf(word: string): 'basic' | 'bearer' | 'other' {
  const name = word.toLowerCase();
  return name === 'basic' || name === 'bearer' ? name : 'other';
}

/**
 * Whether credentials are the base64 of `<API_KEY>:` (API reference, Authentication; RFC 7617), and nothing near it.
 *
 * Separate from the SDK's encoder on purpose, so that a bug there cannot hide behind its own copy.
 */
function isKeyAlone(credentials: string): boolean {
  const bytes = Buffer.from(credentials, 'base64');
  // Node also decodes base64url, missing padding, foreign characters and unused bits.
  if (bytes.toString('base64') !== credentials) return false;
  try {
    const pair = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return pair.indexOf(':') === pair.length - 1 && pair.length > 1 && !/\p{Cc}/u.test(pair);
  } catch {
    return false;
  }
}
