import type { OrderUpdate } from '@orders/schema';

import type { OrdersConnection } from './connection.ts';
import { byteLength, labelOf, type Operation } from './operation.ts';
import type { CallOptions } from './settings.ts';
import { applied, type UpdatedOrder, updateOperation } from './update-order.ts';

/**
 * A request that has been checked and not yet sent. It never changes, and prints without the key, the body and
 * the whole order token: read `body` and `url` to see them.
 */
export class PreparedUpdate {
  readonly #connection: Pick<OrdersConnection, 'perform'>;
  readonly #operation: Operation;
  readonly #url: string;

  constructor(connection: Pick<OrdersConnection, 'perform' | 'baseUrl'>, operation: Operation) {
    this.#connection = connection;
    this.#operation = operation;
    this.#url = connection.baseUrl + operation.path;
    Object.freeze(this);
  }

  get method(): 'PATCH' {
    return 'PATCH';
  }

  get url(): string {
    return this.#url;
  }

  /** The exact text that will be sent. */
  get body(): string {
    return this.#operation.body ?? '';
  }

  /** Length of the body in bytes. */
  get bodyBytes(): number {
    return byteLength(this.body);
  }

  /**
   * The request as a command for a POSIX shell. It reads the key from the environment variable `ORDERS_API_KEY`, so it
   * can be shared without the key; it does hold the body and the whole order token.
   */
  toCurl(): string {
    return [
      `curl --globoff --path-as-is -X PATCH ${quote(this.#url)}`,
      '-u "$ORDERS_API_KEY:"',
      "-H 'Content-Type: application/json'",
      "-H 'Accept: application/json'",
      curlBody(this.body),
    ].join(' \\\n  ');
  }

  /** Sends it, as `updateOrder` does. Each call sends it once more. */
  async send<Data = unknown>(options: CallOptions<Data> = {}): Promise<UpdatedOrder<Data>> {
    return applied(await this.#connection.perform(this.#operation, options));
  }

  /** What it prints as: method, path with the token's last four characters, length. */
  toJSON(): object {
    return { request: labelOf(this.#operation), bodyBytes: this.bodyBytes, authorization: '[secret]' };
  }

  toString(): string {
    return `${labelOf(this.#operation)}, ${this.bodyBytes} bytes`;
  }

  /** Shows the same in `util.inspect` and `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }
}

/**
 * Checks an update and gives the exact request that will be sent.
 *
 * @throws InvalidRequestError when the update or the token is wrong.
 */
export function prepareUpdateOrder<Update extends OrderUpdate>(
  connection: OrdersConnection<Update>,
  token: string,
  update: NoInfer<Update>,
): PreparedUpdate {
  return new PreparedUpdate(connection, updateOperation(connection.schema, token, update));
}

/** A shell takes no argument of more than 128 KiB, so a long body comes from standard input, with a line break at its end. */
function curlBody(body: string): string {
  if (body.length < 30_000) return `--data-binary ${quote(body)}`;
  return `--data-binary @- <<'ORDERS_BODY'\n${body}\nORDERS_BODY`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
