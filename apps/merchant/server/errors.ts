import { sValidator } from '@hono/standard-validator';
import { ValidationError } from '@orders/client';
import { OutboxError } from '@orders/outbox';
import { type Explanation, explain } from '@orders/schema';
import type { Context, ErrorHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type * as z from 'zod/mini';
import type { ApiErrorBody } from '../shared/api.ts';

/** A line of the server's log. It never holds a body or the key. */
export type Log = (entry: {
  readonly level: 'error' | 'warn';
  readonly message: string;
  readonly [field: string]: unknown;
}) => void;

type Details = Omit<ApiErrorBody['error'], 'code' | 'message' | 'requestId'>;

/** An error that a route reports to the page. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly details: Details;

  constructor(status: ContentfulStatusCode, code: string, message: string, details: Details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Parses a JSON body with a schema; anything else is a 400. */
export function checkJson<Body>(schema: z.ZodMiniType<Body, Body>) {
  return sValidator('json', schema, (checked) => {
    if (checked.success) return;
    const [issue] = explain({ issues: checked.error });
    throw new ApiError(400, 'bad_request', `${issue?.path || 'body'}: ${issue?.message}`);
  });
}

export function invalidUpdate(issues: readonly Explanation[]): ApiError {
  const fields = issues.length === 1 ? '1 field' : `${issues.length} fields`;
  return new ApiError(422, 'validation_error', `Fix ${fields}.`, { issues });
}

/** Turns what a route throws into a response. An unexpected error is logged, and the response has only the request id. */
export function handleErrors(log: Log): ErrorHandler {
  return (error, c) => {
    const { status, code, message, details } = toApiError(error);
    if (status >= 500) logError(log, error, { c, status });
    if (status === 503) c.header('Retry-After', String(retryAfterSeconds));
    return errorResponse(c, status, { code, message, ...details });
  };
}

/** Whether a statement waited too long for a lock: SQLSTATE `lock_not_available`. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03';

export function errorResponse(
  c: Context,
  status: ContentfulStatusCode,
  error: Omit<ApiErrorBody['error'], 'requestId'>,
): Response {
  // The rest of the body is not read, so no other request can come over this connection.
  if (status === 413) c.header('Connection', 'close');
  return c.json<ApiErrorBody>({ error: { ...error, requestId: c.get('requestId') } }, status);
}

const outboxStatus: Partial<Record<string, ContentfulStatusCode>> = {
  unknown_update: 404,
  nothing_to_decide: 409,
  duplicate_id: 409,
  order_locked: 503,
  closed: 503,
  database_unusable: 503,
};

/** When a request that met a lock, or a database that cannot be used now, may be sent again. */
const retryAfterSeconds = 2;
/** SQLSTATE `character_not_in_repertoire`. */
const zeroCharacter = '22021';
/**
 * What passes by itself: SQLSTATEs of lost connections, transactions that were rolled back, a server that is full,
 * read-only or restarts, and the codes of Node for a server that does not respond.
 */
const passing = /^(08|40|53|57).{3}$|^25006$|^E(CONN|PIPE|TIMEDOUT|HOST|NET)/;

function toApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ValidationError) return invalidUpdate(error.issues);
  if (error instanceof OutboxError && outboxStatus[error.code])
    return new ApiError(outboxStatus[error.code] ?? 500, error.code, error.message);
  if (error instanceof HTTPException && error.status < 500)
    return new ApiError(error.status as ContentfulStatusCode, 'bad_request', error.message || 'Bad request.');
  const code = 'code' in error ? String(error.code) : '';
  // The database stores no zero character, which a path such as /orders/%00 holds.
  if (code === zeroCharacter) return new ApiError(400, 'bad_request', 'Text cannot hold a zero character.');
  // A statement of a transaction of ours fails with the error of the driver.
  if (isLockTimeout(error))
    return new ApiError(
      503,
      'order_locked',
      'Another transaction holds this order. Nothing was changed: try again in a moment.',
    );
  if (passing.test(code))
    return new ApiError(
      503,
      'database_unusable',
      'The database cannot be used now. Nothing was confirmed: try again in a moment.',
    );
  return new ApiError(500, 'internal_error', 'The server failed. Its log has the details.');
}

export function logError(
  log: Log,
  error: Error,
  { c, status }: { readonly c: Context; readonly status: number },
): void {
  const { name, message, stack } = error;
  // What passes by itself is no error of this program.
  const isPassing = status === 503;
  log({
    level: isPassing ? 'warn' : 'error',
    requestId: c.get('requestId'),
    // The pattern, since a path may hold an order token, or the secret of a webhook.
    route: `${c.req.method} ${routeOf(c)}`,
    error: name,
    message,
    ...(!isPassing && { stack }),
  });
}

/** Of the patterns that match, middleware has shorter ones. */
function routeOf(c: Context): string {
  return matchedRoutes(c).reduce((longest, { path }) => (path.length > longest.length ? path : longest), '');
}
