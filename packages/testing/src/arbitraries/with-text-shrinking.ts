import fc from 'fast-check';

/**
 * Yields what `source` yields, and shrinks it by a few steps: fast-check shrinks a text letter by letter, which takes
 * minutes for a text of 255.
 *
 * @param minLength The fewest code points that are left.
 */
export function withTextShrinking(source: fc.Arbitrary<string>, minLength = 0): fc.Arbitrary<string> {
  return new ShrinkingTexts(source, minLength);
}

class ShrinkingTexts extends fc.Arbitrary<string> {
  readonly #source: fc.Arbitrary<string>;
  readonly #minLength: number;

  constructor(source: fc.Arbitrary<string>, minLength: number) {
    super();
    this.#source = source;
    this.#minLength = minLength;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<string> {
    return new fc.Value(this.#source.generate(random, bias).value, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is string {
    return typeof value === 'string' && value.isWellFormed() && [...value].length >= this.#minLength;
  }

  override shrink(text: string): fc.Stream<fc.Value<string>> {
    return fc
      .stream(simplerTexts([...text], this.#minLength))
      .map((simpler) => new fc.Value(simpler, undefined));
  }
}

/** Texts that are shorter, or as long and of simpler characters; of the plainest text, none. */
function* simplerTexts(characters: readonly string[], minLength: number): Generator<string> {
  const { length } = characters;
  for (let less = length - minLength; less >= 1; less = Math.floor(less / 2)) {
    yield characters.slice(0, length - less).join('');
    yield characters.slice(less).join('');
  }
  if (characters.some((character) => character !== 'a')) yield 'a'.repeat(length);
  // To yield these for any text would go round in circles.
  if (characters.some((character) => character !== 'a' && character !== '🧡')) yield '🧡'.repeat(length);
  if (length > SHORT) return;
  for (const [index, character] of characters.entries()) {
    if (character !== 'a') yield characters.with(index, 'a').join('');
  }
}

/** Few enough to be looked at one by one. */
const SHORT = 16;
