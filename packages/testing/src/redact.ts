const label = '[redacted]';
const maxDepth = 6;

/** A secret whose own escapes are undone is shorter, and below this length it occurs by chance. */
const minUnescapedLength = 4;

/**
 * Makes a function that redacts secrets in a text of a service, in the escapes, base64 and hexadecimal in which services echo what they were
 * sent, and returns one line without control characters. Escapes are undone where that uncovers a secret.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(
    secrets
      .filter(Boolean)
      .flatMap(encodingsOf)
      .flatMap(unescapings)
      .flatMap((form) => [form, toOneLine(form)]),
  );
  // A form may be part of a longer one, of which it would leave the rest.
  const longestFirst = [...forms].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    let layer = text;
    // Escapes may be nested, such as percent escapes in JSON in JSON.
    for (let depth = 0; depth < maxDepth; depth++) {
      const found = longestFirst.reduce((rest, form) => rest.replaceAll(form, label), layer);
      if (found !== layer) clean = found;
      const line = toOneLine(found);
      layer = line === found ? toOneLine(unescapeOnce(found)) : line;
      if (layer === found) break;
    }
    // Halves of a pair may stand in escapes of different layers.
    return toOneLine(clean).toWellFormed();
  };
}

function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ').trim();
}

/** A secret alone and in HTTP Basic, in every encoding but the escapes of single characters. */
function encodingsOf(secret: string): readonly string[] {
  const pairs = [`${secret}:`, `:${secret}`];
  const credentials = pairs.map((pair) => Buffer.from(pair).toString('base64'));
  const headers = credentials.map((base64) => `Basic ${base64}`);
  return [secret, ...pairs, ...credentials, ...headers].flatMap((text) => {
    const bytes = Buffer.from(text);
    const base64 = bytes.toString('base64');
    const hex = bytes.toString('hex');
    // Headers are read as latin1.
    const texts = [text, bytes.toString('latin1'), text.replaceAll(' ', '+')];
    return [...texts, base64, base64.replace(/=+$/, ''), bytes.toString('base64url'), hex, hex.toUpperCase()];
  });
}

/**
 * A secret may hold what looks like an escape, such as `%2f`, and loses it where the escapes of a text are undone: the
 * form itself, and what is left of it after each time.
 */
function unescapings(form: string): readonly string[] {
  const unescaped = [form];
  for (let depth = 1, last = form; depth < maxDepth; depth++) {
    last = unescapeOnce(last);
    if (last.length >= minUnescapedLength) unescaped.push(last);
  }
  return unescaped;
}

/** Each character that a key may hold and HTML has a name for, after that name. */
const entities = new Map(
  `amp& lt< gt> quot" apos' plus+ sol/ equals= lowbar_ hyphen- period. colon: percnt% num# semi; bsol\\`
    .split(' ')
    .map((entity) => [entity.slice(0, -1), entity.slice(-1)]),
);

/** Escapes of URLs and of C (each run is UTF-8), of JSON, of JavaScript and of HTML. */
const escapes = new RegExp(
  [
    /((?:%[\da-f]{2})+)/,
    /((?:\\[0-3][0-7]{2})+)/,
    /\\u([\da-f]{4})/,
    /\\u\{0*([\da-f]{1,6})\}/,
    /\\x([\da-f]{2})/,
    /\\(["\\/])/,
    /&#x0*([\da-f]{1,6});?/,
    /&#0*(\d{1,7});?/,
    new RegExp(`&(${[...entities.keys()].join('|')});?`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** Undoes each escape once; where there is none, drops backslashes. */
function unescapeOnce(text: string): string {
  const undone = text.replace(escapes, unescapeOne);
  // Python's `backslashreplace` escapes no backslash: `\é` becomes `\\xe9`, which reads as an escaped backslash and `xe9`.
  return undone === text ? text.replaceAll('\\', '') : undone;
}

function unescapeOne(written: string, ...groups: (string | undefined)[]): string {
  const [percent, octal, unit, braced, x, quoted, hex, decimal, name] = groups;
  if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString();
  if (octal !== undefined)
    return Buffer.from(
      octal
        .split('\\')
        .slice(1)
        .map((byte) => Number(`0o${byte}`)),
    ).toString();
  if (quoted !== undefined) return quoted;
  if (name !== undefined) return entities.get(name.toLowerCase()) ?? written;
  const point = Number(decimal ?? `0x${unit ?? braced ?? x ?? hex}`);
  return point > 0x10ffff ? written : String.fromCodePoint(point);
}
