import type { Explanation } from '@orders/schema';
import type { AnswerHeaders } from './exchange.ts';
import type { Outcome } from './outcome.ts';
import type { Receipt } from './receipt.ts';

const brand = Symbol.for('@orders/client.OrdersError');

/** What every error of a call knows. */
export interface CallEnd {
  /** What became of the update, over all attempts of the call. */
  readonly outcome: Outcome;
  /** Attempts made. */
  readonly attempts: number;
  readonly receipt: Receipt;
  readonly cause?: unknown;
  /** How long the service asks to wait before another attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The codes of errors: switch on them. A code never changes its meaning. */
export type OrdersErrorCode =
  | 'invalid_request'
  | 'connection_failed'
  | 'timeout'
  | 'http_error'
  | 'invalid_response'
  | 'aborted';

/** A call that did not succeed. `outcome` says what became of the update. It never holds a key or a request body. */
export abstract class OrdersError extends Error {
  abstract readonly code: OrdersErrorCode;
  /** What became of the update, over all attempts of the call. */
  readonly outcome: Outcome;
  /** Attempts made. */
  readonly attempts: number;
  /** What happened, safe to paste into a ticket. */
  readonly receipt: Receipt;
  /** How long the service asks to wait before another attempt, in milliseconds; `undefined` when it does not ask. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, end: CallEnd) {
    super(message, end.cause === undefined ? undefined : { cause: end.cause });
    this.outcome = end.outcome;
    this.attempts = end.attempts;
    this.receipt = end.receipt;
    this.retryAfterMs = end.retryAfterMs;
  }

  /** Plain data for logs: no stack, no cause. */
  toJSON(): object {
    return { ...this, name: this.name, message: this.message };
  }
}
Object.defineProperty(OrdersError.prototype, brand, { value: true });

/** The update was refused before it was sent: `issues` says where and what to write instead. */
export class InvalidRequestError extends OrdersError {
  override readonly name = 'InvalidRequestError';
  readonly code = 'invalid_request';
  /** Each problem with its path, code, message and hint. */
  readonly issues: readonly Explanation[];

  constructor(message: string, end: CallEnd, issues: readonly Explanation[]) {
    super(message, end);
    this.issues = issues;
  }
}

/** No answer came: the connection failed before the request left (`not_sent`) or after (`unknown`). */
export class ConnectionError extends OrdersError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_failed';
}

/** Where a call stood when its time ran out: before an attempt was made, connecting, waiting for headers, reading the body. */
export type TimeoutPhase = 'queue' | 'connect' | 'headers' | 'body';

/** Time ran out. `phase` says where the call stood. */
export class TimeoutError extends OrdersError {
  override readonly name = 'TimeoutError';
  readonly code = 'timeout';
  readonly phase: TimeoutPhase;

  constructor(message: string, end: CallEnd, phase: TimeoutPhase) {
    super(message, end);
    this.phase = phase;
  }
}

/** The service answered with a status that is no success. */
export class HttpError extends OrdersError {
  override readonly name = 'HttpError';
  readonly code = 'http_error';
  readonly status: number;
  /** The headers of the answer, with names in lower case. */
  readonly headers: AnswerHeaders;
  /** The start of the answer's body as text: at most 8,192 characters. */
  readonly body: string;

  constructor(
    message: string,
    end: CallEnd,
    answer: { status: number; headers: AnswerHeaders; body: string },
  ) {
    super(message, end);
    this.status = answer.status;
    this.headers = answer.headers;
    this.body = answer.body;
  }
}

/** The service answered with success, and its answer could not be used. */
export class InvalidResponseError extends OrdersError {
  override readonly name = 'InvalidResponseError';
  readonly code = 'invalid_response';
  readonly status: number;

  constructor(message: string, end: CallEnd, status: number) {
    super(message, end);
    this.status = status;
  }
}

/** You ended the call: `cause` is your signal's reason, or what your `beforeAttempt` threw. */
export class AbortError extends OrdersError {
  override readonly name = 'AbortError';
  readonly code = 'aborted';
}

/** Every error that a call settles with; `code` tells them apart. */
export type CallError =
  | InvalidRequestError
  | ConnectionError
  | TimeoutError
  | HttpError
  | InvalidResponseError
  | AbortError;

/** Whether a value is an error of this package, of whichever copy of it. */
export function isOrdersError(value: unknown): value is CallError {
  return typeof value === 'object' && value !== null && brand in value;
}
