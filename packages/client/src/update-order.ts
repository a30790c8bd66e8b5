import {
  type Explanation,
  explain,
  isOrderToken,
  type OrderUpdate,
  type OrderUpdateSchema,
} from '@orders/schema';

import { type CallSuccess, errorOf } from './call.ts';
import { cleanCause, nameOfCause } from './clean-cause.ts';
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
  let issues: Explanation[] = [];
  let body: string | undefined;
  try {
    const checked = schema.safeParse(update);
    if (checked.success) body = JSON.stringify(checked.data);
    else issues = explain(checked.error);
  } catch (thrown) {
    // A check of the user's own may throw, or be asynchronous.
    const message = `The schema threw${nameOfCause(cleanCause(thrown, (text) => text))}`;
    issues = [{ path: '', code: 'custom', message }];
  }
  if (!isOrderToken(token)) issues.unshift(badToken);
  const lane = typeof token === 'string' ? token : '';
  const operation = { method: 'PATCH', path: '', lane, repeatable: false, body } as const;
  if (issues.length === 0) return { ...operation, path: `/v2/orders/${encodeURIComponent(token)}` };
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
