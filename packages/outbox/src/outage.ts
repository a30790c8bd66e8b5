import { describeError } from './errors.ts';

/** How long a worker waits after a database error, and until it trusts the database again, in milliseconds. */
const waitMs = { again: 500, over: 2_000, steady: 12_000 };

/** What the statements of a worker show of its database. Moments are by the clock of `performance.now()`. */
export class Outage {
  readonly #warn: (message: string) => void;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** What it failed with last, and since when, while it is away. */
  #away: { readonly message: string; readonly since: number } | undefined;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** A statement failed. */
  begins(error: unknown): void {
    const message = describeError(error);
    this.#failedAt = performance.now();
    if (!this.#away) this.#warn(`The database of the outbox fails, and the outbox tries again: ${message}`);
    this.#away = { message, since: this.#away?.since ?? this.#failedAt };
  }

  /** A statement succeeded; while a database comes back, some still fail. */
  ends(): void {
    if (!this.#away || performance.now() - this.#failedAt < waitMs.over) return;
    this.#away = undefined;
    this.#warn('The database of the outbox works again.');
  }

  /** When it is tried again. */
  get againAt(): number {
    return this.#failedAt + waitMs.again;
  }

  /** Whether it has worked for so long that a worker which shows no heartbeat is lost. */
  get isSteady(): boolean {
    return performance.now() - this.#failedAt > waitMs.steady;
  }

  /** Why the worker cannot use it, in a sentence. */
  get problem(): string | undefined {
    if (!this.#away || performance.now() - this.#away.since < waitMs.over) return undefined;
    return `The database of the outbox fails: ${this.#away.message}`;
  }
}
