/** A text with a key in it, as a service may echo it. */
export interface RedactionCase {
  readonly name: string;
  readonly key: string;
  /** The header in which the key was sent. */
  readonly authorization: string;
  readonly text: string;
  /** The package that promises to redact it. @default both `@orders/client` and `@orders/testing` */
  readonly only?: 'client' | 'testing';
}

/** Characters that are lost where a text is read or trimmed, or that do not show. */
const invisible = ['\ufeff', '\u2028', '\u200b', '\u202e', '\xa0', '\xad', ' '];

/** For numbers up to `maxCharacter`: any code point, and often an invisible one. */
export function anyCharacter(point: number): string {
  return point > 0x10ffff ? (invisible[point % invisible.length] ?? '') : String.fromCodePoint(point);
}

/** The numbers past the last code point, a tenth, stand for invisible characters. */
export const maxCharacter = 0x12ffff;

type Secret = Pick<RedactionCase, 'key' | 'authorization'>;

export const redactionSecrets: readonly Secret[] = [
  basicSecret('sk_live+abc/def==42'),
  basicSecret('pässwörd-ключ-🔑-12345'),
  basicSecret(`O'Neil & <Sons> "x" 99`),
  { authorization: 'Bearer eyJhbGci.eyJz~dWIi_+/-Qx==', key: 'eyJhbGci.eyJz~dWIi_+/-Qx==' },
  // Characters that do not show.
  basicSecret('sword\ufefffish\xa042\u2028y'),
  // A part of these keys looks like an escape.
  basicSecret('abc%2fdef"g<h'),
  basicSecret('interop+/=%40#?é'),
  basicSecret('R&amp;D/"%2540"\\u0041\\n&#x2F;ü'),
];

const entityNames: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '+': 'plus',
  '/': 'sol',
  '=': 'equals',
  _: 'lowbar',
  '.': 'period',
  '#': 'num',
  ';': 'semi',
  ':': 'colon',
  '%': 'percnt',
  '-': 'hyphen',
  '\\': 'bsol',
};

/** How services write one character inside a string of theirs. */
export const characterEscapes: Readonly<Record<string, (character: string) => string>> = {
  plain: (character) => character,
  percent: (character) => percent(character).toUpperCase(),
  'percent in lower case': percent,
  'percent in mixed case': (character) =>
    percent(character).replace(/[a-f]/g, (digit, index) => (index % 2 ? digit.toUpperCase() : digit)),
  form: (character) => new URLSearchParams([['', character]]).toString().slice(1),
  'HTML decimal': (character) => `&#${character.codePointAt(0)};`,
  'HTML hexadecimal': (character) => `&#x${character.codePointAt(0)?.toString(16)};`,
  'HTML hexadecimal with zeros, in upper case': (character) =>
    `&#X000${character.codePointAt(0)?.toString(16).toUpperCase()};`,
  'HTML named': (character) => (entityNames[character] ? `&${entityNames[character]};` : character),
  'JSON \\u': (character) => jsonUnits(character),
  'JSON \\u in upper case': (character) => jsonUnits(character).toUpperCase().replaceAll('\\U', '\\u'),
  'JavaScript \\u{}': (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  'JavaScript \\x': (character) =>
    character > '\xff' ? jsonUnits(character) : `\\x${hexOf(character, 'latin1')}`,
  'JavaScript \\x in upper case': (character) =>
    character > '\xff' ? jsonUnits(character) : `\\x${hexOf(character, 'latin1').toUpperCase()}`,
  'C octal': (character) =>
    bytesOf(character)
      .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
      .join(''),
  'JSON backslash': (character) => JSON.stringify(character).slice(1, -1).replace('/', '\\/'),
};

/** Each character in the escape whose turn it is; a backslash as `\\` before what would make it an escaped one. */
export function writeWith(mix: readonly ((character: string) => string)[], text: string): string {
  let written = '';
  for (const [index, character] of [...Array.from(text).entries()].reverse()) {
    const escaped = character === '\\' && written.startsWith('\\');
    written = `${escaped ? '\\\\' : mix[index % mix.length]?.(character)}${written}`;
  }
  return written;
}

/** As Python's `backslashreplace` and Java's `native2ascii` write: a backslash stays as it is before an escape. */
export function writeAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) =>
    unit > '\xff' ? jsonUnits(unit) : `\\x${hexOf(unit, 'latin1')}`,
  );
}

const bytesOf = (text: string): readonly number[] => [...Buffer.from(text)];
const hexDump = (
  text: string,
  line: (offset: string, bytes: readonly number[], shown: string) => string,
): string => {
  const bytes = Buffer.from(text);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = bytes.subarray(at, at + 16);
    const shown = part.toString('latin1').replace(/[^ -~]/g, '.');
    lines.push(line(at.toString(16).padStart(8, '0'), [...part], shown));
  }
  return lines.join('\n');
};
const pairs = (bytes: readonly number[]): readonly string[] =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0'));

/** The rows of the table of encodings in SECURITY.md: how a service may write a text that holds a key. */
export const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'escapes of JSON, JavaScript and C': (text) =>
    Array.from(text, (character, index) => {
      const names = ['JSON \\u', 'JavaScript \\x', 'C octal', 'JavaScript \\u{}'];
      const name = character === '\\' ? undefined : names[index % names.length];
      return characterEscapes[name ?? 'JSON \\u']?.(character);
    }).join(''),
  'JSON in JSON, up to three times': (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))),
  'percent escapes, and a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
  'percent escapes twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'HTML entities, with or without semicolon': (text) =>
    Array.from(text, (character, index) =>
      /[<>"&]/.test(character)
        ? `&${entityNames[character]}${index % 2 ? ';' : ''}`
        : /[\w ]/.test(character)
          ? `${character}`
          : `&#${character.codePointAt(0)};`,
    ).join(''),
  'UTF-8 that was read as latin1': (text) => Buffer.from(text).toString('latin1'),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 without padding, in the alphabet of URLs': (text) => Buffer.from(text).toString('base64url'),
  'base64 of a longer text': (text) => Buffer.from(`{"key":"${text}","more":1}`).toString('base64'),
  'base64 in lines': (text) => Buffer.from(text).toString('base64').replace(/.{16}/g, '$&\r\n'),
  'base64 in base64': (text) => btoa(Buffer.from(text).toString('base64')),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'hexadecimal with separators, such as of `util.inspect`': (text) =>
    `<Buffer ${pairs(bytesOf(text)).join(' ')}>`,
  'hexadecimal with `0x`': (text) =>
    pairs(bytesOf(text))
      .map((pair) => `0x${pair}`)
      .join(','),
  'hexadecimal in a list, indented': (text) => JSON.stringify(pairs(bytesOf(text)), null, '\t').toUpperCase(),
  'the dump of `xxd`': (text) =>
    hexDump(text, (offset, bytes, shown) => {
      const groups = pairs(bytes).join('').replace(/.{4}/g, '$& ').trim();
      return `${offset}: ${groups.padEnd(39)}  ${shown}`;
    }),
  'the dump of `hexdump -C`': (text) =>
    hexDump(text, (offset, bytes, shown) => {
      const [left, right] = [pairs(bytes.slice(0, 8)), pairs(bytes.slice(8))];
      return `${offset}  ${`${left.join(' ')}  ${right.join(' ')}`.padEnd(48)}  |${shown}|`;
    }),
  'the JSON of a `Buffer`': (text) => JSON.stringify(Buffer.from(text)),
  'the JSON of a `Uint8Array`': (text) => JSON.stringify(new Uint8Array(Buffer.from(text))),
  'the JSON of either, indented': (text) => JSON.stringify(new Uint8Array(Buffer.from(text)), null, 2),
  'its bytes as numbers, between any commas and blanks': (text) =>
    bytesOf(text)
      .map((byte, index) => `${byte}${[' , ', '\n', ' ', '\t', '\r\n    '][index % 5]}`)
      .join(''),
};

type Form = readonly [
  name: string,
  write: (secret: Secret) => string,
  only?: (secret: Secret) => RedactionCase['only'],
];

const forms: readonly Form[] = [
  ...Object.entries(characterEscapes).flatMap(([name, write]): Form[] => [
    [name, ({ key }) => key.replace(/[^a-z\d]/giu, write)],
    [`${name}, each character`, ({ key }) => Array.from(key, write).join('')],
    [`${name}, the header`, ({ authorization }) => authorization.replace(/[^a-z\d]/giu, write)],
  ]),
  [
    'HTML decimal without semicolon, each character',
    ({ key }) => Array.from(key, (character) => `&#${character.codePointAt(0)}`).join(''),
  ],
  ['key and colon', ({ key }) => `${key}:`],
  ['the credentials alone', ({ authorization }) => authorization.replace(/^\w+ /, '')],
  [
    'the credentials without padding',
    ({ authorization }) => authorization.replace(/^\w+ |=+$/g, ''),
    ({ authorization }) => (authorization.startsWith('Bearer') ? 'client' : undefined),
  ],
  ['base64', ({ key }) => Buffer.from(key).toString('base64')],
  ['base64 without padding', ({ key }) => Buffer.from(key).toString('base64').replace(/=+$/, '')],
  ['base64url', ({ key }) => Buffer.from(key).toString('base64url')],
  ['base64url of key and colon', ({ key }) => Buffer.from(`${key}:`).toString('base64url')],
  // The client never sends the key as password, and the mock service and the conformance suite never send Bearer.
  ['base64 of colon and key', ({ key }) => Buffer.from(`:${key}`).toString('base64'), () => 'testing'],
  [
    'base64 of the header',
    ({ authorization }) => Buffer.from(authorization).toString('base64'),
    ({ authorization }) => (authorization.startsWith('Bearer') ? 'client' : undefined),
  ],
  ['hex', ({ key }) => hexOf(key)],
  ['hex in upper case', ({ key }) => hexOf(key).toUpperCase()],
  ['hex of the credentials', ({ authorization }) => hexOf(authorization.replace(/^\w+ /, ''))],
  ['hex of the header', ({ authorization }) => hexOf(authorization)],
  ['UTF-8 read as latin1', ({ key }) => Buffer.from(key).toString('latin1')],
];

/**
 * The forms that the redactors of `@orders/client` and of `@orders/testing` recognise. A form that is cut is
 * none of them: the callers drop a body that is not whole.
 */
export const redactionCases: readonly RedactionCase[] = forms.flatMap(([name, write, only]) =>
  redactionSecrets.map((secret): RedactionCase => {
    const owner = only?.(secret);
    return { name, ...secret, text: write(secret), ...(owner && { only: owner }) };
  }),
);

function basicSecret(key: string): Secret {
  return { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`, key };
}

function hexOf(text: string, encoding?: BufferEncoding): string {
  return Buffer.from(text, encoding).toString('hex');
}

function percent(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function jsonUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
