import type { Answer } from './answer.ts';
import type { ConformanceExpectation } from './conformance-case.ts';

/** What an answer says of its request; the document shows no statuses, so only their class counts. */
export type AnswerOutcome = 'accepted' | 'refused' | 'neither';

/** These are about the moment, not about the request (RFC 9110, RFC 8470, RFC 6585). */
const COME_AGAIN: readonly number[] = [408, 425, 429];

export function outcomeOf({ status }: Pick<Answer, 'status'>): AnswerOutcome {
  if (status >= 200 && status < 300) return 'accepted';
  if (status >= 400 && status < 500 && !COME_AGAIN.includes(status)) return 'refused';
  return 'neither';
}

export interface Judgement {
  readonly verdict: 'pass' | 'differs' | 'error';
  readonly reason?: string;
}

/** Holds an answer against what the document promises, and nothing else. */
export function judgeAnswer({ outcome, body }: ConformanceExpectation, answer: Answer): Judgement {
  const actual = outcomeOf(answer);
  if (actual === 'neither') return { verdict: 'error', reason: explainNeither(answer) };
  if (actual !== outcome) return { verdict: 'differs' };
  // Without a body there is nothing whose type or text could be wrong.
  if (body === undefined || answer.text === '') return { verdict: 'pass' };
  if (body === 'json_media_type') return judgeMediaType(answer);
  return judgeText(answer);
}

function judgeMediaType({ mediaType }: Answer): Judgement {
  const [type = ''] = (mediaType ?? '').split(';', 1);
  if (type.trim().toLowerCase() === 'application/json') return { verdict: 'pass' };
  const reason = type === '' ? 'the body has no media type' : 'the body has another media type';
  return { verdict: 'differs', reason };
}

function judgeText({ text, isWhole }: Answer): Judgement {
  if (!isWhole) return { verdict: 'error', reason: 'the body is too long to be read to its end' };
  try {
    JSON.parse(text);
    return { verdict: 'pass' };
  } catch {
    return { verdict: 'differs', reason: 'the body cannot be read as JSON' };
  }
}

function explainNeither({ status }: Pick<Answer, 'status'>): string {
  const why = COME_AGAIN.includes(status)
    ? 'speaks of the moment, not of the request'
    : status >= 300 && status < 400
      ? 'is a redirect, which is not followed'
      : 'is neither an acceptance (2xx) nor a refusal (4xx)';
  return `the status ${status} ${why}`;
}

/** The promise in words. */
export function describeExpectation({ outcome, body }: ConformanceExpectation): string {
  const status = outcome === 'accepted' ? 'accepted (2xx)' : 'refused (4xx)';
  if (body === undefined) return status;
  return `${status}, with a body of ${body === 'json_text' ? 'readable JSON' : 'type application/json'}, if any`;
}
