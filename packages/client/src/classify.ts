import type { AnswerHead } from './exchange.ts';
import type { Outcome } from './outcome.ts';
import { parseRetryAfter } from './retry-after.ts';

/**
 * Overrides what a status means, since the interface document shows no statuses: return an outcome,
 * or `undefined` to keep the default. An answer classified as `applied` is a success.
 */
export type Classify = (head: AnswerHead) => Outcome | undefined;

/**
 * What a status means by default. Only an answer that plainly says "not taken" is `rejected`; a proxy
 * or a crashing service may have passed the update on, so anything else is `unknown`.
 */
export function classifyStatus({ status, headers }: AnswerHead, now: number): Outcome {
  if (status >= 200 && status < 300) return 'applied';
  if (status === 503)
    return parseRetryAfter(headers['retry-after'], now) === undefined ? 'unknown' : 'rejected';
  if (status >= 400 && status < 500 && status !== 408) return 'rejected';
  return 'unknown';
}
