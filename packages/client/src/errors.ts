import type { Explanation } from '@orders/schema';
import {
  describeOperation,
  foldOutcomes,
  type Operation,
  type Outcome,
  outcomeMessage,
} from './operation.ts';
import { type CallSummary, type Receipt, type ReceiptInput, summarize } from './receipt.ts';
import type { ResponseHead, ResponseHeaders } from './transport.ts';

/** What an attempt came to: its data, or why it failed. */
export type AttemptResult = AttemptSuccess | AttemptFailure;

export interface AttemptSuccess {
  readonly code?: undefined;
  readonly outcome: 'applied';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly data: unknown;
}

/** Why an attempt or a call failed, as plain data: `createError` makes an error of it when the call ends. */
export interface AttemptFailure {
  readonly code: OrdersErrorCode;
  readonly outcome: Outcome;
  /** What happened, for the message. */
  readonly what: string;
  /** Whether the same request may succeed later, if it is safe to repeat. */
  readonly retryable?: boolean;
  readonly status?: number | undefined;
  /** How long to wait before another attempt, in milliseconds, if the service or a limit asks for it. */
  readonly retryAfterMs?: number | undefined;
  /** Where a timeout found the attempt; absent before it began. */
  readonly phase?: TimeoutPhase;
  readonly cause?: unknown;
  readonly response?: ErrorResponse;
  /** What is wrong with the update. */
  readonly issues?: readonly Explanation[];
}

/** The longest body of an `HttpError`, in characters. */
export const maxErrorBody = 8_192;

/** The response of an `HttpError`. */
interface ErrorResponse extends ResponseHead {
  readonly body: string;
}

/** The codes of errors, to switch on. A code never changes its meaning. */
export type OrdersErrorCode =
  | 'validation_error'
  | 'connection_error'
  | 'timeout'
  | 'http_error'
  | 'invalid_response'
  | 'aborted';

/** Where a call was when its time ran out: before it could connect, connecting, waiting for headers, reading the body. */
export type TimeoutPhase = 'queue' | 'connect' | 'headers' | 'body';

const brand = Symbol.for('@orders/client.OrdersError');

/** What all errors of a call have. */
abstract class CallError extends Error implements CallSummary {
  /** What failed, to switch on. */
  abstract readonly code: OrdersErrorCode;
  /** What became of the update, over all attempts of the call. */
  declare readonly outcome: Outcome;
  /** How many attempts were made. */
  declare readonly attemptCount: number;
  /** What happened, safe to paste into a ticket. */
  declare readonly receipt: Receipt;
  /** The `x-request-id` of the last response that had one, at most 128 characters. */
  declare readonly requestId: string | undefined;
  /**
   * Whether the same call may succeed later and is safe to repeat: true after a 429, and for what was not sent because
   * of the network, a timeout or a pause. False for an update that may have been applied, and for whatever would fail
   * again. For the echo, also true when its outcome is unknown.
   */
  declare readonly retryable: boolean;
  /**
   * How long to wait before another call, in milliseconds: the `Retry-After` of the service, however long, or the rest
   * of a pause. After a 429 without one it is the pause that the client itself takes.
   */
  declare readonly retryAfterMs: number | undefined;

  /** The client makes errors; `details` are their fields. */
  constructor(message: string, { cause, ...details }: Readonly<Record<string, unknown>>) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, details);
  }

  /** Plain data: no stack, no cause. Like the error, it may quote your update. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}
Object.defineProperty(CallError.prototype, brand, { value: true });

/** The update is invalid and was not sent: `issues` says where, and what to write instead. */
export class ValidationError extends CallError {
  override readonly name = 'ValidationError';
  readonly code = 'validation_error';
  /** Each problem with its path, code, message and hint. */
  declare readonly issues: readonly Explanation[];
}

/**
 * No response came: the connection or the credentials failed before the request left (`not_sent`), or the connection
 * broke after it (`unknown`).
 */
export class ConnectionError extends CallError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_error';
}

/** The call took longer than `timeouts.total`, or an attempt longer than `timeouts.attempt` or `timeouts.connect`. */
export class TimeoutError extends CallError {
  override readonly name = 'TimeoutError';
  readonly code = 'timeout';
  /** Where the call was when its time ran out. */
  declare readonly phase: TimeoutPhase;
}

/** A response with a status that is no success, from the service or from a proxy. */
export class HttpError extends CallError {
  override readonly name = 'HttpError';
  readonly code = 'http_error';
  /** The status of the response. */
  declare readonly status: number;
  /** The headers of the response, with names in lower case. */
  declare readonly headers: ResponseHeaders;
  /** The start of the response's body as text: at most 8,192 characters; empty when the body did not arrive whole. */
  declare readonly body: string;

  /** The body as JSON; `undefined` when it is no JSON, did not arrive whole, or is longer than `body` may be. */
  get data(): unknown {
    try {
      return this.body.length < maxErrorBody ? JSON.parse(this.body) : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * A 2xx whose response could not be used: JSON that cannot be read, or that `responseSchema` refuses (`applied`), or
 * another media type, as from a proxy (`unknown`).
 */
export class InvalidResponseError extends CallError {
  override readonly name = 'InvalidResponseError';
  readonly code = 'invalid_response';
  /** The status of the response. */
  declare readonly status: number;
}

/** Your code ended the call: your signal (`cause` is its reason), `destroy`, or a hook that threw (`cause` is its error). */
export class AbortError extends CallError {
  override readonly name = 'AbortError';
  readonly code = 'aborted';
}

/**
 * A call that failed: `error instanceof OrdersError` accepts the errors of any copy of this package, and `code` then says
 * which one it is. `outcome` says what became of the update. It never holds a key. The body of a response, and the message
 * and `issues` of a `ValidationError`, may quote your update: log `code`, `outcome` and `receipt`.
 */
export type OrdersError =
  | ValidationError
  | ConnectionError
  | TimeoutError
  | HttpError
  | InvalidResponseError
  | AbortError;

/** The value for `error instanceof OrdersError`. */
export const OrdersError: {
  readonly prototype: OrdersError;
  [Symbol.hasInstance](value: unknown): value is OrdersError;
} = Object.defineProperty(function OrdersError() {}, Symbol.hasInstance, {
  value: (value: unknown) => brand in Object(value),
}) as never;

/** Makes the error that a call fails with. */
export function createError(
  call: ReceiptInput & { readonly operation: Operation },
  failure: AttemptFailure,
): OrdersError {
  const { attempts, operation } = call;
  const { code, what, retryAfterMs, cause, response, issues, phase = 'queue', status } = failure;
  const outcome =
    attempts.length > 0 ? foldOutcomes(attempts.map((attempt) => attempt.outcome)) : failure.outcome;
  const isSafe = outcome === 'unknown' ? operation.idempotent : outcome !== 'applied';
  const retryable = isSafe && failure.retryable === true;
  let message = `${describeOperation(operation)}: ${what}. ${outcomeMessage(operation, outcome)}`;
  if (issues) message += ` ${listIssues(issues)}`;
  if (retryable && retryAfterMs !== undefined)
    message += ` Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;
  const details = { ...summarize(call, outcome), retryable, retryAfterMs, cause };
  if (code === 'validation_error') return new ValidationError(message, { ...details, issues });
  if (code === 'http_error') return new HttpError(message, { ...details, ...response });
  if (code === 'timeout') return new TimeoutError(message, { ...details, phase });
  if (code === 'invalid_response') return new InvalidResponseError(message, { ...details, status });
  return code === 'aborted' ? new AbortError(message, details) : new ConnectionError(message, details);
}

function listIssues(issues: readonly Explanation[]): string {
  const shown = issues
    .slice(0, 3)
    .map(({ path, message, hint = '' }) => `${path || 'body'}: ${message}. ${hint}`.trim());
  if (issues.length > 3) shown.push(`and ${issues.length - 3} more in issues`);
  return shown.join(' | ');
}
