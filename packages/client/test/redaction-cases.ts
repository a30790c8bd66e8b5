/** A credential as it is sent, and the key or token in it. */
export interface RedactionSecret {
  readonly authorization: string;
  readonly key: string;
}

export const redactionSecrets: readonly RedactionSecret[] = [
  ...['sk_live+abc/def==42', 'pässwörd-ключ-🔑-12345', `O'Neil & <Sons> "x" 99`].map((key) => ({
    authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    key,
  })),
  { authorization: 'Bearer eyJhbGci.eyJz~dWIi_+/-Qx==', key: 'eyJhbGci.eyJz~dWIi_+/-Qx==' },
];

/** How services write one character inside a string of theirs. */
export const characterEscapes: Readonly<Record<string, (character: string) => string>> = {
  plain: (character) => character,
  percent: (character) => percent(character).toUpperCase(),
  'percent in lower case': percent,
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

/** Every form in which a service may echo a credential. */
export const redactionCases: Readonly<Record<string, (secret: RedactionSecret) => string>> = {
  ...Object.fromEntries(
    Object.entries(characterEscapes).flatMap(([name, write]) => [
      [name, ({ key }) => key.replace(/[^a-z\d]/giu, write)] satisfies Case,
      [`${name}, each character`, ({ key }) => Array.from(key, write).join('')] satisfies Case,
      [`${name}, the header`, (secret) => secret.authorization.replace(/[^a-z\d]/giu, write)] satisfies Case,
    ]),
  ),
  'the credentials alone': ({ authorization }) => authorization.replace(/^\w+ /, ''),
  'the credentials without padding': ({ authorization }) => authorization.replace(/^\w+ |=+$/g, ''),
  base64: ({ key }) => Buffer.from(key).toString('base64'),
  base64url: ({ key }) => Buffer.from(key).toString('base64url'),
  'base64url of key and colon': ({ key }) => Buffer.from(`${key}:`).toString('base64url'),
  'base64 of the header': ({ authorization }) => Buffer.from(authorization).toString('base64'),
  hex: ({ key }) => Buffer.from(key).toString('hex'),
  'hex in upper case': ({ key }) => Buffer.from(key).toString('hex').toUpperCase(),
  'UTF-8 read as latin1': ({ key }) => Buffer.from(key).toString('latin1'),
};

type Case = [name: string, write: (secret: RedactionSecret) => string];

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

function percent(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function jsonUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
