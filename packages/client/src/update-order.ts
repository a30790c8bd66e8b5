import {
  type Explanation,
  explain,
  isOrderToken,
  type OrderUpdate,
  type OrderUpdateSchema,
} from '@orders/schema';

import { type CallSuccess, errorOf } from './call.ts';
import type { OrdersConnection } from './connection.ts';
import { type CallError, isOrdersError } from './errors.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './settings.ts';

/** An update that the service took. */
export interface UpdatedOrder<Data = unknown> extends CallSuccess {
  /** The answer as JSON, or as `responseSchema` makes it; `undefined` when the answer is empty. Its shape is not shown. */
  readonly data: Data;
}

/** An update that the service took, or the error that says what became of it. */
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
  const operation = updateOperation(connection.schema, token, update);
  return (await connection.perform(operation, options)) as UpdatedOrder<Data>;
}

/**
 * Like `updateOrder`, but returns `{ ok: false, error }` instead of throwing. Rejects only with a `TypeError`, for a wrong
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
  if (!isOrderToken(token)) issues.unshift(badToken);
  const operation = {
    method: 'PATCH',
    path: '',
    lane: typeof token === 'string' ? token : '',
    repeatable: false,
    body: undefined,
  } as const;
  if (checked.success && issues.length === 0) {
    const path = `/v2/orders/${encodeURIComponent(token)}`;
    return { ...operation, path, body: JSON.stringify(checked.data) };
  }
  throw errorOf(
    { operation, attempts: [], bodyBytes: 0, calledAt: Date.now() },
    { code: 'invalid_request', outcome: 'not_sent', what: 'the update is invalid', issues },
  );
}

const badToken: Explanation = {
  path: 'order_token',
  code: 'bad_token',
  message: 'Expected the order token that the service generated',
  hint: 'Pass it as it is: a string that is not empty, "." or "..", without control characters.',
};
