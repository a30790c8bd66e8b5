import type { Authorization } from '@orders/auth';

/** The headers of an answer, with names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The head of an answer, as `classify` sees it. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

/** One request as it goes out. */
interface ExchangeRequest {
  readonly method: 'GET' | 'PATCH';
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: Authorization;
  readonly body: string | undefined;
}

/** What bounds one exchange. */
export interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** How far an exchange came: nothing left yet, the request left, or the head of an answer arrived. */
export type Progress = 'connecting' | 'sent' | 'answering';

/** A whole answer. */
export interface Answer {
  readonly type: 'answer';
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The body as text: UTF-8, without a byte order mark. */
  readonly text: string;
}

/** An exchange that ended without a whole answer; `head` is there when `progress` is `answering`. */
export interface Failure {
  readonly type: 'failure';
  readonly reason: 'connection' | 'timeout' | 'aborted' | 'too_large';
  readonly progress: Progress;
  readonly head: Omit<Answer, 'type'> | undefined;
  readonly cause: unknown;
}

export type Exchange = Answer | Failure;

/** Sends one request once and tells how far it came. Never rejects. */
export type Transport = (request: ExchangeRequest, limits: ExchangeLimits) => Promise<Exchange>;
