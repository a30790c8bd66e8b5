import { describeOperation, type OperationInfo, type Outcome } from './operation.ts';
import { version } from './version.ts';

/** One attempt of a call. */
export interface AttemptRecord {
  /** Milliseconds from the start of the call to the start of this attempt. */
  readonly startedAfterMs: number;
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number;
  /** The status of the response; absent when none came. */
  readonly status?: number;
  /** The `x-request-id` of the response, at most 128 characters; absent when it had none. */
  readonly requestId?: string;
  /** What became of this attempt. */
  readonly outcome: Outcome;
  /** The code of the error; absent when the attempt succeeded. */
  readonly error?: string;
}

/** A receipt as plain data. */
export interface ReceiptData {
  /** Made by the client and never sent: it distinguishes two receipts. */
  readonly id: string;
  /** Method and path, with only the last four characters of an order token. */
  readonly operation: string;
  /** Host and port that the call was made to. */
  readonly host: string;
  /** When the call was made, in UTC. */
  readonly calledAt: string;
  readonly attempts: readonly AttemptRecord[];
  /** Length of the request body in bytes. */
  readonly bodyBytes: number;
  readonly versions: { readonly client: string; readonly runtime: string };
}

/** What a receipt is made of. */
export interface ReceiptInput {
  readonly operation: OperationInfo;
  readonly host: string;
  readonly bodyBytes: number;
  /** Unix time in milliseconds. */
  readonly calledAt: number;
  readonly attempts: readonly AttemptRecord[];
}

/** The runtime and its version, such as `Node.js/24`. */
export const runtime: string = /* @__PURE__ */ globalThis.navigator?.userAgent ?? 'unknown';

/** Rounds to tenths of a millisecond: a clock across a network is no finer. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/**
 * What happened in a call, safe to paste into a ticket: no key, no body, no whole order token.
 * It is built when it is first read.
 */
export class Receipt {
  readonly #call: Omit<ReceiptInput, 'operation'> & { readonly operation: string };
  #data: ReceiptData | undefined;

  constructor({ operation, host, calledAt, attempts, bodyBytes }: ReceiptInput) {
    // Not the call itself, which holds the body and the credentials.
    this.#call = { operation: describeOperation(operation), host, calledAt, attempts, bodyBytes };
  }

  /** The receipt as plain data. */
  toJSON(): ReceiptData {
    const { calledAt } = this.#call;
    this.#data ??= {
      id: crypto.randomUUID(),
      ...this.#call,
      calledAt: new Date(calledAt).toISOString(),
      versions: { client: version, runtime },
    };
    return this.#data;
  }

  /** The receipt as lines of text. */
  toString(): string {
    const { id, operation, host, calledAt, attempts, bodyBytes, versions } = this.toJSON();
    const lines = attempts.map(
      ({ startedAfterMs, durationMs, status, requestId, outcome, error }, index) =>
        `  attempt ${index + 1} after ${Math.round(startedAfterMs)} ms, took ${Math.round(durationMs)} ms: ` +
        `${[status, error, requestId].filter((part) => part !== undefined).join(' ')} -> ${outcome}`,
    );
    return [
      `${operation} to ${host} at ${calledAt}, ${bodyBytes} bytes, receipt ${id}`,
      ...lines,
      `  @orders/client ${versions.client}, ${versions.runtime}`,
    ].join('\n');
  }

  /** Shows the plain data in `util.inspect` and `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): ReceiptData {
    return this.toJSON();
  }
}

/** What is known of a call, however it ended. */
export interface CallSummary {
  /** What became of the update, over all attempts of the call. */
  readonly outcome: Outcome;
  /** How many attempts were made. */
  readonly attemptCount: number;
  /** What happened, safe to paste into a ticket. */
  readonly receipt: Receipt;
  /** The `x-request-id` of the last response that had one, at most 128 characters. */
  readonly requestId: string | undefined;
}

export function summarize(call: ReceiptInput, outcome: Outcome): CallSummary {
  const { attempts } = call;
  const requestId = attempts.findLast((attempt) => attempt.requestId)?.requestId;
  return { outcome, attemptCount: attempts.length, receipt: new Receipt(call), requestId };
}
