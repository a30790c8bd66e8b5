import type { Authorization, OutboxClient } from './options.ts';

/** How long credentials may take, in milliseconds: what takes longer is read by each call itself, and fails there. */
const longestMs = 90_000;

/** The credentials of the next turn, read before anything is marked: a claim must not grow old while they are waited for. */
export class Credentials {
  readonly #client: OutboxClient;
  #read: { readonly credentials: Authorization | undefined } | undefined;
  /** Since when a function that reads them is waited for, by the clock of `performance.now()`. */
  #wantedAt: number | undefined;

  constructor(client: OutboxClient) {
    this.#client = client;
  }

  get isReading(): boolean {
    return this.#wantedAt !== undefined;
  }

  /** Reads them, unless they are there or on the way. It never rejects: where they cannot be read, each call tries itself. */
  async read(): Promise<void> {
    if (this.#read || this.isReading) return;
    let credentials: Authorization | undefined;
    try {
      const reading = this.#client.readCredentials?.();
      if (reading instanceof Promise) {
        this.#wantedAt = performance.now();
        credentials = await within(longestMs, reading);
      } else credentials = reading;
      // A function may return anything.
      if (typeof credentials?.reveal() !== 'string') credentials = undefined;
    } catch {
      // The call reports it as what it is.
      credentials = undefined;
    }
    this.#read = { credentials };
    this.#wantedAt = undefined;
  }

  /** Those that were read, for one turn; `undefined` where they have not been. */
  take(): { readonly credentials: Authorization | undefined } | undefined {
    const read = this.#read;
    this.#read = undefined;
    return read;
  }

  /** What the worker waits for, in a sentence. */
  get waitsFor(): string | undefined {
    if (this.#wantedAt === undefined) return undefined;
    const seconds = Math.round((performance.now() - this.#wantedAt) / 1_000);
    return `The credentials function has been running for ${seconds} s`;
  }
}

/** Waits for a promise, but no longer than so many milliseconds. @throws what it rejects with, and where that is over */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new Error('it took too long')), ms);
  return Promise.race([work, over.promise]).finally(() => clearTimeout(timer));
}
