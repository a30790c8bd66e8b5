import fc from 'fast-check';
import { apiKeys, orderTokens } from '../../src/arbitraries.ts';

/** Texts that HTTP Basic cannot carry as a user name: empty, or with a colon, a control character or a lone surrogate. */
export function invalidApiKeys(): fc.Arbitrary<string> {
  const inserted = fc.oneof(fc.constantFrom(':', ':password'), controlCharacters(), loneSurrogates());
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: insertAnywhere(apiKeys(), inserted) },
  );
}

/** Empty texts, `.` and `..`, which a path loses, and texts with a control character or a lone surrogate. */
export function invalidOrderTokens(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('', '.', '..') },
    { weight: 2, arbitrary: insertAnywhere(orderTokens(), fc.oneof(controlCharacters(), loneSurrogates())) },
  );
}

/** Inserts one text anywhere into another: at its ends, and in the middle of a surrogate pair. */
export function insertAnywhere(
  texts: fc.Arbitrary<string>,
  inserted: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  return fc.tuple(texts, inserted, fc.nat()).map(([text, inside, pick]) => {
    const place = pick % (text.length + 1);
    return text.slice(0, place) + inside + text.slice(place);
  });
}

/** Characters with a meaning of their own in HTTP, URLs and terminals. */
export function controlCharacters(): fc.Arbitrary<string> {
  return fc.constantFrom('\0', '\t', '\n', '\r', '\r\n', '\x1b', '\x7f', '\x80', '\x85', '\x9f');
}

/** Half of a surrogate pair: UTF-8 has no form for it. */
export function loneSurrogates(): fc.Arbitrary<string> {
  return fc.constantFrom('\ud800', '\ud83d', '\udbff', '\udc00', '\udfff');
}
