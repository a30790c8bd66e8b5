import type { Deadline } from './deadline.ts';

/** The headers of a response, with names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The status and the headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** A response, or as much of it as arrived. */
export interface HttpResponse extends ResponseHead {
  /** The body as text: UTF-8, without a byte order mark. What is no UTF-8 is replaced by U+FFFD. */
  readonly text: string;
  readonly isUtf8: boolean;
}

/** The bytes of a response's body. A chunk costs far more memory than its bytes, so that more than one are copied together. */
export class ResponseBody {
  #bytes: Uint8Array = new Uint8Array();
  /** How many bytes have come. */
  length = 0;

  /** @throws TypeError for a chunk that holds no bytes, as a dispatcher or `fetch` of the user may pass. */
  add(chunk: Uint8Array): void {
    if (chunk?.BYTES_PER_ELEMENT !== 1) throw new TypeError('A chunk of the response holds no bytes.');
    const { length } = this;
    this.length += chunk.length;
    // Most responses come in one chunk, which is not copied.
    if (length === 0) {
      this.#bytes = chunk;
      return;
    }
    if (this.length > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.length);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, length);
  }

  read(): Pick<HttpResponse, 'text' | 'isUtf8'> {
    const bytes = this.#bytes.subarray(0, this.length);
    try {
      return { text: utf8.decode(bytes), isUtf8: true };
    } catch {
      return { text: new TextDecoder().decode(bytes), isUtf8: false };
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** One request as it goes out. */
export interface TransportRequest {
  readonly method: 'GET' | 'PATCH';
  readonly origin: string;
  readonly path: string;
  /** All headers, `Authorization` included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /**
   * Runs right before the first byte is written, and returns whether it may be written now: if not, the result is `held`,
   * and the connection stays open. It takes the slot and calls the user's `beforeSend`: when that throws, the request is not
   * sent.
   */
  readonly beforeSend: () => boolean;
}

/** What bounds one request. */
export interface TransportLimits {
  /** More than 0. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Its abort ends the request. */
  readonly deadline: Deadline;
}

/** Why no whole response came; `misuse` is a mistake of the configuration. */
export type TransportFailure =
  | 'connection'
  | 'timeout'
  | 'aborted'
  | 'too_large'
  | 'before_send'
  | 'held'
  | 'misuse';

/** How far one request came. */
export interface TransportResult {
  /** `undefined` when a whole response came. */
  readonly failure: TransportFailure | undefined;
  /** Whether a byte of the request may have left. */
  readonly sent: boolean;
  /** The response, or as much of it as arrived after its head. */
  readonly response: HttpResponse | undefined;
  readonly cause?: unknown;
}

/** Sends one request once. Never rejects. */
export type Transport = (request: TransportRequest, limits: TransportLimits) => Promise<TransportResult>;

/** The value of a header, or all of them; `undefined` when it is absent. */
export function ownHeader(headers: ResponseHeaders, name: string): ResponseHeaders[string] {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** The first value of a header; empty when it is absent. */
export function headerValue(headers: ResponseHeaders, name: string): string {
  const value = ownHeader(headers, name);
  return ((typeof value === 'string' ? value : value?.[0]) ?? '').trim();
}

/** Reads the head of a response, which a dispatcher or `fetch` of the user may have made: drops what is no header. */
export function readHead(status: unknown, headers: unknown): ResponseHead {
  return {
    status: Number.isInteger(status) ? (status as number) : 0,
    headers: mapHeaders(Object(headers), String),
  };
}

/** Headers with their texts mapped, names in lower case, without what has no text. */
export function mapHeaders(
  headers: Readonly<Record<string, unknown>>,
  mapText: (text: string) => string,
): ResponseHeaders {
  let mapped: Record<string, string | string[]> = {};
  for (const [key, value] of Object.entries(headers)) {
    const name = mapText(key.toLowerCase());
    const text = Array.isArray(value)
      ? value.map((each) => mapText(each))
      : typeof value === 'string' && mapText(value);
    if (text === false) continue;
    // A copy where objects inherit the name, as they do `__proto__`; quicker than `Object.fromEntries`.
    if (name in Object.prototype) mapped = { ...mapped, [name]: text };
    else mapped[name] = text;
  }
  return mapped;
}
