import type { CallSuccess } from './call.ts';
import type { OrdersConnection } from './connection.ts';
import type { CallOptions } from './settings.ts';

/** The answer to an echo. */
export interface Echo<Data = unknown> extends Omit<CallSuccess, 'outcome'> {
  /** The answer as JSON, or as `responseSchema` makes it; `undefined` when the answer is empty. Its shape is not shown. */
  readonly data: Data;
}

/**
 * Asks the service whether the private key works: `GET /v2/echo_with_private_key` (interface document,
 * Endpoints). It changes nothing, so it is tried again whatever became of an attempt.
 *
 * @throws OrdersError, for example an `HttpError`.
 * @throws TypeError when an option is wrong.
 */
export async function echoWithPrivateKey<Data = unknown>(
  connection: Pick<OrdersConnection, 'perform'>,
  options: CallOptions<Data> = {},
): Promise<Echo<Data>> {
  const operation = {
    method: 'GET',
    path: '/v2/echo_with_private_key',
    lane: undefined,
    repeatable: true,
    body: undefined,
  } as const;
  return (await connection.perform(operation, options)) as Echo<Data>;
}
