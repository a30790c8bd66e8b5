import { type Explanation, explain, isOrderToken, type OrderUpdateSchema } from '@orders/schema';
import type { Call } from './call.ts';
import { createError, OrdersError } from './errors.ts';
import { describeOperation, type Operation } from './operation.ts';
import type { CallOptions, OwnOptions, ResolvedCallOptions } from './options.ts';
import type { RateLimit } from './rate-limit.ts';
import type { CallSummary } from './receipt.ts';
import { describeCause, sanitizeCause } from './redact.ts';
import type { ResponseHeaders } from './transport.ts';

/** The response to an update that was applied. */
export interface UpdateOrderResponse<Data = unknown> extends CallSummary {
  readonly outcome: 'applied';
  /**
   * The JSON of the response as `JSON.parse` reads it, which rounds integers beyond 2^53, or what `responseSchema` made of
   * it; `undefined` when the body is empty. The API does not document its shape.
   */
  readonly data: Data;
  readonly status: number;
  /** The headers of the response, with names in lower case. */
  readonly headers: ResponseHeaders;
}

/** The response to an echo: the service accepted the key. */
export interface EchoResponse<Data = unknown> extends Omit<UpdateOrderResponse<Data>, 'outcome'> {}

/** An update that was applied, or the error that says what became of it; `outcome` and the like are there in both. */
export type UpdateOrderResult<Data = unknown> =
  | ({ readonly ok: true; readonly error?: never } & UpdateOrderResponse<Data>)
  | ({ readonly ok: false; readonly error: OrdersError; readonly data?: never } & CallSummary);

/** Makes a call. Rejects with an `OrdersError`. */
export type MakeCall = (call: Call) => Promise<UpdateOrderResponse>;

/** What the methods of a client share. */
export interface ClientCore {
  readonly schema: OrderUpdateSchema;
  /** The origin and the path prefix that requests go to. */
  readonly baseUrl: string;
  readonly host: string;
  /** Whether updates of one order leave one at a time. */
  readonly isOrdered: boolean;
  readonly rateLimit: RateLimit;
  /** Fires when the client is closed. */
  readonly closed: AbortSignal;
  /** The options of calls that bring none of their own. */
  readonly options: ResolvedCallOptions;
  /** Resolves the options of one call. @throws TypeError for a wrong option. */
  readonly resolve: (own: OwnOptions) => ResolvedCallOptions;
  /** Validates the update of a call. @throws ValidationError with every issue. */
  readonly validate: (token: unknown, update: unknown) => Operation;
  /** Makes a call. Rejects with an `OrdersError`. */
  readonly execute: (operation: Operation, options: ResolvedCallOptions) => Promise<UpdateOrderResponse>;
  /** Ends the calls of a bulk run: each at once, or after the response to what has left. */
  readonly stopRun: (run: object, reason: unknown) => void;
}

/** Turns the errors of a call into results; any other error is thrown. */
export async function toResult<Data>(
  call: Promise<UpdateOrderResponse<Data>>,
): Promise<UpdateOrderResult<Data>> {
  try {
    return { ok: true, ...(await call) };
  } catch (error) {
    if (!(error instanceof OrdersError)) throw error;
    const { outcome, attemptCount, receipt, requestId } = error;
    return { ok: false, error, outcome, attemptCount, receipt, requestId };
  }
}

/** The echo: `GET /v2/echo_with_private_key`. It changes nothing, so it is also retried after `unknown`. */
export const echoOperation: Operation = {
  method: 'GET',
  path: '/v2/echo_with_private_key',
  lane: undefined,
  idempotent: true,
  body: undefined,
};

/** Validates an update: `PATCH /v2/orders/<token>`. @throws ValidationError with every issue. */
export function updateOperation(
  { schema, host }: Pick<ClientCore, 'schema' | 'host'>,
  token: unknown,
  update: unknown,
): Operation {
  let issues: Explanation[] = [];
  let body: string | undefined;
  try {
    const parsed = schema.safeParse(update);
    if (parsed.success) body = JSON.stringify(parsed.data, 'toJSON' in [] ? asItIs : undefined);
    else issues = explain(parsed.error);
  } catch (thrown) {
    // A check of the user may throw, or be asynchronous.
    const message = `The schema threw${describeCause(sanitizeCause(thrown, (text) => text))}`;
    issues = [{ path: '', code: 'custom', message }];
  }
  const lane = typeof token === 'string' ? token : '';
  if (!isOrderToken(token)) issues.unshift(invalidToken(token));
  const operation = { method: 'PATCH', path: '', lane, idempotent: false, body } as const;
  if (issues.length === 0) return { ...operation, path: `/v2/orders/${encodeURIComponent(lane)}` };
  throw createError(
    { operation, host, attempts: [], bodyBytes: 0, calledAt: Date.now() },
    { code: 'validation_error', outcome: 'not_sent', what: 'the update is invalid', issues },
  );
}

/** Keeps a value from a `toJSON` that a library gave to all arrays or objects, which would change what is sent. */
function asItIs(this: Readonly<Record<string, unknown>>, name: string): unknown {
  return this[name];
}

function invalidToken(token: unknown): Explanation {
  const got = typeof token === 'string' ? '' : `, got ${token === null ? 'null' : typeof token}`;
  return {
    path: 'order_token',
    code: 'invalid_token',
    message: `Expected the order token that the service generated${got}`,
    hint: 'Pass it as it is: a string that is not empty, "." or "..", without control characters.',
  };
}

/**
 * A validated request that has not been sent. It never changes, and prints without the key, the body and the whole order
 * token: read `body` and `url` to see them.
 */
export interface PreparedUpdate<ClientData = unknown> {
  readonly method: 'PATCH';
  readonly url: string;
  /** The exact text that will be sent. */
  readonly body: string;
  /** Length of the body in bytes. */
  readonly bodyBytes: number;
  /**
   * The request as a command for a POSIX shell, with all headers of the client. It reads the key from the environment
   * variable `ORDERS_API_KEY`, a bearer token from `ORDERS_BEARER_TOKEN`, and shows neither in the list of processes. It
   * holds your own headers, the body and the whole order token.
   */
  toCurl(): string;
  /** Sends it, as `updateOrder` does. Each call sends it again. */
  send<Data = ClientData>(options?: CallOptions<Data>): Promise<UpdateOrderResponse<Data>>;
  /** What it prints: method, path with the token's last four characters, length. */
  toJSON(): object;
}

export class PreparedRequest implements PreparedUpdate {
  readonly #client: ClientCore;
  readonly #operation: Operation;

  constructor(client: ClientCore, operation: Operation) {
    this.#client = client;
    this.#operation = operation;
    Object.freeze(this);
  }

  get method(): 'PATCH' {
    return 'PATCH';
  }

  get url(): string {
    return this.#client.baseUrl + this.#operation.path;
  }

  get body(): string {
    return this.#operation.body ?? '';
  }

  get bodyBytes(): number {
    return byteLength(this.body);
  }

  toCurl(): string {
    const { headers, credentials } = this.#client.options;
    const command = [
      `curl --globoff -X PATCH ${quote(this.url)}`,
      ...Object.entries({ ...headers, 'content-type': 'application/json' }).map(
        // curl leaves out a header that ends in a colon, and sends one that ends in a semicolon as empty.
        ([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`,
      ),
      // No argument, which may be at most 128 KiB long; without the line break at its end.
      "-H @/dev/fd/3 --data @- 3<<AUTHORIZATION <<'BODY'",
    ].join(' \\\n  ');
    const isBearer = typeof credentials !== 'function' && credentials.reveal().startsWith('Bearer ');
    // Put together by the shell, whose `printf` is no process of its own.
    const authorization = isBearer
      ? 'Bearer $ORDERS_BEARER_TOKEN'
      : `Basic $(printf %s "$ORDERS_API_KEY:" | base64 | tr -d '\\n')`;
    return `${command}\nAuthorization: ${authorization}\nAUTHORIZATION\n${this.body}\nBODY\n`;
  }

  async send<Data>(options: CallOptions<Data> = {}): Promise<UpdateOrderResponse<Data>> {
    const { execute, resolve } = this.#client;
    return (await execute(
      this.#operation,
      resolve({ method: 'send', options }),
    )) as UpdateOrderResponse<Data>;
  }

  toJSON(): object {
    return {
      request: describeOperation(this.#operation),
      bodyBytes: this.bodyBytes,
      authorization: '[secret]',
    };
  }

  toString(): string {
    return `${describeOperation(this.#operation)}, ${this.bodyBytes} bytes`;
  }

  /** Shows the same in `util.inspect` and `console.log`. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON();
  }
}

/** Length of a text in UTF-8, in bytes, in any runtime. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
