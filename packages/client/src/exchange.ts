/** The headers of a response, with names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The head of a response, as `classify` sees it. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

/** A response, or as much of it as arrived. */
export interface HttpAnswer extends AnswerHead {
  /** The body as text: UTF-8, without a byte order mark. */
  readonly text: string;
}

/** The first value of a header; empty when there is none. */
export function headerOf(headers: AnswerHeaders, name: string): string {
  const value = headers[name];
  return ((typeof value === 'string' ? value : value?.[0]) ?? '').trim();
}

/** One request as it goes out. */
interface ExchangeRequest {
  readonly method: 'GET' | 'PATCH';
  readonly origin: string;
  readonly path: string;
  /** All of them, `Authorization` included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What bounds one exchange. */
export interface ExchangeLimits {
  /** More than 0. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** What came of sending a request once. */
export interface Exchange {
  /** Why no whole response came; `undefined` when one did. */
  readonly failure: 'connection' | 'timeout' | 'aborted' | 'too_large' | undefined;
  /** Whether a byte of the request may have left. */
  readonly sent: boolean;
  /** The response, or as much of it as arrived after its head. */
  readonly response: HttpAnswer | undefined;
  readonly cause?: unknown;
}

/** Sends one request once and reports how far it came. Never rejects. */
export type Transport = (request: ExchangeRequest, limits: ExchangeLimits) => Promise<Exchange>;

/** The head of a response as a dispatcher or a `fetch` reports it, which may be the user's own: what is no header is left out. */
export function readHead(status: unknown, headers: unknown): AnswerHead {
  const read: Record<string, string | readonly string[]> = {};
  for (const written in headers as object) {
    const name = written.toLowerCase();
    const value: unknown = (headers as Record<string, unknown>)[written];
    if (typeof value === 'string') read[name] = value;
    else if (Array.isArray(value)) read[name] = value.map(String);
  }
  return { status: Number.isInteger(status) ? (status as number) : 0, headers: read };
}
