import type { OrderUpdate } from '@orders/schema';

import type { OrdersConnection } from './connection.ts';
import { byteLength, labelOf, type Operation } from './operation.ts';
import type { CallOptions } from './settings.ts';
import { type UpdatedOrder, updateOperation } from './update-order.ts';

type Sender = Pick<OrdersConnection, 'perform' | 'baseUrl' | 'headers' | 'credentials'>;

/**
 * A request that has been checked and not yet sent. It never changes, and prints without the key, the body and
 * the whole order token: read `body` and `url` to see them.
 */
export class PreparedUpdate {
  readonly #connection: Sender;
  readonly #operation: Operation;

  constructor(connection: Sender, operation: Operation) {
    this.#connection = connection;
    this.#operation = operation;
    Object.freeze(this);
  }

  get method(): 'PATCH' {
    return 'PATCH';
  }

  get url(): string {
    return this.#connection.baseUrl + this.#operation.path;
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
   * The request as a command for a POSIX shell, with all headers of the client. It reads the key from the environment
   * variable `ORDERS_API_KEY`, a bearer token from `ORDERS_BEARER_TOKEN`, and shows neither in the list of processes. It
   * can be shared without them; it does hold your own headers, the body and the whole order token.
   */
  toCurl(): string {
    const headers = { ...this.#connection.headers, 'content-type': 'application/json' };
    const command = [
      `curl --globoff -X PATCH ${quote(this.url)}`,
      ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
      // No argument, which may be at most 128 KiB long; without the line break at its end.
      "-H @/dev/fd/3 --data @- 3<<AUTHORIZATION <<'BODY'",
    ].join(' \\\n  ');
    const { credentials } = this.#connection;
    const isBearer = typeof credentials !== 'function' && credentials.reveal().startsWith('Bearer ');
    // Put together by the shell, whose `printf` is no process of its own.
    const authorization = isBearer
      ? 'Bearer $ORDERS_BEARER_TOKEN'
      : `Basic $(printf %s "$ORDERS_API_KEY:" | base64 | tr -d '\\n')`;
    return `${command}\nAuthorization: ${authorization}\nAUTHORIZATION\n${this.body}\nBODY\n`;
  }

  /** Sends it, as `updateOrder` does. Each call sends it once more. */
  async send<Data = unknown>(options: CallOptions<Data> = {}): Promise<UpdatedOrder<Data>> {
    return (await this.#connection.perform(this.#operation, options)) as UpdatedOrder<Data>;
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

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
