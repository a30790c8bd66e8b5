import { isUtf8 } from 'node:buffer';
import { explain, type OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import type { Answer, Refusal } from './answer.ts';
import type { Answers } from './choices.ts';
import type { OrderBook, StoredOrder } from './order-book.ts';

export interface ApplyContext<Update extends OrderUpdate> {
  /** The order as it is before. */
  readonly order: StoredOrder<Update>;
  readonly schema: OrderUpdateSchema<Update>;
  readonly book: OrderBook<Update>;
  readonly answers: Answers<Update>;
  /** Whether what is answered as a success also happens. */
  readonly isApplied: boolean;
  readonly stamp: { readonly requestId: string; readonly at: number };
}

/** Checks a whole body and applies it, unless told not to; nothing is applied that could not be answered. */
export function applyUpdate<Update extends OrderUpdate>(
  bytes: Buffer,
  { order, schema, book, answers, stamp, isApplied }: ApplyContext<Update>,
): Answer {
  const json = parseJson(bytes);
  if (json === undefined) return answers.refused(NOT_JSON);
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) {
    const issues = explain(parsed.error);
    const message = `The body is not a valid order update: ${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}.`;
    return answers.refused({
      status: 422,
      code: 'body_refused',
      message,
      issues: issues.slice(0, MOST_ISSUES),
    });
  }
  const { token, revision, data } = order;
  const next = { token, revision: revision + 1, data: answers.merge(data, parsed.data) };
  const answer = answers.updated(next);
  if (isApplied) book.commit(next, { ...stamp, body: parsed.data });
  return answer;
}

/** A body of a hundred thousand mistakes must not be answered with as many sentences. */
const MOST_ISSUES = 100;

const NOT_JSON: Refusal = { status: 400, code: 'body_not_json', message: 'The body is not JSON in UTF-8.' };

function parseJson(bytes: Buffer): { value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}
