import { type AttemptFailure, type AttemptResult, maxErrorBody } from './errors.ts';
import { describeOddKey } from './odd-key.ts';
import { isOutcome, type Outcome } from './operation.ts';
import { getRetryAfterMs } from './rate-headers.ts';
import { describeCause, type Redact, sanitizeCause } from './redact.ts';
import {
  type HttpResponse,
  headerValue,
  mapHeaders,
  type ResponseHead,
  type ResponseHeaders,
  type TransportFailure,
  type TransportResult,
} from './transport.ts';

/**
 * Overrides what a response means, since the API does not document its statuses: return an outcome, or `undefined` to
 * keep the default. A response classified as `applied` is a success. It is synchronous; when it throws or returns
 * anything else, a 2xx in JSON is `applied`, any other response `unknown`.
 */
export type ClassifyResponse = (response: ResponseHead) => Outcome | undefined;

/**
 * A `classifyResponse` for a service whose own 503 is known to mean "not applied": a 503 in JSON is `rejected` and
 * retried like a 429. Any other 503 stays `unknown`, since a proxy made it.
 *
 * Use it only when no proxy between you and the service sends a 503 in JSON for a connection that broke: such a
 * maintenance page may stand for an update that was applied.
 */
export const treat503AsRejected: ClassifyResponse = ({ status, headers }) =>
  status === 503 && jsonType.test(mediaType(headers)) ? 'rejected' : undefined;

export interface ResponseContext {
  readonly redact: Redact;
  /** The header's value that was sent. */
  readonly authorization: string;
  readonly classifyResponse: ClassifyResponse | undefined;
  /** Unix time in milliseconds. */
  readonly now: number;
  /** The limit of an attempt that timed out, as in "15000 ms (timeouts.attempt)". */
  readonly limit: string;
  /** The pause after a 429 without `Retry-After`, in milliseconds. */
  readonly backoffMs: () => number;
}

/**
 * What a response means by default, as in the documentation's table of outcomes: the first row that matches its status and
 * what its body is. `rejected` needs proof that it comes from the service; `empty` is a body that arrived whole.
 */
const outcomes: readonly (readonly [statusAndBody: RegExp, outcome: Outcome])[] = [
  [/^2.. (json|empty)$/, 'applied'],
  // A proxy shows an HTML page in place of a failure behind it, which may have come after the update was applied.
  [/^(403|404|405|410) (html|unreadable)$/, 'unknown'],
  [/^408 /, 'unknown'],
  [/^4.. /, 'rejected'],
  [/^/, 'unknown'],
];

/** What the body of a response is; `unreadable` is one without a media type that is compressed or did not arrive whole. */
type BodyKind = 'json' | 'html' | 'empty' | 'text' | 'unreadable';

function bodyKind({ status, headers, text }: HttpResponse, isWhole: boolean): BodyKind {
  const type = mediaType(headers);
  if (jsonType.test(type)) return 'json';
  // A 204 has no body, whatever type is named.
  if (isWhole && !text && (!type || status === 204)) return 'empty';
  if (type ? htmlType.test(type) : htmlStart.test(text)) return 'html';
  if (type) return 'text';
  return isWhole && headerValue(headers, 'content-encoding') === '' ? 'text' : 'unreadable';
}

const jsonType = /^application\/(json|.+\+json)$/;
const htmlType = /^(text\/html|application\/xhtml\+xml)$/;
const htmlStart = /^\s*<(!doctype html|html)[\s>]/i;

function mediaType(headers: ResponseHeaders): string {
  return headerValue(headers, 'content-type')
    .replace(/[;,].*/s, '')
    .trim()
    .toLowerCase();
}

/** A response, and what it means. */
interface Meaning {
  readonly response: HttpResponse;
  readonly body: BodyKind;
  readonly outcome: Outcome;
  /** Whether its status is a success, or `classifyResponse` made it one. */
  readonly isSuccess: boolean;
  /** Why `classifyResponse` could not be used. */
  readonly problem: string | undefined;
}

/** Reads the table, unless `classifyResponse` overrides it. */
function classify(
  response: HttpResponse,
  isWhole: boolean,
  { classifyResponse, redact }: ResponseContext,
): Meaning {
  const { status, headers } = response;
  const body = bodyKind(response, isWhole);
  let outcome = outcomes.find(([statusAndBody]) => statusAndBody.test(`${status} ${body}`))?.[1] ?? 'unknown';
  let isSuccess = status >= 200 && status < 300;
  let problem: string | undefined;
  try {
    // A copy, so that it cannot change what is interpreted.
    const chosen: unknown = classifyResponse?.({ status, headers: { ...headers } });
    if (isOutcome(chosen)) {
      outcome = chosen;
      isSuccess = chosen === 'applied';
    } else if (chosen !== undefined) {
      // A promise that rejects must not end the process.
      Promise.resolve(chosen).catch(() => {});
      problem = 'a response for which classifyResponse returned no outcome';
    }
  } catch (thrown) {
    const cause = describeCause(sanitizeCause(thrown, redact));
    problem = `a response for which classifyResponse threw${cause}`;
  }
  if (problem !== undefined) {
    // A user classifies because a default is wrong, so only a success in JSON is still believed.
    isSuccess = outcome === 'applied' && body === 'json';
    if (!isSuccess) outcome = 'unknown';
  }
  return { response, body, outcome, isSuccess, problem };
}

/** Decides what an attempt came to. It is pure: each row of the table of outcomes is tested by itself. */
export function interpretResponse(result: TransportResult, context: ResponseContext): AttemptResult {
  const { failure, response } = result;
  const meaning = response && classify(response, failure === undefined, context);
  const isCut = failure === 'aborted' || failure === 'before_send';
  if (!meaning || isCut) return interpretFailure(result, context, meaning);
  if (!meaning.isSuccess) return httpFailure(meaning, failure, context);
  return failure === 'timeout'
    ? interpretFailure(result, context, meaning)
    : interpretSuccess(meaning, failure, context);
}

function interpretFailure(
  { failure, sent, response, cause: thrown }: TransportResult,
  { redact, now, limit }: ResponseContext,
  meaning: Meaning | undefined,
): AttemptFailure {
  const failed = {
    outcome: meaning?.outcome ?? (sent ? 'unknown' : 'not_sent'),
    status: response?.status,
    retryAfterMs: response && getRetryAfterMs(response, now),
  } as const;
  if (failure === 'aborted') return { ...failed, code: 'aborted', what: 'aborted', cause: thrown };
  const cause = sanitizeCause(thrown, redact);
  if (failure === 'before_send')
    return { ...failed, code: 'aborted', what: 'beforeSend threw, which ended the call', cause };
  if (failure === 'timeout') {
    const phase = response ? 'body' : sent ? 'headers' : 'connect';
    // undici names the limit of connecting itself.
    const what = `timed out waiting for ${awaited[phase]}${cause ? describeCause(cause) : ` after ${limit}`}`;
    return { ...failed, code: 'timeout', what, phase, retryable: true };
  }
  const what =
    (sent ? 'the connection broke before a response came' : 'no connection') + describeCause(cause);
  return { ...failed, code: 'connection_error', what, cause, retryable: failure !== 'misuse' };
}

const awaited = { connect: 'a connection', headers: 'a response', body: 'the rest of the response' };

function interpretSuccess(
  { response: { status, headers, text, isUtf8 }, body, outcome, problem }: Meaning,
  failure: TransportFailure | undefined,
  { redact }: ResponseContext,
): AttemptResult {
  let found = problem;
  if (failure)
    found ??= failure === 'too_large' ? 'a body larger than maxResponseBytes' : 'a body that broke off';
  // An empty body of another type is read where `classifyResponse` says that it is applied.
  if (body !== 'json' && (text || outcome !== 'applied'))
    found ??= 'another media type than application/json';
  try {
    if (found === undefined) {
      // Over HTTP/2 undici reports a body that broke off before its first byte as an empty one.
      const data: unknown = text ? JSON.parse(text) : undefined;
      if (isUtf8) return { outcome: 'applied', status, headers: mapHeaders(headers, redact), data };
      found = 'JSON that is not in UTF-8';
    }
  } catch {
    found = 'a body that is not JSON';
  }
  return invalidResponse(status, outcome, found);
}

function httpFailure(
  { response, body, outcome, problem }: Meaning,
  failure: TransportFailure | undefined,
  { redact, authorization, now, backoffMs }: ResponseContext,
): AttemptFailure {
  const { status, text } = response;
  const headers = mapHeaders(response.headers, redact);
  const isPage = body === 'html' && status >= 400;
  const oddKey = status === 401 ? describeOddKey(authorization) : '';
  const hint = isPage ? htmlHint : (statusHints[status] ?? '') + oddKey;
  const mayPass = status === 429 || status === 503 || outcome !== 'rejected';
  return {
    code: 'http_error',
    outcome,
    what: status + (problem === undefined ? hint : `, ${problem}`),
    status,
    retryable: mayPass && problem === undefined,
    retryAfterMs: getRetryAfterMs(response, now) ?? (status === 429 ? Math.ceil(backoffMs()) : undefined),
    // A body that broke off may end inside the key, where no redaction finds it.
    response: { status, headers, body: failure ? '' : redact(text, maxErrorBody) },
  };
}

const htmlHint = ' with an HTML page, not from the service: check the base URL';

const statusHints: Readonly<Record<number, string>> = {
  0: ', a redirect whose status a browser hides',
  401: ', the key is missing or wrong',
  403: ', the key may not do this: updates require a key of type SalesChannelApiKey',
  429: ', too many requests',
};

/** The failure of a successful status whose response cannot be used. */
export function invalidResponse(
  status: number,
  outcome: Outcome,
  found: string,
  cause?: unknown,
): AttemptFailure {
  const what = `${status} with ${found}`;
  return { code: 'invalid_response', outcome, what, status, retryable: outcome === 'unknown', cause };
}

/** The `x-request-id` of a response, at most 128 characters. */
export function getRequestId(response: ResponseHead | undefined, redact: Redact): string | undefined {
  const id = response && headerValue(response.headers, 'x-request-id');
  return id ? redact(id, 128) : undefined;
}
