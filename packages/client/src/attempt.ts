import type { Authorization } from '@orders/auth';
import { type Call, endedFailure, runCallback, type Step } from './call.ts';
import type { AttemptFailure, AttemptResult, AttemptSuccess } from './errors.ts';
import {
  type BaseUrl,
  type BeforeSend,
  isAuthorization,
  type StandardIssue,
  type StandardSchema,
} from './options.ts';
import { type RateLimit, waitForSlot } from './rate-limit.ts';
import { createRedactor, describeCause, type Redact, sanitizeCause } from './redact.ts';
import {
  type ClassifyResponse,
  interpretResponse,
  invalidResponse,
  type ResponseContext,
} from './response.ts';
import { backoff } from './retry.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** What all attempts of a client share. */
export interface AttemptContext {
  readonly transport: Transport;
  readonly baseUrl: BaseUrl;
  readonly classifyResponse: ClassifyResponse | undefined;
  readonly maxResponseBytes: number;
  readonly rateLimit: RateLimit;
  readonly random: () => number;
  /** Removes the credentials that were read last. */
  lastRedact: Redact;
}

/** Makes one attempt: reads the credentials, sends, interprets the response, checks its data. */
export function createAttempt(context: AttemptContext): Step {
  const { transport, baseUrl, maxResponseBytes, rateLimit } = context;
  return async function attempt(call): Promise<AttemptResult> {
    const { credentials, responseSchema } = call.options;
    const authorization =
      typeof credentials === 'function'
        ? await readCredentials(call, credentials, context)
        : openCredentials(call, credentials, context);
    if (typeof authorization !== 'string') return authorization;
    const ended = endedFailure(call, 'before the request could be sent');
    if (ended) return ended;
    const endAttempt = rateLimit.start(credentials);
    // A pause began meanwhile.
    if (!endAttempt) return (await waitForSlot(call, rateLimit)) ?? attempt(call);
    const remainingMs = call.deadline.remainingMs();
    const sent = await transport(createRequest(call, authorization, baseUrl), {
      timeoutMs: Math.min(call.options.timeouts.attempt, remainingMs),
      maxResponseBytes,
      deadline: call.deadline,
    });
    const result = interpretResponse(sent, {
      ...createResponseContext(call, remainingMs, context),
      authorization,
    });
    // A 429 applies to the key, so it pauses every call with it.
    if (result.code && result.status === 429) rateLimit.pause(credentials, result.retryAfterMs ?? 0);
    endAttempt(result.status !== undefined);
    return result.code || !responseSchema ? result : checkData(result, responseSchema, call);
  };
}

function createRequest(call: Call, authorization: string, { origin, prefix }: BaseUrl): TransportRequest {
  const { operation, options } = call;
  const { method, path, body } = operation;
  const { headers, beforeSend } = options;
  return {
    method,
    origin,
    path: prefix + path,
    headers:
      body === undefined
        ? { ...headers, authorization }
        : { ...headers, 'content-type': 'application/json', authorization },
    body,
    beforeSend: beforeSend && (() => runBeforeSend(call, beforeSend)),
  };
}

function createResponseContext(
  { attempts, options, redact }: Call,
  remainingMs: number,
  { classifyResponse, random }: AttemptContext,
): Omit<ResponseContext, 'authorization'> {
  const { attempt: attemptMs, total: totalMs } = options.timeouts;
  const isAttempt = attemptMs < remainingMs;
  return {
    classifyResponse,
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

/** Calls the credentials function, which may throw, reject and hang. */
async function readCredentials(
  call: Call,
  credentials: () => unknown,
  context: AttemptContext,
): Promise<string | AttemptFailure> {
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
      if (before !== redact) call.redact = (text) => redact(before(text));
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
  const { status, requestId } = success;
  const validate = () => schema['~standard'].validate(success.data);
  let found = 'data for which responseSchema returned neither a value nor issues';
  let cause: Error | undefined;
  try {
    const checked = await runCallback(call, validate, 'waiting for responseSchema');
    if ('code' in checked) return { ...checked, outcome: 'applied', status, requestId, phase: 'body' };
    const { value: result }: { readonly value: Partial<ValidationResult> } = checked;
    const { issues } = result;
    if (issues === undefined && 'value' in result) return { ...success, data: result.value };
    if (issues)
      found = `data that responseSchema refuses: ${redact(String(issues[0]?.message)).slice(0, 500)}`;
  } catch (thrown) {
    cause = sanitizeCause(thrown, redact);
    found = `data for which responseSchema threw${describeCause(cause)}`;
  }
  return { ...invalidResponse(status, 'applied', found, cause), requestId };
}

interface ValidationResult {
  readonly value: unknown;
  readonly issues: readonly StandardIssue[] | undefined;
}
