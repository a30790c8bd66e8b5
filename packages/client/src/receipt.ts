import { labelOf, type Named } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { version } from './version.ts';

/** One attempt of a call, as a receipt tells it. */
export interface AttemptRecord {
  /** Milliseconds from the call to this attempt. */
  readonly afterMs: number;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** The status of the answer, if one came. */
  readonly status?: number;
  /** What became of this attempt. */
  readonly outcome: Outcome;
  /** The code of what went wrong, if anything did. */
  readonly error?: string;
}

/** A receipt as plain data. */
export interface ReceiptData {
  /** Made here and never sent: it tells two receipts apart. */
  readonly id: string;
  /** Method and path; of an order token only the last four characters. */
  readonly operation: string;
  /** When the call was made, in UTC. */
  readonly calledAt: string;
  readonly attempts: readonly AttemptRecord[];
  /** Length of the request body in bytes. */
  readonly bodyBytes: number;
  readonly versions: { readonly client: string; readonly runtime: string };
}

/** What a receipt keeps of a call: not its body. */
export interface CallNotes {
  readonly operation: Named;
  readonly bodyBytes: number;
  /** Unix time in milliseconds. */
  readonly calledAt: number;
  readonly attempts: readonly AttemptRecord[];
}

/** Tenths of a millisecond are as fine as a clock across a network tells. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/**
 * What happened in a call, safe to paste into a ticket: no key, no body, no whole order token.
 * It is put together when read, so a call that nobody asks about pays nothing for it.
 */
export class Receipt {
  readonly #notes: CallNotes;
  #data: ReceiptData | undefined;

  constructor({ operation: { method, path, lane }, bodyBytes, calledAt, attempts }: CallNotes) {
    this.#notes = { operation: { method, path, lane }, bodyBytes, calledAt, attempts };
  }

  /** The receipt as plain data. */
  toJSON(): ReceiptData {
    const { operation, bodyBytes, calledAt, attempts } = this.#notes;
    this.#data ??= {
      id: crypto.randomUUID(),
      operation: labelOf(operation),
      calledAt: new Date(calledAt).toISOString(),
      attempts,
      bodyBytes,
      versions: { client: version, runtime: globalThis.navigator?.userAgent ?? 'unknown' },
    };
    return this.#data;
  }

  /** The receipt as lines of text. */
  toString(): string {
    const { id, operation, calledAt, attempts, bodyBytes, versions } = this.toJSON();
    const lines = attempts.map(
      ({ afterMs, durationMs, status, outcome, error }, index) =>
        `  attempt ${index + 1} after ${Math.round(afterMs)} ms, took ${Math.round(durationMs)} ms: ` +
        `${[status, error].filter((part) => part !== undefined).join(' ')} -> ${outcome}`,
    );
    return [
      `${operation} at ${calledAt}, ${bodyBytes} bytes, receipt ${id}`,
      ...lines,
      `  @orders/client ${versions.client}, ${versions.runtime}`,
    ].join('\n');
  }

  /** Shows the plain data in `util.inspect` and `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): ReceiptData {
    return this.toJSON();
  }
}
