import type { Authorization } from '@orders/auth';

/** Removes a credential from a text, in every encoding that a service may echo it in. Never throws. */
export type Redact = (text: string) => string;

/** A shorter key occurs by chance in texts that have nothing to do with it. */
const isLong = ({ length }: string): boolean => length >= 8;

const maxDepth = 6;

const redactors = new WeakMap<Authorization, Redact>();

/** Makes the redactor of a credential, once for each credential. */
export function createRedactor(authorization: Authorization): Redact {
  const known = redactors.get(authorization);
  if (known) return known;
  const needles = encodings(authorization.reveal());
  // Most headers hold none of the shortest forms and no escape, and need no closer look.
  const shortest = needles.filter(
    (needle) => !needles.some((other) => other !== needle && needle.includes(other)),
  );
  const redact: Redact = (text) =>
    mayBeEscaped.test(text) || shortest.some((needle) => text.includes(needle))
      ? redactLayers(text, needles)
      : text;
  redactors.set(authorization, redact);
  return redact;
}

/**
 * Looks for the credential in the text as it is, then with its escapes undone, layer by layer: JSON in JSON, percent
 * escapes in HTML. Where it is found escaped, the text is returned with those escapes undone.
 */
function redactLayers(text: string, needles: readonly string[]): string {
  let clean = text;
  let layer = text;
  for (let depth = 0; depth < maxDepth; depth++) {
    let found = layer;
    for (const needle of needles) if (found.includes(needle)) found = found.replaceAll(needle, '[secret]');
    if (found !== layer) clean = found;
    layer = found.replace(escapes, undo);
    if (layer === found) break;
  }
  return clean;
}

const mayBeEscaped = /[\\%&\x80-\xff]/;

/** An escape of JSON, of URLs or of HTML, and UTF-8 that was read as latin1. */
const escapes =
  /\\u([\da-fA-F]{4})|\\(["\\/])|%([\da-fA-F]{2})|&#(?:0*(\d{1,7})|[xX]0*([\da-fA-F]{1,6}));|&(\w{2,8});|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

function undo(written: string, ...groups: (string | undefined)[]): string {
  const [unit, quoted, byte, decimal, hex, name] = groups;
  const digits = unit ?? byte ?? hex;
  if (quoted) return quoted;
  if (name) return new RegExp(` ${name}(\\W|_)`, 'i').exec(entities)?.[1] ?? written;
  if (!decimal && !digits) return fromUtf8(written);
  const point = Number(decimal ?? `0x${digits}`);
  return point > 0x10ffff ? written : String.fromCodePoint(point);
}

/** The named entities of characters that a key may hold, each followed by its character. */
const entities = ` amp& lt< gt> quot" apos' plus+ sol/ equals= lowbar_ hyphen- period. colon: percnt% num# semi; bsol\\`;

/** The header's value, its parts, and the key itself, as a service may write them; longest first. */
function encodings(value: string): string[] {
  const encoded = value.slice(value.indexOf(' ') + 1);
  const isBasic = /^basic /i.test(value);
  const plain = isBasic ? fromBase64(encoded) : encoded;
  const keys = (isBasic ? plain.split(':') : [plain]).filter(isLong);
  let texts =
    keys.length > 0
      ? [value, encoded, plain, ...keys].flatMap(encodingVariants)
      : [value, value.replace(' ', '+')];
  // A key may hold what looks like an escape, such as `%2f`, and loses it where the escapes of a text are undone.
  for (let depth = 0; depth < maxDepth; depth++)
    texts = [...new Set(texts.flatMap((text) => [text, text.replace(escapes, undo)]))];
  return texts.filter(isLong).sort((a, b) => b.length - a.length);
}

/** One text in every form that is no escaping of its characters. */
function encodingVariants(plain: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(plain));
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const padded = [plain, btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''))];
  const base64 = [...padded, ...padded.map((text) => text.replace(/={1,2}$/, ''))];
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...base64, ...urlSafe, plain.replaceAll(' ', '+'), hex, hex.toUpperCase()];
}

/** The text as it is where it is no base64: a `Secret` may hold anything. */
function fromBase64(encoded: string): string {
  try {
    return fromUtf8(atob(encoded));
  } catch {
    return encoded;
  }
}

/** UTF-8 that was read as latin1; what is none stays as it is. */
function fromUtf8(latin1: string): string {
  try {
    const bytes = Uint8Array.from(latin1, (unit) => unit.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return latin1;
  }
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
