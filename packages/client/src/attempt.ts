import { type Authorization, authorize } from '@orders/auth';
import type { BaseUrl } from './base-url.ts';
import { abortedCall, type Call, uncheckedInTime } from './call.ts';
import type { Classify } from './classify.ts';
import type { Deadline } from './deadline.ts';
import type { Failure, Transport } from './exchange.ts';
import { judge, refusedData, type Success, type Verdict } from './judge.ts';
import { scrubberOf } from './scrub.ts';
import type { StandardSchema } from './standard-schema.ts';

/** What all attempts of a client share. */
export interface AttemptContext {
  readonly transport: Transport;
  readonly baseUrl: BaseUrl;
  readonly classify: Classify | undefined;
  readonly maxResponseBytes: number;
}

/** Makes one attempt: reads the credentials, sends, judges the answer, checks its data. */
export function attemptWith({ transport, baseUrl, classify, maxResponseBytes }: AttemptContext) {
  return async (call: Call): Promise<Verdict> => {
    const { operation, settings, deadline, responseSchema } = call;
    const { credentials } = settings;
    const authorization = typeof credentials === 'function' ? await readCredentials(call) : credentials;
    if ('type' in authorization) return judgeUnsent(authorization, call, classify);
    // The signal may have fired between two waits, where nobody listens.
    if (deadline.signal?.aborted) return judgeUnsent(abortedUnsent(deadline), call, classify);
    const exchange = await transport(
      {
        method: operation.method,
        origin: baseUrl.origin,
        path: baseUrl.prefix + operation.path,
        headers: operation.body === undefined ? settings.headers : { ...settings.headers, ...jsonBody },
        authorization,
        body: operation.body,
      },
      {
        timeoutMs: Math.min(settings.timeouts.attempt, deadline.remainingMs()),
        maxResponseBytes,
        signal: deadline.signal,
      },
    );
    const verdict = judge(exchange, {
      operation,
      classify,
      now: Date.now(),
      scrub: scrubberOf(authorization),
    });
    return verdict.ok && responseSchema ? checkData(verdict, responseSchema, call) : verdict;
  };
}

const jsonBody = { 'content-type': 'application/json' };

/** Credentials that cannot be read are a failure before anything was sent, like a connection refused. */
async function readCredentials({ settings, deadline }: Call): Promise<Authorization | Failure> {
  const failure = { type: 'failure', progress: 'connecting', head: undefined } as const;
  let authorization: Authorization;
  try {
    const reading = authorize(settings.credentials);
    if (reading instanceof Promise) {
      const end = await deadline.wait(reading);
      if (end === 'timeout') return { ...failure, reason: 'timeout', cause: undefined };
      if (end === 'aborted') return abortedUnsent(deadline);
    }
    authorization = await reading;
  } catch (cause) {
    return {
      ...failure,
      reason: 'connection',
      cause: new Error(`the credentials could not be read: ${cause}`),
    };
  }
  if (typeof authorization?.reveal === 'function') return authorization;
  throw new TypeError('credentials: let the function return basic(key) or bearer(token).');
}

function judgeUnsent(failure: Failure, { operation }: Call, classify: Classify | undefined): Verdict {
  return judge(failure, { operation, classify, scrub: (text) => text, now: Date.now() });
}

function abortedUnsent({ signal }: Deadline): Failure {
  return {
    type: 'failure',
    reason: 'aborted',
    progress: 'connecting',
    head: undefined,
    cause: signal?.reason,
  };
}

async function checkData(success: Success, schema: StandardSchema, call: Call): Promise<Verdict> {
  const { operation, deadline } = call;
  const checking = schema['~standard'].validate(success.data);
  if (checking instanceof Promise) {
    const end = await deadline.wait(checking);
    const late = refusedData(success, 'data that responseSchema did not check in time', operation);
    if (end === 'aborted') return { ...late, code: 'aborted', error: () => abortedCall(call) };
    if (end === 'timeout') return { ...late, code: 'timeout', error: () => uncheckedInTime(call) };
  }
  const checked = await checking;
  if (!checked.issues) return { ...success, data: checked.value };
  const [issue] = checked.issues;
  return refusedData(success, `data that responseSchema refuses: ${issue?.message}`, operation);
}
