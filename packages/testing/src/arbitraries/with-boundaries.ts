import fc from 'fast-check';

/** One value in so many is a boundary. */
const RARITY = 4;

/**
 * Yields a boundary now and then, and `base` otherwise. A boundary is shrunk as a value of `base` would be, which
 * `fc.oneof` does not do: there, the largest integer would shrink to another boundary only.
 */
export function withBoundaries<T>(base: fc.Arbitrary<T>, boundaries: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return new WithBoundaries(base, boundaries);
}

class WithBoundaries<T> extends fc.Arbitrary<T> {
  readonly #base: fc.Arbitrary<T>;
  readonly #boundaries: fc.Arbitrary<T>;

  constructor(base: fc.Arbitrary<T>, boundaries: fc.Arbitrary<T>) {
    super();
    this.#base = base;
    this.#boundaries = boundaries;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<T> {
    if (random.nextInt(1, RARITY) > 1) return this.#base.generate(random, bias);
    return new fc.Value(this.#boundaries.generate(random, bias).value, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#base.canShrinkWithoutContext(value);
  }

  override shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    const canShrink = context !== undefined || this.#base.canShrinkWithoutContext(value);
    return canShrink ? this.#base.shrink(value, context) : fc.Stream.nil();
  }
}
