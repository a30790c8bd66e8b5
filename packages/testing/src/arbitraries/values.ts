import fc from 'fast-check';

/** The longest `order_id` and metadata string, in code points. */
export const MAX_LENGTH = 255;

/** Well-formed text of a small size: what people write in any script, and any other character. */
export function texts(constraints: { readonly minLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true },
    fc.string(constraints),
    fc.string({ ...constraints, unit: 'grapheme' }),
    fc.string({ ...constraints, unit: characters() }),
  );
}

/** Any code point but surrogates; it shrinks to `a`. The unit `binary` of `fc.string` takes half a second to make. */
function characters(): fc.Arbitrary<string> {
  const range = (first: number, last: number) =>
    fc.integer({ min: first, max: last }).map((point) => String.fromCodePoint(point));
  return fc.oneof(
    { withCrossShrink: true },
    fc.constant('a'),
    range(0x20, 0x7e),
    range(0xc0, 0x17e),
    range(0, 0xd7ff),
    range(0xe000, 0xffff),
    range(0x1f300, 0x1faf8),
    range(0x10000, 0x10ffff),
    // What some parsers take for the end of a line or of a text, and the ends of ranges.
    fc.constantFrom('\0', '\n', '\r', '\x7f', '\x85', '\u2028', '\ud7ff', '\ue000', '\ufeff', '\uffff'),
    fc.constantFrom('\u{10000}', '\u{10ffff}'),
  );
}

/** Well-formed text of at most 255 code points, often of exactly so many. */
export function limitedTexts(): fc.Arbitrary<string> {
  // A length beyond the limit is the limit, so that the limit is frequent and still shrinks.
  const lengths = fc.nat({ max: MAX_LENGTH + 50 }).map((length) => Math.min(length, MAX_LENGTH));
  return fc.oneof({ weight: 3, arbitrary: texts() }, { weight: 1, arbitrary: textsOfLength(lengths) });
}

/** A short text, repeated up to a length in code points: it shrinks in a few steps, however long it is. */
export function textsOfLength(lengths: fc.Arbitrary<number>): fc.Arbitrary<string> {
  return fc.tuple(texts({ minLength: 1 }), lengths).map(([text, length]) => {
    const points = [...text];
    return Array.from({ length }, (_, index) => points[index % points.length]).join('');
  });
}

/** Integers from one end to the other, often at the ends, around zero or of the size of a price. */
export function integersWithin(min: number, max: number): fc.Arbitrary<number> {
  // Beyond an end is the end, so that the ends are frequent and still shrink.
  const wide = fc
    .bigInt({ min: BigInt(min) - 20n, max: BigInt(max) + 20n })
    .map((integer) => Math.min(Math.max(Number(integer), min), max));
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -100_000, max: 100_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 1 }) },
    { weight: 3, arbitrary: wide },
  );
}

/** Small JSON that JSON text carries unchanged: no `-0`, no lone surrogate, no field `__proto__`. */
export function jsonValues(): fc.Arbitrary<unknown> {
  const scalars = fc.json({ maxDepth: 0, stringUnit: 'grapheme' }).map((text): unknown => JSON.parse(text));
  return fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }), jsonObjects(scalars));
}

/** Plain objects with up to three fields of any name but `__proto__`. */
export function jsonObjects(values: fc.Arbitrary<unknown> = jsonValues()): fc.Arbitrary<object> {
  const names = texts().filter((name) => name !== '__proto__');
  return fc.dictionary(names, values, { maxKeys: 3, noNullPrototype: true });
}

// Names and addresses that are reserved for documentation: a test that calls one reaches no real host.
const HOSTS = ['shop.example', 'shop.example:8443', '{tenant}.shop.example', 'büro.example'];
const ODD_HOSTS = ['user:secret@shop.example', '192.0.2.7', '[2001:db8::7]:8080'];

/** URLs of terms and webhooks: http or https, with placeholders in braces. */
export function webUrls(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', 'Http://'),
      fc.constantFrom(...HOSTS, ...ODD_HOSTS),
      fc.array(segments(), { maxLength: 3 }).map((path) => path.map((segment) => `/${segment}`).join('')),
      fc.option(
        segments().map((segment) => `?s={session_id}&${segment}`),
        { nil: '' },
      ),
      fc.option(
        segments().map((segment) => `#${segment}`),
        { nil: '' },
      ),
    )
    .map((parts) => parts.join(''));
}

/** Return URLs: of any scheme but `javascript:` and `data:`, so that they may lead to an app. */
export function returnUrls(): fc.Arbitrary<string> {
  const schemes = fc.oneof(
    fc.constantFrom('myapp', 'my.app+x-1', 'MYAPP', 'mailto', 'x', 'javascripts', 'java', 'datas'),
    fc.nat().map((id) => `app${id.toString(36)}`),
  );
  const places = fc.oneof(
    fc.constantFrom('/', '?', '#', 'fail', '//paid', '//{order_token}/done?s={session_id}'),
    segments().map((segment) => `//${segment}`),
  );
  return fc.oneof(
    webUrls(),
    fc.tuple(schemes, places).map((parts) => parts.join(':')),
  );
}

function segments(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom('', 'done', '{order_token}', 'vilkår', '%2F', '支付', '🧡', '..', 'a|b"c<d>'),
    texts().map((text) => text.replace(/\s/g, '-')),
  );
}
