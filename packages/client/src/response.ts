import { type AttemptFailure, type AttemptResult, maxErrorBody } from './errors.ts';
import { describeOddKey } from './odd-key.ts';
import { isOutcome, type Outcome } from './operation.ts';
import { getRetryAfterMs } from './rate-headers.ts';
import { describeCause, type Redact, sanitizeCause } from './redact.ts';
import {
  type HttpResponse,
  headerValue,
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
  status === 503 && isJson(headers) ? 'rejected' : undefined;

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

/** Decides what an attempt came to. It is pure: each row of the table of outcomes is tested by itself. */
export function interpretResponse(result: TransportResult, context: ResponseContext): AttemptResult {
  const { failure, response } = result;
  if (!response || failure === 'aborted' || failure === 'before_send')
    return interpretFailure(result, context);
  const meaning = classify(response, failure === undefined, context);
  // A body that broke off may end inside the key, where no redaction finds it.
  if (meaning.outcome !== 'applied')
    return httpFailure(response, failure ? '' : response.text, meaning, context);
  if (failure === 'timeout') return interpretFailure(result, context, meaning);
  return interpretSuccess(response, failure, meaning, context);
}

function interpretFailure(
  { failure, sent, response, cause: thrown }: TransportResult,
  context: ResponseContext,
  meaning = response && classify(response, false, context),
): AttemptFailure {
  const { redact } = context;
  const failed = {
    outcome: meaning?.proven ?? (sent ? 'unknown' : 'not_sent'),
    status: response?.status,
    retryAfterMs: response && getRetryAfterMs(response, context.now),
  } as const;
  if (failure === 'aborted') return { ...failed, code: 'aborted', what: 'aborted', cause: thrown };
  const cause = sanitizeCause(thrown, redact);
  if (failure === 'before_send')
    return { ...failed, code: 'aborted', what: 'beforeSend threw, which ended the call', cause };
  if (failure === 'timeout') {
    const phase = response ? 'body' : sent ? 'headers' : 'connect';
    // undici names the limit of connecting itself.
    const limit = cause ? describeCause(cause) : ` after ${context.limit}`;
    const what = `timed out waiting for ${awaited[phase]}${limit}`;
    return { ...failed, code: 'timeout', what, phase, retryable: true };
  }
  const what =
    (sent ? 'the connection broke before a response came' : 'no connection') + describeCause(cause);
  return { ...failed, code: 'connection_error', what, cause, retryable: failure !== 'misuse' };
}

const awaited = { connect: 'a connection', headers: 'a response', body: 'the rest of the response' };

function interpretSuccess(
  { status, headers, text }: HttpResponse,
  failure: TransportFailure | undefined,
  { problem, proven }: Meaning,
  { redact }: ResponseContext,
): AttemptResult {
  const readable = isJson(headers);
  // Over HTTP/2 undici reports a body that broke off before its first byte as an empty one.
  const empty = text === '' && (readable || headers['content-type'] === undefined);
  const broken =
    failure && (failure === 'too_large' ? 'a body larger than maxResponseBytes' : 'a body that broke off');
  const foreign = readable || empty ? undefined : 'another media type than application/json';
  let found = problem ?? broken ?? foreign;
  try {
    if (found === undefined) {
      const data: unknown = empty ? undefined : JSON.parse(text);
      return { outcome: 'applied', status, headers: redactHeaders(headers, redact), data };
    }
  } catch {
    found = 'a body that is not JSON';
  }
  return invalidResponse(status, proven, found);
}

/** What a response means. */
interface Meaning {
  readonly outcome: Outcome;
  /** What is certain without a body that can be read. */
  readonly proven: Outcome;
  /** Why `classifyResponse` could not be used. */
  readonly problem?: string;
}

function classify(response: HttpResponse, isWhole: boolean, context: ResponseContext): Meaning {
  const { classifyResponse, redact } = context;
  const { status, headers } = response;
  const outcome = defaultOutcome(response, isWhole);
  // A success counts only when the service itself responded: the page of a proxy proves nothing.
  const proven = outcome === 'applied' && !isJson(headers) ? 'unknown' : outcome;
  let problem: string;
  try {
    // A copy, so that it cannot change what is interpreted.
    const chosen: unknown = classifyResponse?.({ status, headers: { ...headers } });
    if (chosen === undefined) return { outcome, proven };
    if (isOutcome(chosen)) return { outcome: chosen, proven: chosen };
    // A promise that rejects must not end the process.
    Promise.resolve(chosen).catch(() => {});
    problem = 'a response for which classifyResponse returned no outcome';
  } catch (thrown) {
    const cause = describeCause(sanitizeCause(thrown, redact));
    problem = `a response for which classifyResponse threw${cause}`;
  }
  // A user classifies because a default is wrong, so only a success is still believed.
  const believed = proven === 'applied' ? proven : 'unknown';
  return { outcome: believed, proven: believed, problem };
}

/** The outcome of a response by default: `rejected` only when it plainly comes from the service. */
function defaultOutcome(response: HttpResponse, isWhole: boolean): Outcome {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return 'applied';
  if (status < 400 || status >= 500 || status === 408) return 'unknown';
  // A proxy shows such a page in place of a failure behind it, which may have come after the update was applied.
  // Without a media type only the body shows whether it is one: it may not have come that far, or be compressed.
  const isReadable = isWhole && headerValue(headers, 'content-encoding') === '';
  const mayBePage = isHtmlPage(response) || !(isReadable || mediaType(headers));
  return pageStatuses.has(status) && mayBePage ? 'unknown' : 'rejected';
}

const pageStatuses = new Set([403, 404, 405, 410]);

/** Whether a response is a page for people: the service responds in JSON, so a proxy made it. */
function isHtmlPage({ headers, text }: HttpResponse): boolean {
  const type = mediaType(headers);
  return type === '' ? /^\s*<(!doctype html|html)[\s>]/i.test(text) : htmlType.test(type);
}

const htmlType = /^(text\/html|application\/xhtml\+xml)$/;

function isJson(headers: ResponseHeaders): boolean {
  return /^application\/(json|.+\+json)$/.test(mediaType(headers));
}

function mediaType(headers: ResponseHeaders): string {
  return headerValue(headers, 'content-type')
    .replace(/[;,].*/s, '')
    .trim()
    .toLowerCase();
}

function httpFailure(
  response: HttpResponse,
  text: string,
  { outcome, problem }: Meaning,
  { redact, authorization, now, backoffMs }: ResponseContext,
): AttemptFailure {
  const { status } = response;
  const headers = redactHeaders(response.headers, redact);
  const isPage = isHtmlPage(response) && status >= 400;
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
    response: { status, headers, body: redact(text, maxErrorBody) },
  };
}

const htmlHint = ' with an HTML page, which is not the service’s: check the base URL';

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

function redactHeaders(headers: ResponseHeaders, redact: Redact): ResponseHeaders {
  const redacted: Record<string, string | readonly string[] | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    redacted[redact(name)] = typeof value === 'string' ? redact(value) : value?.map((each) => redact(each));
  }
  return redacted;
}

/** The `x-request-id` of a response, at most 128 characters. */
export function getRequestId(response: ResponseHead | undefined, redact: Redact): string | undefined {
  const id = response && headerValue(response.headers, 'x-request-id');
  return id ? redact(id, 128) : undefined;
}
