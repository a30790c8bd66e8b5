import fc from 'fast-check';

/**
 * Any character that UTF-8 can carry, of one or two UTF-16 units. It shrinks in one step to `a`, or else to an emoji:
 * by more, a text of 255 of them would shrink for minutes.
 */
export function characters(): fc.Arbitrary<string> {
  return new Characters();
}

/** Code points from and to, each as likely as the others. */
const RANGES = [
  ['a', 'z'],
  [' ', '~'],
  ['À', 'ž'],
  ['\0', '\ud7ff'],
  ['\ue000', '\uffff'],
  ['🌀', '🫸'],
  ['\u{10000}', '\u{10ffff}'],
] as const;

/** The ends of ranges, and what some parsers take for the end of a line or of a text. */
const EDGES = [
  ...['\0', '\n', '\r', '\x7f', '\x80', '\x85', '\u2028', '\ud7ff', '\ue000', '\ufeff', '\uffff'],
  ...['\u{10000}', '\u{10ffff}'],
];

const SIMPLEST = ['a', '🧡'];

class Characters extends fc.Arbitrary<string> {
  override generate(random: fc.Random): fc.Value<string> {
    const range = RANGES[random.nextInt(0, RANGES.length)];
    const character =
      range === undefined
        ? (EDGES[random.nextInt(0, EDGES.length - 1)] ?? '')
        : String.fromCodePoint(random.nextInt(range[0].codePointAt(0) ?? 0, range[1].codePointAt(0) ?? 0));
    return new fc.Value(character, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is string {
    // Half a pair is no character, or two halves would be two.
    return typeof value === 'string' && value.isWellFormed() && [...value].length === 1;
  }

  override shrink(value: string): fc.Stream<fc.Value<string>> {
    const place = SIMPLEST.indexOf(value);
    const simpler = place === -1 ? SIMPLEST : SIMPLEST.slice(0, place);
    return fc.stream(simpler.map((character) => new fc.Value(character, undefined))[Symbol.iterator]());
  }
}
