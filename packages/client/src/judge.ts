import type { Explanation } from '@orders/schema';
import { type Classify, classifyResponse, isHtmlPage, isJson } from './classify.ts';
import { cleanCause, nameOfCause } from './clean-cause.ts';
import type { CallError, HttpResponse, TimeoutPhase } from './errors.ts';
import type { AnswerHeaders, Exchange, HttpAnswer } from './exchange.ts';
import { isOutcome, type Outcome } from './outcome.ts';
import { askedDelay } from './retry-after.ts';
import type { Scrub } from './scrub.ts';

/** What an attempt came to: a success with its data, or a failure that is thrown or tried again. */
export type Verdict = Success | Defeat;

export interface Success {
  readonly code?: undefined;
  readonly outcome: 'applied';
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly data: unknown;
}

/** Why an attempt failed, as plain data: an error is made of it when the call ends. */
export interface Defeat {
  readonly code: CallError['code'];
  readonly outcome: Outcome;
  /** What happened, for the message. */
  readonly what: string;
  /** Whether the same request may succeed later, if it may be repeated. */
  readonly retryable?: boolean;
  readonly status?: number | undefined;
  /** How long to wait before another attempt, in milliseconds, if the service or the client asks for it. */
  readonly askedMs?: number | undefined;
  /** Where a timeout found the attempt; absent before it began. */
  readonly phase?: TimeoutPhase;
  readonly cause?: unknown;
  readonly response?: HttpResponse;
  /** What is wrong with the update. */
  readonly issues?: readonly Explanation[];
}

export interface Bench {
  readonly scrub: Scrub;
  readonly classify: Classify | undefined;
  /** Unix time in milliseconds. */
  readonly now: number;
  /** The limit of an attempt that timed out, as in "15000 ms (timeouts.attempt)". */
  readonly limit: string;
  /** The pause after a 429 that names none, in milliseconds. */
  readonly backoffMs: () => number;
}

const maxErrorBody = 8_192;

/** Judges an exchange by the table of outcomes; pure, so that each row can be tested by itself. */
export function judge({ failure, sent, response, cause: thrown }: Exchange, bench: Bench): Verdict {
  const meaning = response && readMeaning(response, failure === undefined, bench);
  if (response && meaning && failure !== 'aborted') {
    // A body that broke off may end inside the key, where no redaction finds it.
    if (meaning.outcome !== 'applied') return refused(response, failure ? '' : response.text, meaning, bench);
    if (failure !== 'timeout') return judgeSuccess(response, failure, meaning, bench);
  }
  const failed = {
    outcome: meaning?.proven ?? (sent ? 'unknown' : 'not_sent'),
    status: response?.status,
    askedMs: response && askedDelay(response, bench.now),
  } as const;
  if (failure === 'aborted') return { ...failed, code: 'aborted', what: 'aborted', cause: thrown };
  const cause = cleanCause(thrown, bench.scrub);
  if (failure === 'timeout') {
    const phase = response ? 'body' : sent ? 'headers' : 'connect';
    // undici names the limit of connecting itself.
    const limit = cause ? nameOfCause(cause) : ` after ${bench.limit}`;
    const what = `timed out waiting for ${awaited[phase]}${limit}`;
    return { ...failed, code: 'timeout', what, phase, retryable: true };
  }
  const what = sent ? 'the connection broke before a response came' : 'no connection';
  return { ...failed, code: 'connection_failed', what: what + nameOfCause(cause), cause, retryable: true };
}

const awaited = { connect: 'a connection', headers: 'a response', body: 'the rest of the response' };

function judgeSuccess(
  { status, headers, text }: HttpAnswer,
  failure: Exchange['failure'],
  { problem, proven }: Meaning,
  { scrub }: Bench,
): Verdict {
  const readable = isJson(headers);
  // Over HTTP/2 undici reports a page that broke off before its first byte as an empty one.
  const empty = text === '' && (readable || headers['content-type'] === undefined);
  const broken =
    failure && (failure === 'too_large' ? 'a body larger than maxResponseBytes' : 'a body that broke off');
  const foreign = readable || empty ? undefined : 'another media type than application/json';
  let found = problem ?? broken ?? foreign;
  try {
    if (found === undefined)
      return {
        outcome: 'applied',
        status,
        headers: scrubHeaders(headers, scrub),
        data: empty ? undefined : JSON.parse(text),
      };
  } catch {
    found = 'a body that is not JSON';
  }
  return invalidResponse(status, proven, found);
}

/** What a response means. */
interface Meaning {
  readonly outcome: Outcome;
  /** What is known without a body that can be read. */
  readonly proven: Outcome;
  /** Why `classify` could not be used. */
  readonly problem?: string;
}

function readMeaning(response: HttpAnswer, isWhole: boolean, { classify, scrub }: Bench): Meaning {
  const { status, headers } = response;
  const outcome = classifyResponse(response, isWhole);
  // Such a success counts only when the service itself spoke: a proxy's page proves nothing.
  const proven = outcome === 'applied' && !isJson(headers) ? 'unknown' : outcome;
  let problem: string;
  try {
    // A copy, so that it can change nothing of what is judged.
    const chosen: unknown = classify?.({ status, headers: { ...headers } });
    if (chosen === undefined) return { outcome, proven };
    if (isOutcome(chosen)) return { outcome: chosen, proven: chosen };
    // A promise that rejects must not end the process.
    Promise.resolve(chosen).catch(() => {});
    problem = 'a response for which classify returned no outcome';
  } catch (thrown) {
    problem = `a response for which classify threw${nameOfCause(cleanCause(thrown, scrub))}`;
  }
  // Who classifies does so because the defaults are wrong somewhere, so only a success is still believed.
  const believed = proven === 'applied' ? proven : 'unknown';
  return { outcome: believed, proven: believed, problem };
}

function refused(head: HttpAnswer, text: string, { outcome, problem }: Meaning, bench: Bench): Defeat {
  const { scrub } = bench;
  const { status } = head;
  const hint = isHtmlPage(head) && status >= 400 ? htmlHint : (hints[status] ?? '');
  const temporary = status === 429 || status === 503 || outcome !== 'rejected';
  return {
    code: 'http_error',
    outcome,
    what: status + (problem === undefined ? hint : `, ${problem}`),
    status,
    retryable: temporary && problem === undefined,
    askedMs: askedDelay(head, bench.now) ?? (status === 429 ? Math.ceil(bench.backoffMs()) : undefined),
    response: {
      status,
      headers: scrubHeaders(head.headers, scrub),
      body: scrub(text).slice(0, maxErrorBody),
    },
  };
}

const htmlHint = ' with an HTML page, which is not the service’s: check the base URL';

const hints: Readonly<Record<number, string>> = {
  0: ', a redirect whose status a browser hides',
  401: ', the key is missing or wrong',
  403: ', the key may not do this: updates require a key of type SalesChannelApiKey',
  429: ', too many requests',
};

/** The failure of a response of success that cannot be used. */
export function invalidResponse(status: number, outcome: Outcome, found: string, cause?: unknown): Defeat {
  const what = `${status} with ${found}`;
  return {
    code: 'invalid_response',
    outcome,
    what,
    status,
    retryable: outcome === 'unknown',
    cause,
  };
}

function scrubHeaders(headers: AnswerHeaders, scrub: Scrub): AnswerHeaders {
  const clean: Record<string, string | readonly string[] | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    clean[scrub(name)] = typeof value === 'string' ? scrub(value) : value?.map(scrub);
  }
  return clean;
}
