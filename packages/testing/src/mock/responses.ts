import { isPromise } from 'node:util/types';
import { type Explanation, explain, type OrderUpdate } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { freezeDeep } from './freeze-deep.ts';
import type { KeyType } from './keys.ts';
import { mergeTopLevel, type StoredOrder } from './orders.ts';

/** A response as text: it leaves in one write with its headers, which bytes do not. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Every response of the service by name, with its status. The API documents no statuses: these are our own choice. */
const statuses = {
  order_updated: 200,
  key_echoed: 200,
  request_malformed: 400,
  path_malformed: 400,
  path_not_found: 404,
  method_not_allowed: 405,
  key_missing: 401,
  key_malformed: 401,
  key_unknown: 401,
  scheme_unsupported: 401,
  key_type_not_allowed: 403,
  not_acceptable: 406,
  media_type_unsupported: 415,
  body_too_large: 413,
  body_not_json: 400,
  body_refused: 422,
  order_not_found: 404,
  service_failed: 500,
} as const;

/** The responses whose status `responses.statuses` can set. */
export type ResponseName = keyof typeof statuses;

/**
 * What error bodies of the service call the error; a code never changes its meaning. The API documents no error codes:
 * these are the mock's own.
 */
export type MockOrderServiceErrorCode =
  | Exclude<ResponseName, 'order_updated' | 'key_echoed'>
  | 'fault_scripted';

/** The JSON of every error response, unless `responses.errorBody` makes another; its shape is the mock's own. */
export interface MockOrderServiceErrorBody {
  readonly error: {
    readonly code: MockOrderServiceErrorCode;
    readonly message: string;
    /** With `body_refused` only: the first 100 issues. */
    readonly issues?: readonly Explanation[];
  };
}

/**
 * How the mock responds where the API documents nothing: replace what your service is known to do otherwise. A function
 * that throws or returns a promise leads to a 500.
 */
export interface MockResponses<Update extends OrderUpdate = OrderUpdate> {
  /** Statuses (200 to 599) by the name of the response. @default 200 for success, and the table in the README */
  readonly statuses?: Readonly<Partial<Record<ResponseName, number>>> | undefined;
  /** The JSON after an update; `undefined` for no body. @default `{ token, revision, order: data }` */
  readonly updateBody?: ((order: StoredOrder<Update>) => unknown) | undefined;
  /** The JSON of an echo. @default `{ authenticated: true, key_type }` */
  readonly echoBody?: ((keyType: KeyType) => unknown) | undefined;
  /** The JSON of an error. @default the error itself */
  readonly errorBody?: ((body: MockOrderServiceErrorBody, status: number) => unknown) | undefined;
  /**
   * What an order holds after an update; gets frozen objects, returns plain JSON.
   * @default each top-level field of the update replaces the one held
   */
  readonly merge?:
    | ((held: Readonly<Partial<Update>>, update: Update) => Readonly<Partial<Update>>)
    | undefined;
}

/** Why a request is rejected. */
export interface Rejection {
  readonly code: MockOrderServiceErrorCode;
  readonly message: string;
  readonly issues?: readonly Explanation[];
  readonly headers?: Readonly<Record<string, string>>;
  /** @default that of the code */
  readonly status?: number;
}

/** Makes every response, and applies updates. */
export interface Responder<Update extends OrderUpdate> {
  merge(held: Readonly<Partial<Update>>, update: Update): Readonly<Partial<Update>>;
  updated(order: StoredOrder<Update>): PlainResponse;
  echoed(keyType: KeyType): PlainResponse;
  rejected(rejection: Rejection): PlainResponse;
}

/** Throws a `TypeError` for an unknown option or a status that cannot be sent. */
export function createResponder<Update extends OrderUpdate>(
  responses: MockResponses<Update> = {},
): Responder<Update> {
  checkOptions('responses', responses, ['statuses', 'updateBody', 'echoBody', 'errorBody', 'merge']);
  checkOptions('responses.statuses', responses.statuses, Object.keys(statuses));
  for (const [name, status] of Object.entries(responses.statuses ?? {})) {
    if (Number.isInteger(status) && status >= 200 && status <= 599) continue;
    const given = typeof status === 'string' ? `"${status}"` : status;
    throw new TypeError(`responses.statuses.${name}: ${given} is not a whole number from 200 to 599.`);
  }
  const { updateBody, echoBody = showKeyType, errorBody = (body) => body, merge } = responses;
  const statusOf = { ...statuses, ...responses.statuses };

  return {
    merge: merge
      ? (held, update) => notPromised('merge', merge(freezeDeep(held), freezeDeep(update)))
      : mergeTopLevel,
    updated(order) {
      // Frozen objects take far longer to stringify, so only a callback gets them frozen.
      const body = updateBody ? notPromised('updateBody', updateBody(freezeDeep(order))) : showOrder(order);
      return respondJson(statusOf.order_updated, body);
    },
    echoed: (keyType) => respondJson(statusOf.key_echoed, notPromised('echoBody', echoBody(keyType))),
    rejected({ headers, status: scripted, ...error }) {
      const status = scripted ?? (error.code === 'fault_scripted' ? 500 : statusOf[error.code]);
      try {
        return respondJson(status, notPromised('errorBody', errorBody({ error }, status)), headers);
      } catch (reason) {
        return serviceFailed(reason);
      }
    },
  };
}

/** The JSON of a promise is `{}`, so an `async` function would go unnoticed. */
function notPromised<Value>(name: keyof MockResponses, value: Value): Value {
  if (!isPromise(value)) return value;
  // Its rejection would end the process of the test.
  value.catch(() => {});
  throw new TypeError(`responses.${name}: return the value itself, not a promise`);
}

/** A failure inside must reach the test as a response, because a thrown one would end its process. */
export function serviceFailed(error: unknown): PlainResponse {
  const message = `The order service failed: ${error instanceof Error ? error.message : 'unknown error'}.`;
  return respondJson(500, { error: { code: 'service_failed', message } });
}

function showOrder({ token, revision, data }: StoredOrder): unknown {
  return { token, revision, order: data };
}

function showKeyType(keyType: KeyType): unknown {
  return { authenticated: true, key_type: keyType };
}

/** A response of JSON, or without a body for a value that JSON does not know, such as `undefined`. */
export function respondJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): PlainResponse {
  // These never have a body (RFC 9110, 15.3.5 and 15.4.5), and a client would wait for one of that length.
  if (status === 204 || status === 304) return { status, headers, body: '' };
  // The type of `stringify` leaves out that it returns undefined for some values.
  const text: string | undefined = JSON.stringify(body);
  if (text === undefined) return respondText(status, '', headers);
  return respondText(status, text, { 'content-type': 'application/json', ...headers });
}

export function respondText(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): PlainResponse {
  return {
    status,
    headers: { 'content-length': String(Buffer.byteLength(text)), ...headers },
    body: text,
  };
}

/** A body with a hundred thousand mistakes must not lead to as many sentences. */
const maxIssues = 100;

export function bodyRefused(error: Parameters<typeof explain>[0]): Rejection {
  const issues = explain(error);
  const message = `The body is not a valid order update: ${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}.`;
  return { code: 'body_refused', message, issues: issues.slice(0, maxIssues) };
}
