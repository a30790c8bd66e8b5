import type { Authorization } from '@orders/auth';

/** Takes a credential out of a text, in every encoding a service may echo it in. Never throws. */
export type Scrub = (text: string) => string;

/** A shorter key occurs by chance in texts that have nothing to do with it. */
const minKeyLength = 8;

const scrubbers = new WeakMap<Authorization, Scrub>();

/** Makes the redactor of a credential, once, whatever the credential holds. */
export function scrubberOf(authorization: Authorization): Scrub {
  const known = scrubbers.get(authorization);
  if (known) return known;
  const needles = encodings(authorization.reveal());
  // A text that holds none of the shortest forms, and no escape, needs no closer look; most headers are such texts.
  const shortest = needles.filter(
    (needle) => !needles.some((other) => other !== needle && needle.includes(other)),
  );
  const scrub: Scrub = (text) =>
    mayBeEscaped.test(text) || shortest.some((needle) => text.includes(needle))
      ? redact(text, needles)
      : text;
  scrubbers.set(authorization, scrub);
  return scrub;
}

/**
 * Looks for the credential in the text as it is, then with its escapes undone, layer by layer: JSON in JSON, percent
 * escapes in HTML. Where it is found escaped, the text is returned with those escapes undone.
 */
function redact(text: string, needles: readonly string[]): string {
  let clean = text;
  let layer = text;
  for (let depth = 0; depth < 4; depth++) {
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
  const texts =
    keys.length > 0 ? [value, encoded, plain, ...keys].flatMap(writings) : [value, value.replace(' ', '+')];
  return [...new Set(texts)].filter(isLong).sort((a, b) => b.length - a.length);
}

function isLong({ length }: string): boolean {
  return length >= minKeyLength;
}

/** One text in every form that is no escaping of its characters. */
function writings(plain: string): string[] {
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
