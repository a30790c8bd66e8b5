import { once } from 'node:events';
import {
  type ConformanceCase,
  type ConformanceExpectation,
  type ConformanceRequest,
  echo,
  plainUpdate,
} from './cases.ts';
import { type ConformanceOptions, resolveOptions } from './options.ts';
import {
  type ConformanceActual,
  type ConformanceReport,
  type ConformanceResult,
  countVerdicts,
  describeResult,
} from './report.ts';

/**
 * Sends a service what the API documents, one request at a time, and reports which responses conform. Nothing that the
 * service does makes it reject. Without `disposable`, it sends nothing that could change the order.
 *
 * @throws {TypeError} When an option is unknown or invalid; the message holds no key.
 * @throws The reason of `signal`, when it aborts.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { baseUrl, cases, judge } = createConformanceRun(options);
  const results: ConformanceResult[] = [];
  for (const one of cases) {
    options.signal?.throwIfAborted();
    const result = await judge(one);
    results.push(result);
    options.onResult?.(result);
  }
  return { baseUrl, counts: countVerdicts(results), results };
}

/** The part of a test framework that is used; `test` of vitest and of `node:test` both have it. */
export interface ConformanceTest {
  (name: string, body: () => Promise<void>): unknown;
  readonly skip: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * Registers each case as a test, which fails with the expected and the actual response. Set `timeoutMs` below the time
 * limit of the framework, so that a stalled service is reported as one.
 *
 * @throws {TypeError} When an option is unknown or invalid; the message holds no key.
 */
export function registerConformance(
  test: ConformanceTest,
  options: Omit<ConformanceOptions, 'onResult'>,
): void {
  const { cases, skipReason, judge } = createConformanceRun(options);
  for (const one of cases) {
    const name = `${one.id}: ${one.title}`;
    const reason = skipReason(one);
    const body = async () => {
      const result = await judge(one);
      if (result.verdict === 'fail' || result.verdict === 'inconclusive')
        throw new Error(describeResult(result));
    };
    if (reason === undefined) test(name, body);
    else test.skip(`${name} (${reason})`, body);
  }
}

type Judgement = Pick<ConformanceResult, 'verdict' | 'actual' | 'reason'>;

function createConformanceRun(options: ConformanceOptions) {
  const settings = resolveOptions(options);
  const { baseUrl, context, cases, skipReason, redact } = settings;
  const baselines = new Map<string, Promise<Exchange>>();

  async function sendAndJudge({ needs, before, request, expected }: ConformanceCase): Promise<Judgement> {
    const operation = needs.includes('orderToken') ? 'update' : 'echo';
    const sendPlain = () => send(operation === 'echo' ? echo() : plainUpdate(context), settings);
    const sent = baselines.get(operation) ?? sendPlain();
    baselines.set(operation, sent);
    const baseline = await sent;
    // A service that does not respond gets no further request, and one that refuses everything would refuse this, too.
    if ('failure' in baseline) return inconclusive(`the plain ${operation} got ${baseline.failure}`);
    if (expected !== 'accepted' && outcomeOf(baseline) !== 'accepted') {
      const { status } = baseline;
      return inconclusive(
        `not sent, because a plain ${operation} got status ${status}${advise(status, operation)}`,
      );
    }
    const first = before && (await send(before(context), settings));
    if (first && outcomeOf(first) !== 'accepted') {
      return inconclusive(
        `the request before it got ${'failure' in first ? first.failure : `status ${first.status}`}`,
      );
    }
    const response = await send(request(context), settings);
    if ('failure' in response) return inconclusive(response.failure);
    if (expected === 'refused' && outcomeOf(response) === 'refused') {
      // A service may come to refuse everything, for example a caller that it takes for an attacker.
      const again = await sendPlain();
      if (outcomeOf(again) !== 'accepted') {
        const found = 'failure' in again ? again.failure : `status ${again.status}`;
        return inconclusive(`a plain ${operation} after it got ${found}`);
      }
    }
    return { ...judgeResponse(expected, response), actual: quote(response, redact) };
  }

  return {
    baseUrl: redact(baseUrl),
    cases,
    skipReason,
    /** Rejects only with the reason of the run's signal. */
    async judge(one: ConformanceCase): Promise<ConformanceResult> {
      const { id, title, source, strength } = one;
      const startedAt = performance.now();
      const reason = skipReason(one);
      const judgement =
        reason === undefined ? await sendAndJudge(one) : { verdict: 'skipped' as const, reason };
      const durationMs = Math.round(performance.now() - startedAt);
      return { id, title, source, strength, expected: expectations[one.expected], ...judgement, durationMs };
    },
  };
}

function inconclusive(reason: string): Judgement {
  return { verdict: 'inconclusive', reason };
}

/** What a refused plain request most often comes from. */
function advise(status: number, operation: 'echo' | 'update'): string {
  if (status === 401 || status === 403) return '; check the key';
  if (status === 404) return `; check the base URL${operation === 'update' ? ' and the token' : ''}`;
  return '';
}

interface ReceivedResponse {
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly location: string | undefined;
  readonly text: string;
  readonly isWhole: boolean;
}

type Exchange = ReceivedResponse | { readonly failure: string };

const maxBodyBytes = 65_536;

/** Sends a request once. Rejects with the signal's reason, and for nothing that the service or `fetch` does. */
async function send(
  { method, path, authorization, headers, body }: ConformanceRequest,
  { baseUrl, authorizations, fetch, timeoutMs, signal, redact }: ReturnType<typeof resolveOptions>,
): Promise<Exchange> {
  signal?.throwIfAborted();
  const credentials = authorizations[authorization];
  const deadline = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  const receive = async (): Promise<ReceivedResponse> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: credentials === undefined ? headers : { ...headers, authorization: credentials },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: stop,
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBodyBytes) break;
    }
    return {
      status: response.status,
      mediaType: response.headers.get('content-type') ?? undefined,
      location: response.headers.get('location') ?? undefined,
      text: new TextDecoder().decode(Buffer.concat(chunks)),
      isWhole: size <= maxBodyBytes,
    };
  };
  // A `fetch` of one's own may ignore its signal.
  const stopped = once(stop, 'abort').then(() => Promise.reject(stop.reason));
  try {
    return await Promise.race([receive(), stopped]);
  } catch (thrown) {
    signal?.throwIfAborted();
    if (deadline.aborted) return { failure: `no complete response within ${timeoutMs} ms` };
    return { failure: shorten(redact(`no complete response: ${describeFailure(thrown)}`)) };
  }
}

/** The reason is in the cause of what `fetch` throws; for a host with several addresses, that has a code alone. */
function describeFailure(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'fetch threw what is not an Error';
  const { cause } = thrown;
  if (!(cause instanceof Error)) return thrown.message;
  return cause.message || `${thrown.message} (${'code' in cause ? cause.code : cause.name})`;
}

/** The API documents no statuses, so only the class counts; undefined for one that proves nothing. */
function outcomeOf(exchange: Exchange): 'accepted' | 'refused' | undefined {
  const status = 'failure' in exchange ? 0 : exchange.status;
  if (status >= 200 && status < 300) return 'accepted';
  // These three are about the moment, not about the request.
  const isRefusal = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  return isRefusal ? 'refused' : undefined;
}

const expectations: Readonly<Record<ConformanceExpectation, string>> = {
  accepted: 'accepted (2xx)',
  refused: 'refused (4xx)',
  json_media_type: 'accepted (2xx), with a body of type application/json, if any',
  json_text: 'accepted (2xx), with a body of JSON, if any',
};

function judgeResponse(expected: ConformanceExpectation, response: ReceivedResponse): Judgement {
  const outcome = outcomeOf(response);
  if (outcome === undefined) {
    return inconclusive(
      `status ${response.status} proves nothing: 2xx accepts, and 4xx but 408, 425 and 429 refuses`,
    );
  }
  if ((outcome === 'refused') !== (expected === 'refused')) return { verdict: 'fail' };
  const { mediaType = '', text, isWhole } = response;
  // Without a body, nothing can have the wrong media type or syntax.
  if (text === '') return { verdict: 'pass' };
  if (expected === 'json_media_type' && !/^application\/json[ \t]*(?:;|$)/i.test(mediaType)) {
    return { verdict: 'fail', reason: `the body has ${mediaType === '' ? 'no' : 'another'} media type` };
  }
  if (expected === 'json_text' && !isWhole) return inconclusive('the body is too long to be read to its end');
  if (expected === 'json_text' && !isJson(text)) return { verdict: 'fail', reason: 'the body is not JSON' };
  return { verdict: 'pass' };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function quote(
  { status, mediaType, location, text, isWhole }: ReceivedResponse,
  redact: (text: string) => string,
): ConformanceActual {
  const quoted = (part: string | undefined) => part && shorten(redact(part));
  // The end of a body that is not whole could be a part of a key, which no redactor recognises.
  const excerpt = isWhole && text !== '' ? quoted(text) : undefined;
  return { status, mediaType: quoted(mediaType), location: quoted(location), excerpt };
}

function shorten(text: string): string {
  return text.length > 160 ? `${text.slice(0, 159).toWellFormed()}…` : text;
}
