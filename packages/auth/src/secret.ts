const shown = '[secret]';

/**
 * A string that shows itself to nobody by accident: `String()`, template strings, `JSON.stringify`,
 * `util.inspect`, `console.log` and error messages print `[secret]`. Only `reveal` gives the value.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it where the value is used, and keep no copy. */
  reveal(): string {
    return this.#value;
  }

  /** Prints `[secret]`. */
  toString(): string {
    return shown;
  }

  /** Prints `"[secret]"` in JSON. */
  toJSON(): string {
    return shown;
  }

  /** Prints `[secret]` where a primitive is wanted. */
  [Symbol.toPrimitive](): string {
    return shown;
  }

  /** Prints `[secret]` in Node's `util.inspect` and `console.log`, and in Deno's and Bun's. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return shown;
  }
}
