const placeholder = '[secret]';

/**
 * A string that is not printed by accident: `String()`, template strings, `JSON.stringify`, `util.inspect`,
 * `console.log` and error messages print `[secret]`. Only `reveal` returns the value.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value. Call it where the value is used, and keep no copy. */
  reveal(): string {
    return this.#value;
  }

  /** Returns `[secret]`. */
  toString(): string {
    return placeholder;
  }

  /** Returns `[secret]`, for `JSON.stringify`. */
  toJSON(): string {
    return placeholder;
  }

  /** Returns `[secret]` where a primitive is expected. */
  [Symbol.toPrimitive](): string {
    return placeholder;
  }

  /** Returns `[secret]`, for `util.inspect` and `console.log` of Node, Deno and Bun. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return placeholder;
  }
}
