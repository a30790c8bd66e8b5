import type { Authorization } from '@orders/auth';
import type { BaseUrl } from './base-url.ts';
import { type Call, endOf, runCallback } from './call.ts';
import type { Classify } from './classify.ts';
import { cleanCause, nameOfCause } from './clean-cause.ts';
import type { Transport } from './exchange.ts';
import { type Defeat, invalidResponse, judge, type Success, type Verdict } from './judge.ts';
import type { RateLimit } from './rate-limit.ts';
import { isAuthorization } from './request-headers.ts';
import { backoff } from './retry-policy.ts';
import { type Scrub, scrubberOf } from './scrub.ts';
import type { StandardIssue, StandardSchema } from './standard-schema.ts';
import { waitForTurn } from './wait-for-turn.ts';

/** What all attempts of a client share. */
export interface AttemptContext {
  readonly transport: Transport;
  readonly baseUrl: BaseUrl;
  readonly classify: Classify | undefined;
  readonly maxResponseBytes: number;
  readonly limit: RateLimit;
  readonly random: () => number;
  /** Takes the key that was read last out of a text. */
  lastScrub: Scrub;
}

/** Makes one attempt: reads the credentials, sends, judges the response, checks its data. */
export async function makeAttempt(call: Call, context: AttemptContext): Promise<Verdict> {
  const { limit } = context;
  const { credentials, responseSchema } = call.settings;
  for (;;) {
    const authorization =
      typeof credentials === 'function'
        ? await readCredentials(call, credentials, context)
        : openCredentials(call, credentials, context);
    if (typeof authorization !== 'string') return authorization;
    const ended = endOf(call, 'before the request could be sent');
    if (ended) return ended;
    const endAttempt = limit.start(credentials);
    if (endAttempt) {
      const verdict = await send(call, authorization, context);
      endAttempt(verdict.status !== undefined);
      return verdict.code || !responseSchema ? verdict : checkData(verdict, responseSchema, call);
    }
    // A pause began meanwhile.
    const held = await waitForTurn(call, limit);
    if (held) return held;
  }
}

async function send(call: Call, authorization: string, context: AttemptContext): Promise<Verdict> {
  const { operation, settings, deadline, scrub } = call;
  const { method, body } = operation;
  const { transport, baseUrl, classify, maxResponseBytes, limit, random } = context;
  const { attempt: attemptMs, total: totalMs } = settings.timeouts;
  const remainingMs = deadline.remainingMs();
  const exchange = await transport(
    {
      method,
      origin: baseUrl.origin,
      path: baseUrl.prefix + operation.path,
      headers: { ...settings.headers, ...(body !== undefined && jsonBody), authorization },
      body,
    },
    { timeoutMs: Math.min(attemptMs, remainingMs), maxResponseBytes, signal: deadline.signal },
  );
  const verdict = judge(exchange, {
    classify,
    scrub,
    now: Date.now(),
    limit: attemptMs < remainingMs ? `${attemptMs} ms (timeouts.attempt)` : `${totalMs} ms (timeouts.total)`,
    backoffMs: () => backoff(call.attempts.length + 1, random),
  });
  if (verdict.code && verdict.status === 429) {
    // A 429 applies to the key, so it pauses every call with it.
    limit.pause(settings.credentials, verdict.askedMs ?? 0);
  }
  return verdict;
}

const jsonBody = { 'content-type': 'application/json' };

const unreadable: Defeat = {
  code: 'connection_failed',
  outcome: 'not_sent',
  what: 'credentials: pass basic(key), bearer(token), or a function that returns one of them',
};

/** Asks the function for credentials, which may throw, reject and hang. */
async function readCredentials(
  call: Call,
  credentials: () => unknown,
  context: AttemptContext,
): Promise<string | Defeat> {
  try {
    const read = await runCallback(call, credentials, 'waiting for credentials');
    return 'code' in read ? read : openCredentials(call, read.value, context);
  } catch (thrown) {
    const cause = cleanCause(thrown, call.scrub);
    const what = `the credentials could not be read${nameOfCause(cause)}`;
    return { ...unreadable, what, cause, retryable: true };
  }
}

/** Reads the header's value and prepares its redaction, so that neither can fail once the request is sent. */
function openCredentials(call: Call, credentials: unknown, context: AttemptContext): string | Defeat {
  try {
    const authorization = credentials as Authorization;
    const value: unknown = authorization.reveal();
    if (isAuthorization(value)) {
      const scrub = scrubberOf(authorization);
      const { scrub: before } = call;
      // A response may quote the key of an attempt before.
      if (before !== scrub) call.scrub = (text) => scrub(before(text));
      context.lastScrub = scrub;
      return value;
    }
  } catch {
    // It is no credentials, whatever it threw.
  }
  return unreadable;
}

/** Lets the caller's schema check the data: whatever it does, the update was applied. */
async function checkData(success: Success, schema: StandardSchema, call: Call): Promise<Verdict> {
  const { scrub } = call;
  const { status } = success;
  const validate = () => schema['~standard'].validate(success.data);
  try {
    const checked = await runCallback(call, validate, 'waiting for responseSchema');
    if ('code' in checked) return { ...checked, outcome: 'applied', status, phase: 'body' };
    const result: { readonly value?: unknown; readonly issues?: readonly StandardIssue[] | undefined } =
      checked.value;
    const { issues } = result;
    if (issues === undefined && 'value' in result) return { ...success, data: result.value };
    const found = issues
      ? `data that responseSchema refuses: ${scrub(String(issues[0]?.message)).slice(0, 500)}`
      : 'data for which responseSchema returned neither a value nor issues';
    return invalidResponse(status, 'applied', found);
  } catch (thrown) {
    const cause = cleanCause(thrown, scrub);
    const found = `data for which responseSchema threw${nameOfCause(cause)}`;
    return invalidResponse(status, 'applied', found, cause);
  }
}
