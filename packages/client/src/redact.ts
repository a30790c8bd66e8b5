import type { Authorization } from '@orders/auth';
import { decodeBase64, decoders, digitsPattern, maxExpansion, unescapeOnce } from './decoders.ts';

/**
 * Returns a text of at most `maxLength` characters without the credential, in whichever of the encodings of SECURITY.md a
 * service echoes it, and up to four of them in one another. Where it is found, escapes beside it are undone. Never throws.
 */
export type Redact = (text: string, maxLength?: number) => string;

/** As much as Node reads of the headers of a response. */
const defaultMaxLength = 16_384;

const label = '[secret]';

/** So often escapes of single characters are undone, such as of JSON in JSON. */
const maxEscapes = 6;
/** So deep encodings are followed into each other. */
const maxDepth = 4;
/** How many times its length a text is decoded to before what is left of it counts as a secret. */
const maxDecodedRatio = 16;

/** So many short texts are remembered as holding no credential. */
const maxKnown = 256;
const maxKnownLength = 64;

/** So much behind what is shown is looked at, for a key that begins before. */
const maxMargin = 16_384;

/** A shorter key occurs by chance in texts that have nothing to do with it. */
const isLong = ({ length }: string): boolean => length >= 8;

/** What each redactor looks for. */
const needlesOf = new WeakMap<Redact, readonly string[]>();

/** By the header's value, since a function of the user may make the same credential anew for each call. */
const redactors = new Map<string, Redact>();

/** Makes the redactor of a credential, once for each of those used last. */
export function createRedactor(authorization: Authorization): Redact {
  const value = authorization.reveal();
  const redact = redactors.get(value) ?? redactorOf(needlesIn(value));
  if (redactors.size >= maxKnown) redactors.clear();
  redactors.set(value, redact);
  return redact;
}

/** Makes a redactor of two: a response may quote the key of an earlier attempt. */
export function joinRedactors(one: Redact, other: Redact): Redact {
  return redactorOf([...new Set([one, other].flatMap((redact) => needlesOf.get(redact) ?? []))]);
}

function redactorOf(needles: readonly string[]): Redact {
  const lengths = needles.map(({ length }) => length);
  const shortest = Math.min(...lengths);
  const digits = digitsPattern(shortest);
  // A key that begins in what is shown and ends behind it is found, and no part of one is shown.
  const margin = Math.min(maxMargin, maxExpansion * Math.max(0, ...lengths));
  // Names of headers, and values that come with each response.
  const known = new Set<string>();
  const redact: Redact = (text, maxLength = defaultMaxLength) => {
    if (text.length < shortest || known.has(text)) return text.slice(0, maxLength);
    const looked = text.slice(0, maxLength + margin);
    const clean = redactWhole(looked);
    if (clean === text && text.length <= maxKnownLength) {
      if (known.size >= maxKnown) known.clear();
      known.add(text);
    }
    const whole = clean.length - (looked === text ? 0 : margin);
    return clean.slice(0, Math.max(0, Math.min(maxLength, whole)));
  };
  needlesOf.set(redact, needles);
  return redact;

  /** Looks for the credential in the text as it is, and then with its escapes undone, layer by layer. */
  function redactWhole(text: string): string {
    let clean = text;
    let layer = text;
    let left = maxDecodedRatio * (text.length + 1_000);
    for (let count = 0; count < maxEscapes; count++) {
      let found = layer;
      for (const needle of needles) if (found.includes(needle)) found = found.replaceAll(needle, label);
      found = decodeAll(found, 1);
      if (found !== layer) clean = found;
      layer = unescapeOnce(found);
      if (layer === found) break;
    }
    return clean;

    /** Replaces each run of digits that decodes to a text with the credential. */
    function decodeAll(written: string, depth: number): string {
      if (!digits.test(written)) return written;
      let rest = written;
      for (const { pattern, decode } of decoders)
        rest = rest.replace(pattern, (run) => (decode(run).some((each) => holds(each, depth)) ? label : run));
      return rest;
    }

    /** Whether a decoded text holds the credential, itself or decoded further. */
    function holds(decoded: string, depth: number): boolean {
      if (decoded.length < shortest) return false;
      left -= decoded.length;
      if (left < 0) return true;
      const layers = layersOf(decoded);
      if (layers.some((each) => needles.some((needle) => each.includes(needle)))) return true;
      return depth < maxDepth && layers.some((each) => decodeAll(each, depth + 1) !== each);
    }
  }
}

/** A text, and what is left of it each time that its escapes are undone. */
function layersOf(text: string): readonly string[] {
  const layers = [text];
  for (let layer = unescapeOnce(text); layer !== layers.at(-1) && layers.length < maxEscapes; ) {
    layers.push(layer);
    layer = unescapeOnce(layer);
  }
  return layers;
}

/** The keys in a header's value, or the value itself, in the forms that no decoding leads to; longest first. */
function needlesIn(value: string): string[] {
  const encoded = value.slice(value.indexOf(' ') + 1);
  const isBasic = /^basic /i.test(value);
  // A `Secret` may hold anything.
  const plain = (isBasic ? decodeBase64(encoded) : undefined) ?? encoded;
  // Blanks around a key, and a byte order mark, are not kept in a header or a message.
  const keys = (isBasic ? plain.split(':') : [plain]).map((text) => text.trim()).filter(isLong);
  const texts = keys.length > 0 ? [value, encoded, encoded.replace(/={1,2}$/, ''), plain, ...keys] : [value];
  const forms = texts.flatMap((text) => [text, text.replaceAll(' ', '+')]);
  // A key may hold what looks like an escape, such as `%2f`, and loses it where the escapes of a text are undone.
  const needles = new Set(forms.flatMap(layersOf).filter(isLong));
  return [...needles].sort((a, b) => b.length - a.length);
}

const maxMessage = 2_000;

/**
 * Keeps the name, message and code of a cause and drops what else it carries: an error of the HTTP parser holds the raw
 * bytes of the response, an error of a database the rows that were to be stored, and both may hold the key.
 */
export function sanitizeCause(cause: unknown, redact: Redact): Error | undefined {
  if (cause === undefined) return undefined;
  const { name, message, code } = readCause(cause);
  const clean = new Error(redact(message).slice(0, maxMessage));
  clean.name = redact(name).slice(0, maxMessage);
  clean.stack = `${clean.name}: ${clean.message}`;
  return typeof code === 'string' ? Object.assign(clean, { code: redact(code) }) : clean;
}

/** Anything can be thrown, even a value that throws when it is read. */
function readCause(cause: unknown): {
  readonly name: string;
  readonly message: string;
  readonly code: unknown;
} {
  try {
    // A host of several addresses fails with one error for each.
    const error = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
    const { name, message, code } = Object(error) as { name?: unknown; message?: unknown; code?: unknown };
    return { name: String(name ?? 'Error'), message: String(message ?? error).trim(), code };
  } catch {
    return { name: 'Error', message: 'an unreadable value', code: undefined };
  }
}

/** A cause for a message: its code, if it has one, and its text. */
export function describeCause(cause: Error | undefined): string {
  if (!cause) return '';
  const code = 'code' in cause ? `${cause.code}: ` : '';
  return ` (${code}${cause.message})`;
}
