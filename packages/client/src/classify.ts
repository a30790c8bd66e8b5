import { type AnswerHead, type HttpAnswer, headerOf } from './exchange.ts';
import type { Outcome } from './outcome.ts';

/**
 * Overrides what a response means, since the API does not document its statuses: return an outcome, or `undefined` to
 * keep the default. A response classified as `applied` is a success. It must return at once, not a promise; when it
 * throws or returns anything else, a 2xx in JSON is `applied`, any other response `unknown`.
 */
export type Classify = (head: AnswerHead) => Outcome | undefined;

/** What a response means by default; pure. Only one that plainly comes from the service and refuses is `rejected`. */
export function classifyResponse(response: HttpAnswer, isWhole: boolean): Outcome {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return 'applied';
  if (status < 400 || status >= 500 || status === 408) return 'unknown';
  // A proxy shows such pages in place of a failure behind it, which may have come after the update was applied.
  // Without a media type only the body shows whether it is one, and it may not have come that far.
  const mayBePage = isHtmlPage(response) || !(isWhole || mediaType(headers));
  if (pageStatuses.has(status) && mayBePage) return 'unknown';
  return 'rejected';
}

const pageStatuses = new Set([403, 404, 405, 410]);

/**
 * A `classify` for a service whose own 503 is known to mean "not applied": a 503 in JSON is `rejected` and retried like
 * a 429. Any other 503 stays `unknown`: the service responds in JSON, so a proxy made it.
 *
 * Use it only when no proxy between you and the service sends a 503 in JSON for a connection that broke: such a
 * maintenance page may stand for an update that was applied.
 */
export const treat503AsRejected: Classify = ({ status, headers }) =>
  status === 503 && isJson(headers) ? 'rejected' : undefined;

const htmlType = /^(text\/html|application\/xhtml\+xml)$/;

/** Whether a response is a page for people: the service answers in JSON, so a proxy made it. */
export function isHtmlPage({ headers, text }: HttpAnswer): boolean {
  const type = mediaType(headers);
  return type === '' ? /^\s*<(!doctype html|html)[\s>]/i.test(text) : htmlType.test(type);
}

export function isJson(headers: AnswerHead['headers']): boolean {
  return /^\s*application\/(json|[^;,]+\+json)\s*([;,]|$)/i.test(headerOf(headers, 'content-type'));
}

function mediaType(headers: AnswerHead['headers']): string {
  return headerOf(headers, 'content-type')
    .replace(/[;,].*/s, '')
    .trim()
    .toLowerCase();
}
