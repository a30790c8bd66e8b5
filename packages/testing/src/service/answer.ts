import type { Explanation } from '@orders/schema';

/**
 * What can go wrong, as the service's error bodies name it; a code never changes meaning.
 *
 * The document shows no error codes (interface document, Errors): these are this service's own choice.
 */
export type OrderServiceErrorCode =
  | 'request_malformed'
  | 'path_malformed'
  | 'path_not_found'
  | 'method_not_allowed'
  | 'key_missing'
  | 'key_malformed'
  | 'key_unknown'
  | 'scheme_unsupported'
  | 'key_type_not_allowed'
  | 'not_acceptable'
  | 'media_type_unsupported'
  | 'body_too_large'
  | 'body_not_json'
  | 'body_refused'
  | 'order_not_found'
  | 'service_failed'
  | 'fault_scripted';

/** The JSON of every answer that is not a success, unless `choices` say otherwise; its shape is this service's own choice. */
export interface OrderServiceErrorBody {
  readonly error: {
    readonly code: OrderServiceErrorCode;
    readonly message: string;
    /** Present with `body_refused` only: where, what, and what to write instead; the first 100. */
    readonly issues?: readonly Explanation[];
  };
}

/** Why a request is not served, before it is put into words for whoever asked. */
export interface Refusal {
  readonly status: number;
  readonly code: OrderServiceErrorCode;
  readonly message: string;
  readonly issues?: readonly Explanation[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text leaves in one write with the head, which bytes do not. */
  readonly body: string;
}

export function answerText(status: number, text: string, headers: Readonly<Record<string, string>>): Answer {
  return {
    status,
    headers: { 'content-length': String(Buffer.byteLength(text)), ...headers },
    body: text,
  };
}

/** An answer of JSON, or without a body where the value is one that JSON does not know, such as `undefined`. */
export function answerJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  // These never have a body (RFC 9110, 15.3.5 and 15.4.5), and a length would have a client wait for one.
  if (status === 204 || status === 304) return { status, headers, body: '' };
  // Its type leaves out that it returns undefined for some values.
  const text: string | undefined = JSON.stringify(body);
  if (text === undefined) return answerText(status, '', headers);
  return answerText(status, text, { 'content-type': 'application/json', ...headers });
}
