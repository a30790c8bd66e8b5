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

type Secret = Pick<RedactionCase, 'key' | 'authorization'>;

export const redactionSecrets: readonly Secret[] = [
  basicSecret('sk_live+abc/def==42'),
  basicSecret('pässwörd-ключ-🔑-12345'),
  basicSecret(`O'Neil & <Sons> "x" 99`),
  { authorization: 'Bearer eyJhbGci.eyJz~dWIi_+/-Qx==', key: 'eyJhbGci.eyJz~dWIi_+/-Qx==' },
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
  'JSON backslash': (character) => JSON.stringify(character).slice(1, -1).replace('/', '\\/'),
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

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
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
