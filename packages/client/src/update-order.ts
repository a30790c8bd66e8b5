import {
  type Explanation,
  explain,
  OrderToken,
  type OrderUpdate,
  type OrderUpdateSchema,
} from '@orders/schema';

import type { CallSuccess } from './call.ts';
import type { OrdersConnection } from './connection.ts';
import { type CallError, InvalidRequestError, isOrdersError } from './errors.ts';
import type { AnswerHeaders } from './exchange.ts';
import { labelOf, type Operation } from './operation.ts';
import { Receipt } from './receipt.ts';
import type { CallOptions } from './settings.ts';

/** An update that the service took. */
export interface UpdatedOrder<Data = unknown> {
  readonly outcome: 'applied';
  /** The answer as JSON, or as `responseSchema` makes it; `undefined` when the answer is empty. Its shape is not shown. */
  readonly data: Data;
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Attempts made. */
  readonly attempts: number;
  /** What happened, safe to paste into a ticket. */
  readonly receipt: Receipt;
}

/** An update that the service took, or the error that tells what became of it. */
export type UpdateOrderResult<Data = unknown> =
  | ({ readonly ok: true; readonly error?: never } & UpdatedOrder<Data>)
  | { readonly ok: false; readonly error: CallError; readonly data?: never };

/**
 * Updates an order: `PATCH /v2/orders/<token>` (interface document, Endpoints). The update is checked
 * before it is sent, and sent as given.
 *
 * @throws OrdersError whose `outcome` says what became of the update.
 * @throws TypeError when an option is wrong.
 */
export async function updateOrder<Update extends OrderUpdate, Data = unknown>(
  connection: OrdersConnection<Update>,
  token: string,
  update: NoInfer<Update>,
  options: CallOptions<Data> = {},
): Promise<UpdatedOrder<Data>> {
  const success = await connection.perform(updateOperation(connection.schema, token, update), options);
  return applied(success);
}

/** Tells a call that succeeded as an update that the service took. */
export function applied<Data>({ data, status, headers, attempts, receipt }: CallSuccess): UpdatedOrder<Data> {
  return { outcome: 'applied', data: data as Data, status, headers, attempts, receipt };
}

/**
 * Updates an order as `updateOrder` does, and tells a failure as a value. Rejects only with a `TypeError`, for a wrong
 * option.
 */
export async function safeUpdateOrder<Update extends OrderUpdate, Data = unknown>(
  connection: OrdersConnection<Update>,
  token: string,
  update: NoInfer<Update>,
  options: CallOptions<Data> = {},
): Promise<UpdateOrderResult<Data>> {
  try {
    return { ok: true, ...(await updateOrder(connection, token, update, options)) };
  } catch (error) {
    if (isOrdersError(error)) return { ok: false, error };
    throw error;
  }
}

/** Checks an update and says what to do. @throws InvalidRequestError with every problem. */
export function updateOperation<Update extends OrderUpdate>(
  schema: OrderUpdateSchema<Update>,
  token: string,
  update: Update,
): Operation {
  const checked = schema.safeParse(update);
  const issues = checked.success ? [] : explain(checked.error);
  if (!OrderToken.safeParse(token).success) issues.unshift(badToken);
  if (!checked.success || issues.length > 0) throw invalidUpdate(token, issues);
  return {
    method: 'PATCH',
    path: `/v2/orders/${encodeURIComponent(token)}`,
    lane: token,
    repeatable: false,
    body: JSON.stringify(checked.data),
  };
}

const badToken: Explanation = {
  path: 'order_token',
  code: 'bad_token',
  message: 'Expected the order token that the service generated',
  hint: 'Pass it as the service gave it: a string that is not empty, "." or "..", without control characters.',
};

function invalidUpdate(token: unknown, issues: readonly Explanation[]): InvalidRequestError {
  const lane = typeof token === 'string' ? token : '';
  const operation: Operation = { method: 'PATCH', path: '', lane, repeatable: false, body: undefined };
  const label = labelOf(operation);
  const receipt = new Receipt({ operation, bodyBytes: 0, calledAt: Date.now(), attempts: [] });
  const shown = issues
    .slice(0, 3)
    .map(({ path, message, hint = '' }) => `${path || 'body'}: ${message}. ${hint}`.trim());
  const more = issues.length > 3 ? [`and ${issues.length - 3} more in issues`] : [];
  const message = `${label}: the update was not sent. ${[...shown, ...more].join(' | ')}`;
  return new InvalidRequestError(message, { outcome: 'not_sent', attempts: 0, receipt }, issues);
}
