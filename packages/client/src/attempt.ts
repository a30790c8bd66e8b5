import type { Authorization } from '@orders/auth';
import { type Call, endedFailure, runCallback } from './call.ts';
import type { AttemptFailure, AttemptResult, AttemptSuccess } from './errors.ts';
import {
  type BaseUrl,
  type BeforeSend,
  isAuthorization,
  type StandardIssue,
  type StandardSchema,
} from './options.ts';
import type { RateLimit, Turn } from './rate-limit.ts';
import { createRedactor, describeCause, joinRedactors, type Redact, sanitizeCause } from './redact.ts';
import {
  type ClassifyResponse,
  getRequestId,
  interpretResponse,
  invalidResponse,
  type ResponseContext,
} from './response.ts';
import { type AttemptEnd, type AttemptStep, backoff } from './retry.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** What all attempts of a client share. */
export interface AttemptContext {
  readonly transport: Transport;
  readonly baseUrl: BaseUrl;
  readonly classifyResponse: ClassifyResponse | undefined;
  readonly maxResponseBytes: number;
  readonly rateLimit: RateLimit;
  readonly random: () => number;
  /** Headers that those of the user replace. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  /** Removes the credentials that were read last. */
  lastRedact: Redact;
}

/** Makes one attempt: reads the credentials, waits for its slot, sends, interprets the response, checks its data. */
export function createAttempt(context: AttemptContext): AttemptStep {
  return async (call, turn) => {
    const startedAfterMs = call.deadline.elapsedMs();
    const authorization = await authorize(call, context);
    if (typeof authorization !== 'string') return { result: authorization, startedAfterMs };
    for (;;) {
      const notMade = await context.rateLimit.waitForSlot(turn);
      if (notMade) return { notMade };
      const end = await send(call, turn, authorization, context);
      if (end) return end;
    }
  };
}

/** Sends the request and interprets its response; `undefined` when its slot was lost while it connected. */
async function send(
  call: Call,
  turn: Turn,
  authorization: string,
  context: AttemptContext,
): Promise<AttemptEnd | undefined> {
  const { transport, maxResponseBytes, rateLimit } = context;
  const { deadline, options } = call;
  const ended = endedFailure(call, 'before the request could be sent');
  if (ended) return { notMade: ended };
  const startedAfterMs = deadline.elapsedMs();
  const remainingMs = deadline.remainingMs();
  const request = createRequest(call, authorization, context, () => rateLimit.leave(turn));
  const sent = await transport(request, {
    timeoutMs: Math.min(options.timeouts.attempt, remainingMs),
    maxResponseBytes,
    deadline,
  });
  if (sent.failure === 'held') return undefined;
  const result = interpretResponse(sent, createResponseContext(call, authorization, remainingMs, context));
  rateLimit.ended(turn, result);
  const { responseSchema } = options;
  const checked = result.code || !responseSchema ? result : await checkData(result, responseSchema, call);
  return { result: checked, startedAfterMs, requestId: getRequestId(sent.response, call.redact) };
}

function createRequest(
  call: Call,
  authorization: string,
  { baseUrl: { origin, prefix }, ownHeaders }: AttemptContext,
  leave: () => boolean,
): TransportRequest {
  const { operation, options } = call;
  const { method, path, body } = operation;
  const { headers, beforeSend } = options;
  let hasLeft = false;
  return {
    method,
    origin,
    path: prefix + path,
    headers: {
      ...ownHeaders,
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      authorization,
    },
    body,
    beforeSend: () => {
      hasLeft ||= leave();
      if (!hasLeft) return false;
      if (beforeSend) runBeforeSend(call, beforeSend);
      return true;
    },
  };
}

function createResponseContext(
  { attempts, options, redact }: Call,
  authorization: string,
  remainingMs: number,
  { classifyResponse, random }: AttemptContext,
): ResponseContext {
  const { attempt: attemptMs, total: totalMs } = options.timeouts;
  const isAttempt = attemptMs < remainingMs;
  return {
    classifyResponse,
    authorization,
    redact,
    now: Date.now(),
    limit: isAttempt ? `${attemptMs} ms (timeouts.attempt)` : `${totalMs} ms (timeouts.total)`,
    backoffMs: () => backoff(attempts.length + 1, random),
  };
}

/** @throws what `beforeSend` throws, and when it is not synchronous: the first byte leaves once it returns. */
function runBeforeSend({ attempts }: Call, beforeSend: BeforeSend): void {
  const returned: unknown = beforeSend({ attempt: attempts.length + 1 });
  if (typeof Object(returned).then !== 'function') return;
  // A promise that rejects must not end the process.
  Promise.resolve(returned).catch(() => {});
  throw new TypeError('beforeSend returned a promise: it must be synchronous');
}

const unreadable: AttemptFailure = {
  code: 'connection_error',
  outcome: 'not_sent',
  what: 'no credentials: is the variable of apiKey set? A credentials function returns basic(key) or bearer(token)',
};

/** Reads the credentials; a function of the user may throw, reject and hang. */
async function authorize(call: Call, context: AttemptContext): Promise<string | AttemptFailure> {
  const { credentials } = call.options;
  if (typeof credentials !== 'function') return openCredentials(call, credentials, context);
  try {
    const read = await runCallback(call, credentials, 'waiting for credentials');
    return 'code' in read ? read : openCredentials(call, read.value, context);
  } catch (thrown) {
    const cause = sanitizeCause(thrown, call.redact);
    const what = `the credentials could not be read${describeCause(cause)}`;
    return { ...unreadable, what, cause, retryable: true };
  }
}

/** Reads the header's value and prepares its redaction, so that neither can fail once the request is sent. */
function openCredentials(call: Call, credentials: unknown, context: AttemptContext): string | AttemptFailure {
  if (credentials instanceof Error) {
    const cause = sanitizeCause(credentials, call.redact);
    return { ...unreadable, what: `the credentials cannot be used${describeCause(cause)}`, cause };
  }
  try {
    const authorization = credentials as Authorization;
    const value: unknown = authorization.reveal();
    if (isAuthorization(value)) {
      const redact = createRedactor(authorization);
      const { redact: before } = call;
      // A response may quote the key of an earlier attempt.
      if (before !== redact) call.redact = joinRedactors(before, redact);
      context.lastRedact = redact;
      return value;
    }
  } catch {
    // They are no credentials, whatever they threw.
  }
  return unreadable;
}

/** Runs the user's schema on the data: whatever it does, the update was applied. */
async function checkData(
  success: AttemptSuccess,
  schema: StandardSchema,
  call: Call,
): Promise<AttemptResult> {
  const { redact } = call;
  const { status } = success;
  const validate = () => schema['~standard'].validate(success.data);
  let found = 'data for which responseSchema returned neither a value nor issues';
  let cause: Error | undefined;
  try {
    const checked = await runCallback(call, validate, 'waiting for responseSchema');
    if ('code' in checked) return { ...checked, outcome: 'applied', status, phase: 'body' };
    const { value: result }: { readonly value: Partial<ValidationResult> } = checked;
    const { issues } = result;
    if (issues === undefined && 'value' in result) return { ...success, data: result.value };
    if (issues) found = `data that responseSchema refuses: ${redact(String(issues[0]?.message), 500)}`;
  } catch (thrown) {
    cause = sanitizeCause(thrown, redact);
    found = `data for which responseSchema threw${describeCause(cause)}`;
  }
  return invalidResponse(status, 'applied', found, cause);
}

interface ValidationResult {
  readonly value: unknown;
  readonly issues: readonly StandardIssue[] | undefined;
}
