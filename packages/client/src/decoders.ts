/** Finds a run of digits in a text, and decodes it to what it may stand for: texts of bytes, one character for each. */
interface Decoder {
  readonly pattern: RegExp;
  readonly decode: (run: string) => readonly string[];
}

/** How many characters write one character of a key at most, as far as `SECURITY.md` promises. */
export const maxExpansion = 32;

/** The lines of `xxd` and `hexdump -C` as a whole, since they show their bytes as text, too. A blank is a plus in a form. */
const hexDump: Decoder = {
  pattern: /(?:[\da-f]{7,8}:?[ \t+]{1,4}(?:[\da-f]{2}[ \t+]{0,2}){1,16}[^\n]*\n?)+/gi,
  decode: (lines) => {
    const bytes = lines.matchAll(/^[^\da-f]*[\da-f]{7,8}:?[ \t+]+((?:[\da-f]{2}[ \t+]{0,2}){1,16})/gim);
    return [fromHex(Array.from(bytes, ([, each = '']) => each.replace(/[ \t+]/g, '')).join(''))];
  },
};

/** Both alphabets, with or without padding, in lines or not, read from each of the first four digits. */
const base64: Decoder = {
  pattern: /(?:[\w+/-](?:\r?\n[ \t]*)?){11,}/g,
  decode: (run) => {
    const digits = run.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
    return [0, 1, 2, 3].map((first) => {
      const read = digits.slice(first);
      // A last digit alone holds no byte.
      return atob(read.length % 4 === 1 ? read.slice(0, -1) : read);
    });
  },
};

/** With or without `0x`, quotes, blanks, colons, commas or line breaks between bytes, as in `<Buffer 73 6b>`. */
const hex: Decoder = {
  pattern: /(?:(?:0x)?[\da-f]{2}[\s:,+"'-]*){8,}/gi,
  decode: (run) => {
    const digits = run.replace(/0x|[^\da-f]/gi, '');
    return [fromHex(digits), fromHex(digits.slice(1))];
  },
};

/** The numbers of bytes, each after its index or not, as a `Buffer` and a `Uint8Array` are in JSON, indented or not. */
const decimal: Decoder = {
  pattern: /["']?(?:\d{1,5}[\s:,+"']+){7,}\d{1,3}/g,
  decode: (run) => [fromNumbers((run.replace(/\d+["']?[\s+]*:/g, '').match(/\d+/g) ?? []).map(Number))],
};

/** A dump goes first: its offsets and columns look like digits of the others. */
export const decoders: readonly Decoder[] = [hexDump, base64, hex, decimal];

function fromHex(digits: string): string {
  return fromNumbers((digits.match(/../g) ?? []).map((pair) => Number(`0x${pair}`)));
}

function fromNumbers(bytes: readonly number[]): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte & 0xff);
  return text;
}

/** A pattern that every text matches in which at least so many bytes are digits of a decoder, and few others do. */
export function digitsPattern(bytes: number): RegExp {
  return new RegExp(`\\n|[\\w+/-]{${Math.ceil((bytes * 4) / 3)}}|[\\da-fx\\s:,+"'-]{${bytes * 2}}`, 'i');
}

/** The named entities of punctuation, each before its character. */
const entities = new Map(
  `amp& lt< gt> quot" apos' plus+ sol/ equals= lowbar_ hyphen- period. colon: percnt% num# semi; bsol\\`
    .split(' ')
    .map((entity) => [entity.slice(0, -1), entity.slice(-1)]),
);

/** Escapes of single characters: their code in hexadecimal, octal or decimal, their name, or the letter of a control character. */
const escapes = new RegExp(
  [
    // JSON, JavaScript
    /\\u([\da-f]{4})/,
    /\\u\{0*([\da-f]{1,6})\}/,
    /\\x([\da-f]{2})/,
    // C, a byte
    /\\([0-3][0-7]{2})/,
    // URLs
    /%([\da-f]{2})/,
    // HTML
    /&#x0*([\da-f]{1,6});?/,
    /&#0*(\d{1,7});?/,
    new RegExp(`&(${[...entities.keys()].join('|')});?`),
    // JSON, JavaScript
    /\\([bfnrt"\\/])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

const utf8InLatin1 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

const mayBeEscaped = /[\\%&\x80-\xff]/;

/** Undoes each escape once, and UTF-8 that was read as latin1; where there is none, drops backslashes. */
export function unescapeOnce(text: string): string {
  // Most texts hold none.
  if (!mayBeEscaped.test(text)) return text;
  const undone = text.replace(escapes, unescapeOne).replace(utf8InLatin1, fromUtf8);
  // Python's `backslashreplace` escapes no backslash: `\é` becomes `\\xe9`, which reads as an escaped backslash and `xe9`.
  return undone === text ? text.replaceAll('\\', '') : undone;
}

function unescapeOne(written: string, ...groups: (string | undefined)[]): string {
  const [unit, braced, x, octal, percent, hex, decimal, name, control] = groups;
  if (name !== undefined) return entities.get(name.toLowerCase()) ?? written;
  if (control !== undefined) return controls[control.toLowerCase()] ?? control;
  const digits = unit ?? braced ?? x ?? percent ?? hex;
  const point = Number(decimal ?? (octal === undefined ? `0x${digits}` : `0o${octal}`));
  return point > 0x10ffff ? written : String.fromCodePoint(point);
}

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** UTF-8 that was read as latin1; what is none stays as it is. */
function fromUtf8(latin1: string): string {
  try {
    return readUtf8(latin1);
  } catch {
    return latin1;
  }
}

/** The text in base64; `undefined` where it is none. */
export function decodeBase64(encoded: string): string | undefined {
  try {
    return readUtf8(atob(encoded));
  } catch {
    return undefined;
  }
}

/**
 * Keeps a byte order mark: a key may hold one.
 * @throws TypeError when it is no UTF-8.
 */
function readUtf8(latin1: string): string {
  const bytes = Uint8Array.from(latin1, (unit) => unit.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
