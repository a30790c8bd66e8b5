import { isUtf8 } from 'node:buffer';
import { explain, type OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { type Answer, answerJson, answerRefusal } from './answer.ts';
import { mergeUpdate, type OrderBook } from './order-book.ts';

/** Checks a whole body and applies it, unless told not to; nothing is applied that could not be answered. */
export function applyUpdate<Update extends OrderUpdate>(
  bytes: Buffer,
  { token, schema, book, stamp, isApplied }: ApplyContext<Update>,
): Answer {
  const order = book.find(token);
  if (order === undefined) throw new Error('An admitted update has lost its order.');
  const json = parseJson(bytes);
  if (json === undefined) {
    return answerRefusal({ status: 400, code: 'body_not_json', message: 'The body is not JSON in UTF-8.' });
  }
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) {
    const issues = explain(parsed.error);
    const message = `The body is not a valid order update: ${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}.`;
    return answerRefusal({ status: 422, code: 'body_refused', message, issues });
  }
  const next = mergeUpdate(order, parsed.data);
  const answer = answerJson(200, { token: next.token, revision: next.revision, order: next.data });
  if (isApplied) book.commit(next, { ...stamp, body: parsed.data });
  return answer;
}

export interface ApplyContext<Update extends OrderUpdate> {
  readonly token: string;
  readonly schema: OrderUpdateSchema<Update>;
  readonly book: OrderBook<Update>;
  /** Whether what is answered with 200 also happens. */
  readonly isApplied: boolean;
  readonly stamp: { readonly requestId: string; readonly at: number };
}

function parseJson(bytes: Buffer): { value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}
