import fc from 'fast-check';
import { characters } from './characters.ts';
import { withTextShrinking } from './with-text-shrinking.ts';

/** The longest `order_id` and metadata string, in code points (interface document, Limits). */
const MAX_LENGTH = 255;

/** Well-formed text of a small size: of letters, of what people write, and of any character at all. */
export function texts(): fc.Arbitrary<string> {
  anyText ??= fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: characters() }));
  return anyText;
}

// Made once, at the first call: it takes fast-check milliseconds to make, and every field asks for it.
let anyText: fc.Arbitrary<string> | undefined;

/** Well-formed text of at most 255 code points, often of 0, 1 or 255, and of characters beyond 16 bits. */
export function limitedTexts(): fc.Arbitrary<string> {
  const unit = characters();
  const maxLength = MAX_LENGTH;
  return withTextShrinking(
    fc.oneof(
      { arbitrary: fc.string({ unit, maxLength }), weight: 12 },
      { arbitrary: fc.constant(''), weight: 1 },
      { arbitrary: unit, weight: 1 },
      { arbitrary: charactersTimes(maxLength), weight: 1 },
      { arbitrary: fc.string({ unit, minLength: maxLength, maxLength }), weight: 1 },
    ),
  );
}

/** Well-formed text of more than 255 code points, often of one more. */
export function tooLongTexts(): fc.Arbitrary<string> {
  const minLength = MAX_LENGTH + 1;
  const any = fc.string({ unit: characters(), minLength, maxLength: MAX_LENGTH + 50 });
  return withTextShrinking(fc.oneof(charactersTimes(minLength), any), minLength);
}

/** Text of exactly so many code points, all the same. */
function charactersTimes(length: number): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'é', '支', '🧡', '\u{10ffff}').map((character) => character.repeat(length));
}
