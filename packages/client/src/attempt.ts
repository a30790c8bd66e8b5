import type { Authorization } from '@orders/auth';
import { type Call, endedFailure, runCallback } from './call.ts';
import type { Connections } from './connections.ts';
import type { AttemptFailure, AttemptResult, AttemptSuccess } from './errors.ts';
import { type BaseUrl, isAuthorization, type StandardIssue, type StandardSchema } from './options.ts';
import type { RateLimit, Turn } from './rate-limit.ts';
import { createRedactor, describeCause, joinRedactors, type Redact, sanitizeCause } from './redact.ts';
import { type ClassifyResponse, getRequestId, interpretResponse, invalidResponse } from './response.ts';
import { type AttemptEnd, type AttemptStep, backoff } from './retry.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** What all attempts of a client share. */
export interface AttemptContext {
  readonly transport: Transport;
  /** Absent when they are not limited. */
  readonly connections: Connections | undefined;
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

/** Makes one attempt: reads the credentials, waits for its slot and its connection, sends, interprets the response, checks its data. */
export function createAttempt(context: AttemptContext): AttemptStep {
  return async (call, turn) => {
    const { connections, rateLimit } = context;
    const startedAfterMs = call.deadline.elapsedMs();
    const authorization = await readAuthorization(call, context);
    if (typeof authorization !== 'string') return { result: authorization, startedAfterMs };
    for (;;) {
      const notMade = (await rateLimit.waitForSlot(turn)) ?? (await connections?.acquire(call));
      if (notMade) return { notMade };
      try {
        const end = await send(call, turn, authorization, context);
        if (end) return end;
      } finally {
        call.deadline.endSending();
        connections?.release();
      }
    }
  };
}

/** Returns the value of the `Authorization` header; a function of the user may throw, reject and hang. */
async function readAuthorization(call: Call, context: AttemptContext): Promise<string | AttemptFailure> {
  const { credentials } = call.options;
  // Checked with the options, and known to `redact` since the call began.
  if (typeof credentials !== 'function') return credentials.reveal();
  try {
    const read = await runCallback(call, credentials, 'waiting for credentials');
    return 'code' in read ? read : openCredentials(read.value, call, context);
  } catch (thrown) {
    return { ...unreadable(call, 'could not be read', thrown), retryable: true };
  }
}

/** Parses what a credentials function returned, and prepares its redaction before a byte leaves. */
function openCredentials(returned: unknown, call: Call, context: AttemptContext): string | AttemptFailure {
  if (returned instanceof Error) return unreadable(call, 'cannot be used', returned);
  try {
    const authorization = returned as Authorization;
    const value: unknown = authorization.reveal();
    if (isAuthorization(value)) {
      const redact = createRedactor(authorization);
      // A response may quote the key of an earlier attempt.
      if (call.redact !== redact) call.redact = joinRedactors(call.redact, redact);
      context.lastRedact = redact;
      return value;
    }
  } catch {
    // They are no credentials, whatever they threw.
  }
  return noCredentials;
}

const noCredentials: AttemptFailure = {
  code: 'connection_error',
  outcome: 'not_sent',
  what: 'no credentials: is the variable of apiKey set? A credentials function returns basic(key) or bearer(token)',
};

function unreadable({ redact }: Call, why: string, thrown: unknown): AttemptFailure {
  const cause = sanitizeCause(thrown, redact);
  return { ...noCredentials, what: `the credentials ${why}${describeCause(cause)}`, cause };
}

/**
 * Sends the request, interprets its response, which the rate limit learns from, and checks its data; `undefined` when its
 * slot was lost while it connected.
 */
async function send(
  call: Call,
  turn: Turn,
  authorization: string,
  context: AttemptContext,
): Promise<AttemptEnd | undefined> {
  const { transport, classifyResponse, maxResponseBytes, rateLimit, random } = context;
  const { attempts, deadline, options } = call;
  const notMade = endedFailure(call, 'before the request could be sent');
  if (notMade) return { notMade };
  const startedAfterMs = deadline.elapsedMs();
  const remainingMs = deadline.remainingMs();
  const { attempt, total } = options.timeouts;
  const request = createRequest(call, authorization, context, (run) => rateLimit.takeSlot(turn, run));
  const timeoutMs = Math.min(attempt, remainingMs);
  const sent = await transport(request, { timeoutMs, maxResponseBytes, deadline });
  if (sent.failure === 'held') return undefined;
  const { redact } = call;
  const result = interpretResponse(sent, {
    classifyResponse,
    authorization,
    redact,
    now: Date.now(),
    limit: attempt < remainingMs ? `${attempt} ms (timeouts.attempt)` : `${total} ms (timeouts.total)`,
    // This attempt is recorded later.
    backoffMs: () => backoff(attempts.length + 1, random),
  });
  rateLimit.learn(turn, result);
  const { responseSchema } = options;
  const checked = result.code || !responseSchema ? result : await checkData(result, responseSchema, call);
  return { result: checked, startedAfterMs, requestId: getRequestId(sent.response, redact) };
}

function createRequest(
  call: Call,
  authorization: string,
  { baseUrl: { origin, prefix }, ownHeaders }: AttemptContext,
  takeSlot: (run: () => void) => boolean,
): TransportRequest {
  const { operation, options } = call;
  const { method, path, body } = operation;
  const { headers } = options;
  let hasSlot = false;
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
      const run = (): void => runBeforeSend(call);
      // A dispatcher may begin a request anew.
      if (hasSlot) run();
      else hasSlot = takeSlot(run);
      if (hasSlot) call.deadline.beginSending();
      return hasSlot;
    },
  };
}

/** @throws what `beforeSend` throws, and when it is not synchronous: the first byte leaves once it returns. */
function runBeforeSend({ attempts, options }: Call): void {
  const returned: unknown = options.beforeSend?.({ attempt: attempts.length + 1 });
  if (typeof Object(returned).then !== 'function') return;
  // A promise that rejects must not end the process.
  Promise.resolve(returned).catch(() => {});
  throw new TypeError('beforeSend returned a promise: it must be synchronous');
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
