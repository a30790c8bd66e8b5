import fc from 'fast-check';

/** Puts one text into another, at its ends too, and in the middle of a surrogate pair. */
export function insertAnywhere(
  texts: fc.Arbitrary<string>,
  inserted: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc.tuple(texts, inserted, fc.nat()).map(([text, inside, pick]) => {
    const place = pick % (text.length + 1);
    return text.slice(0, place) + inside + text.slice(place);
  });
}

/** What HTTP, URLs and terminals take for more than a character. */
export function controlCharacters(): fc.Arbitrary<string> {
  return fc.constantFrom('\0', '\t', '\n', '\r', '\r\n', '\x1b', '\x7f', '\x80', '\x85', '\x9f');
}

/** Half of a pair: UTF-8 has no form for it. */
export function loneSurrogates(): fc.Arbitrary<string> {
  return fc.constantFrom('\ud800', '\ud83d', '\udbff', '\udc00', '\udfff');
}
