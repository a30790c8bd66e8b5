import { type Authorization, authorize } from '@orders/auth';
import type { BaseUrl } from './base-url.ts';
import type { Call } from './call.ts';
import type { Classify } from './classify.ts';
import type { Failure, Transport } from './exchange.ts';
import { judge, refusedData, type Verdict } from './judge.ts';
import { scrubberOf } from './scrub.ts';

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
    const { operation, settings, deadline } = call;
    const authorization = await readCredentials(call);
    const bench = { operation: operation.label, classify, now: Date.now() };
    if ('type' in authorization) return judge(authorization, { ...bench, scrub: (text) => text });
    const exchange = await transport(
      {
        method: operation.method,
        origin: baseUrl.origin,
        path: baseUrl.prefix + operation.path,
        headers: operation.body
          ? { ...settings.headers, ...jsonBody }
          : { ...settings.headers, ...jsonAnswer },
        authorization,
        body: operation.body,
      },
      {
        timeoutMs: Math.min(settings.timeouts.attempt, deadline.remainingMs()),
        maxResponseBytes,
        signal: deadline.signal,
      },
    );
    const verdict = judge(exchange, { ...bench, now: Date.now(), scrub: scrubberOf(authorization) });
    return verdict.ok ? checkData(verdict, call) : verdict;
  };
}

const jsonAnswer = { accept: 'application/json' };
const jsonBody = { ...jsonAnswer, 'content-type': 'application/json' };

/** Credentials that cannot be read are a failure before anything was sent, like a connection refused. */
async function readCredentials({ settings, deadline }: Call): Promise<Authorization | Failure> {
  const failure = { type: 'failure', progress: 'connecting', head: undefined } as const;
  let authorization: Authorization;
  try {
    const reading = authorize(settings.credentials);
    if (reading instanceof Promise) {
      const end = await deadline.wait(reading);
      if (end === 'timeout') return { ...failure, reason: 'timeout', cause: undefined };
      if (end === 'aborted') return { ...failure, reason: 'aborted', cause: deadline.signal?.reason };
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

async function checkData(verdict: Verdict & { ok: true }, call: Call): Promise<Verdict> {
  const checking = call.responseSchema?.['~standard'].validate(verdict.data);
  if (checking === undefined) return verdict;
  if (checking instanceof Promise) {
    const end = await call.deadline.wait(checking);
    if (end !== 'done')
      return refusedData(verdict, `a check of it that did not end in time`, call.operation.label);
  }
  const checked = await checking;
  if (!checked.issues) return { ...verdict, data: checked.value };
  const [issue] = checked.issues;
  return refusedData(verdict, `data that responseSchema refuses: ${issue?.message}`, call.operation.label);
}
