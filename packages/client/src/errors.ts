import type { Explanation } from '@orders/schema';
import type { AnswerHeaders } from './exchange.ts';
import type { Outcome } from './outcome.ts';
import type { Receipt } from './receipt.ts';

const brand = Symbol.for('@orders/client.OrdersError');

/** What every error of a call holds. */
export interface CallEnd {
  /** What became of the update, over all attempts of the call. */
  readonly outcome: Outcome;
  /** Attempts made. */
  readonly attempts: number;
  readonly receipt: Receipt;
  /** Whether the same call may succeed later and is safe to repeat. */
  readonly retryable: boolean;
  readonly cause?: unknown;
  /** How long to wait before another call, in milliseconds. */
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

/** A call that did not succeed. `outcome` says what became of the update. It never holds a key; a response body that it holds may quote your update. */
export abstract class OrdersError extends Error {
  abstract readonly code: OrdersErrorCode;
  /** What became of the update, over all attempts of the call. */
  declare readonly outcome: Outcome;
  /** Attempts made. */
  declare readonly attempts: number;
  /** What happened, safe to paste into a ticket. */
  declare readonly receipt: Receipt;
  /**
   * Whether the same call may succeed later and is safe to repeat: true after a 429, and for what was not sent because
   * of the network, a timeout or a pause. False for an update that may have been applied, and for whatever would fail
   * again. For the echo, also true when its outcome is unknown.
   */
  declare readonly retryable: boolean;
  /**
   * How long to wait before another call, in milliseconds: the `Retry-After` of the service, however long, or the rest
   * of a pause. After a 429 that names no time it is the pause that the client itself takes.
   */
  declare readonly retryAfterMs: number | undefined;

  constructor(message: string, { cause, ...end }: CallEnd) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, end);
  }

  /** Plain data for logs: no stack, no cause. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}
Object.defineProperty(OrdersError.prototype, brand, { value: true });

/** The update is not valid and was not sent: `issues` says where and what to write instead. */
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

/** No response came: the connection or the credentials failed before the request left (`not_sent`), or it broke after (`unknown`). */
export class ConnectionError extends OrdersError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_failed';
}

/** Where a call stood when its time ran out: before it could connect, connecting, waiting for headers, reading the body. */
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

/** The response of an `HttpError`. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/** A response came whose status is no success. */
export class HttpError extends OrdersError {
  override readonly name = 'HttpError';
  readonly code = 'http_error';
  declare readonly status: number;
  /** The headers of the response, with names in lower case. */
  declare readonly headers: AnswerHeaders;
  /** The start of the response's body as text: at most 8,192 characters; empty when the body did not arrive whole. */
  declare readonly body: string;

  constructor(message: string, end: CallEnd, response: HttpResponse) {
    super(message, end);
    Object.assign(this, response);
  }
}

/** A response of success came that could not be used. */
export class InvalidResponseError extends OrdersError {
  override readonly name = 'InvalidResponseError';
  readonly code = 'invalid_response';
  readonly status: number;

  constructor(message: string, end: CallEnd, status: number) {
    super(message, end);
    this.status = status;
  }
}

/** You ended the call: `cause` is your signal's reason, or the error that your `beforeAttempt` threw. */
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
  return brand in Object(value);
}
