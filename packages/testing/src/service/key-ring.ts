import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AuthorizationProblem, readBasicAuthorization } from './basic-authorization.ts';

/** The type of an API key; `SalesChannelApiKey` is the one that the document shows (interface document, Authentication). */
export type KeyType = 'SalesChannelApiKey' | (string & Record<never, never>);

/** A key that the service takes. */
export interface ServiceKey {
  /** Not empty, without a colon or control characters (RFC 7617). */
  readonly key: string;
  /** @default 'SalesChannelApiKey' */
  readonly type?: KeyType;
}

/** What a request's `Authorization` amounted to; never the key or the header itself. */
export interface AuthorizationFacts {
  /** The scheme named by the header; absent when there was none. */
  readonly scheme?: 'basic' | 'bearer' | 'other';
  /** Place of the key among the service's keys, from 0; absent when the key was not accepted. */
  readonly keyIndex?: number;
  /** Type of the accepted key. */
  readonly keyType?: KeyType;
  /** Why no key was accepted. */
  readonly problem?: AuthorizationProblem;
}

export interface KeyRing {
  /** The first key that may update an order, else the first key. */
  readonly first: string;
  identify(authorization: string | undefined): AuthorizationFacts;
}

export type ServiceKeys = readonly (string | ServiceKey)[] | Readonly<Record<string, KeyType>>;

export const UPDATING_KEY_TYPE = 'SalesChannelApiKey';

/** Throws a `TypeError` that names a bad key by its place, never by its text. */
export function createKeyRing(keys: ServiceKeys | undefined): KeyRing {
  const ring = (keys === undefined ? [makeKey()] : listKeys(keys)).map(({ key, type }, index) => {
    const problem = findKeyProblem(key);
    if (problem !== undefined) throw new TypeError(`keys[${index}] ${problem}.`);
    return { key, type: type ?? UPDATING_KEY_TYPE, digest: digest(key) };
  });
  const first = ring.find(({ type }) => type === UPDATING_KEY_TYPE) ?? ring[0];
  if (first === undefined) throw new TypeError('keys: give at least one, or leave it out to have one made.');
  const repeated = ring.findIndex(({ key }, index) => ring.findIndex((other) => other.key === key) !== index);
  if (repeated !== -1) throw new TypeError(`keys[${repeated}] is given twice.`);

  // Nearly every request writes its key in the one right way, which need not be decoded each time.
  const factsOf = new Map<string | undefined, AuthorizationFacts>(
    ring.map(({ key, type }, keyIndex) => [
      `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      Object.freeze({ scheme: 'basic', keyIndex, keyType: type }),
    ]),
  );

  return {
    first: first.key,
    identify(authorization) {
      const known = factsOf.get(authorization);
      if (known !== undefined) return known;
      const reading = readBasicAuthorization(authorization);
      if ('problem' in reading) return reading;
      const given = digest(reading.username);
      // Every key is compared, so the time taken does not tell which one came close.
      const [match] = ring
        .map((entry, keyIndex) => ({
          keyIndex,
          keyType: entry.type,
          same: timingSafeEqual(entry.digest, given),
        }))
        .filter(({ same }) => same);
      if (match === undefined) return { scheme: 'basic', problem: 'unknown' };
      return { scheme: 'basic', keyIndex: match.keyIndex, keyType: match.keyType };
    },
  };
}

/** Says what is wrong with a key, for a sentence that does not show it. */
export function findKeyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (key.includes(':')) return 'holds a colon, which HTTP Basic cannot carry in a user name';
  if (/\p{Cc}/u.test(key)) return 'holds a control character, which HTTP Basic forbids';
  if (!key.isWellFormed()) return 'holds half a surrogate pair, which UTF-8 cannot carry';
  return undefined;
}

function listKeys(keys: ServiceKeys): readonly ServiceKey[] {
  if (!isList(keys)) return Object.entries(keys).map(([key, type]) => ({ key, type }));
  return keys.map((entry) => (typeof entry === 'string' ? { key: entry } : entry));
}

// `Array.isArray` does not narrow a readonly array out of a union.
function isList(keys: ServiceKeys): keys is readonly (string | ServiceKey)[] {
  return Array.isArray(keys);
}

function makeKey(): ServiceKey {
  return { key: `test_key_${randomBytes(16).toString('hex')}` };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
