import { sequels } from './call.ts';
import { type Classify, classifyStatus } from './classify.ts';
import { cleanCause, nameOfCause } from './clean-cause.ts';
import {
  AbortError,
  type CallEnd,
  type CallError,
  ConnectionError,
  HttpError,
  InvalidResponseError,
  TimeoutError,
} from './errors.ts';
import type { Answer, AnswerHeaders, Exchange, Failure } from './exchange.ts';
import { labelOf, type Operation } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { askedDelay } from './retry-after.ts';
import type { Scrub } from './scrub.ts';

/** What an exchange came to: a success with its data, or a failure that can be told or tried again. */
export type Verdict = Success | Defeat;

export interface Success {
  readonly ok: true;
  readonly outcome: 'applied';
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly data: unknown;
}

export interface Defeat {
  readonly ok: false;
  readonly code: CallError['code'];
  readonly outcome: Outcome;
  readonly status: number | undefined;
  /** Whether the service invites another attempt. */
  readonly invited: boolean;
  /** How long it asks to wait, in milliseconds. */
  readonly askedMs: number | undefined;
  /** Makes the error to throw when this is the last attempt. */
  readonly error: (end: CallEnd) => CallError;
}

export interface Bench {
  /** What was attempted, for messages. */
  readonly operation: Operation;
  readonly scrub: Scrub;
  readonly classify: Classify | undefined;
  /** Unix time in milliseconds. */
  readonly now: number;
}

const maxErrorBody = 8_192;

/** Judges an exchange by the table of outcomes; pure, so that each row can be tested by itself. */
export function judge(exchange: Exchange, bench: Bench): Verdict {
  return exchange.type === 'answer' ? judgeAnswer(exchange, bench) : judgeFailure(exchange, bench);
}

function judgeAnswer(answer: Answer, bench: Bench): Verdict {
  const outcome = outcomeOf(answer, bench);
  if (outcome !== 'applied') return refused(answer, outcome, bench);
  const { status, headers } = answer;
  const text = bench.scrub(answer.text);
  const success = { ok: true, outcome, status, headers } as const;
  // Over HTTP/2 undici tells a page that broke off before its first byte as an empty one.
  if (text === '' && (isJson(headers) || headers['content-type'] === undefined))
    return { ...success, data: undefined };
  if (!isJson(headers)) return unusable(answer, 'another media type than application/json', bench);
  try {
    return { ...success, data: JSON.parse(text) };
  } catch {
    return unusable(answer, 'a body that is not JSON', bench);
  }
}

function judgeFailure(failure: Failure, bench: Bench): Verdict {
  const { head, progress, reason } = failure;
  const { operation, scrub } = bench;
  if (head) {
    const outcome = outcomeOf(head, bench);
    if (outcome !== 'applied' && reason !== 'aborted') return refused(head, outcome, bench);
    if (reason === 'connection') return unusable(head, 'a body that broke off', bench);
    if (reason === 'too_large') return unusable(head, 'a body larger than maxResponseBytes', bench);
  }
  const defeat = {
    ok: false,
    outcome: head ? outcomeWithoutBody(head, bench) : progress === 'sent' ? 'unknown' : 'not_sent',
    status: head?.status,
    invited: false,
    askedMs: undefined,
  } as const;
  if (reason === 'aborted') {
    const error = (end: CallEnd) =>
      new AbortError(`${labelOf(operation)}: aborted. ${sequels[end.outcome]}`, {
        ...end,
        cause: failure.cause,
      });
    return { ...defeat, code: 'aborted', error };
  }
  if (reason === 'timeout') {
    const phase = head ? 'body' : progress === 'sent' ? 'headers' : 'connect';
    const waited = { connect: 'a connection', headers: 'an answer', body: 'the rest of the answer' }[phase];
    const error = (end: CallEnd) =>
      new TimeoutError(
        `${labelOf(operation)}: timed out waiting for ${waited}. ${sequels[end.outcome]}`,
        end,
        phase,
      );
    return { ...defeat, code: 'timeout', error };
  }
  const cause = cleanCause(failure.cause, scrub);
  const what = progress === 'sent' ? 'the connection broke before an answer came' : 'no connection';
  const error = (end: CallEnd) =>
    new ConnectionError(`${labelOf(operation)}: ${what}${nameOfCause(cause)}. ${sequels[end.outcome]}`, {
      ...end,
      cause,
    });
  return { ...defeat, code: 'connection_failed', error };
}

function outcomeOf(head: Omit<Answer, 'type'>, { classify, now }: Bench): Outcome {
  return classify?.(head) ?? classifyStatus(head, now);
}

/** A success without a body that can be read counts only when the service itself spoke: a proxy's page proves nothing. */
function outcomeWithoutBody(head: Omit<Answer, 'type'>, bench: Bench): Outcome {
  const outcome = outcomeOf(head, bench);
  return outcome === 'applied' && !isJson(head.headers) && bench.classify?.(head) !== 'applied'
    ? 'unknown'
    : outcome;
}

function refused(head: Omit<Answer, 'type'>, outcome: Outcome, bench: Bench): Defeat {
  const { operation, scrub, now } = bench;
  const { status } = head;
  const askedMs = askedDelay(head, now);
  return {
    ok: false,
    code: 'http_error',
    outcome,
    status,
    invited: status === 429 || (status === 503 && askedMs !== undefined),
    askedMs,
    error: (end) => {
      const body = scrub(head.text).slice(0, maxErrorBody);
      const headers = scrubHeaders(head.headers, scrub);
      const wait = askedMs === undefined ? '' : ` Try again in ${Math.ceil(askedMs / 1_000)} s.`;
      const message = `${labelOf(operation)}: ${status}${meanings[status] ?? ''}. ${sequels[end.outcome]}${wait}`;
      return new HttpError(message, { ...end, retryAfterMs: askedMs }, { status, headers, body });
    },
  };
}

const meanings: Readonly<Record<number, string>> = {
  0: ', a redirect whose status a browser hides',
  401: ', the key is missing or wrong',
  403: ', the key may not do this: an update requires a key of type SalesChannelApiKey',
  404: ', not found',
  429: ', too many requests',
};

function unusable(head: Omit<Answer, 'type'>, what: string, bench: Bench): Defeat {
  return unusableAnswer(
    head.status,
    outcomeWithoutBody(head, bench),
    `${labelOf(bench.operation)}: ${head.status} with ${what}`,
  );
}

/** The verdict on an answer whose data the caller's schema does not take: the service took the update all the same. */
export function refusedData({ status }: Success, what: string, operation: Operation): Defeat {
  return unusableAnswer(status, 'applied', `${labelOf(operation)}: ${status} with ${what}`);
}

function unusableAnswer(status: number, outcome: Outcome, what: string): Defeat {
  return {
    ok: false,
    code: 'invalid_response',
    outcome,
    status,
    invited: false,
    askedMs: undefined,
    error: (end) => new InvalidResponseError(`${what}. ${sequels[end.outcome]}`, end, status),
  };
}

function isJson(headers: AnswerHeaders): boolean {
  return /^application\/(json|[^;]+\+json)\s*(;|$)/i.test(String(headers['content-type'] ?? ''));
}

function scrubHeaders(headers: AnswerHeaders, scrub: Scrub): AnswerHeaders {
  const clean = Object.entries(headers).map(([name, value]) => [
    scrub(name),
    typeof value === 'string' ? scrub(value) : value?.map(scrub),
  ]);
  return Object.fromEntries(clean);
}
