import type { Answer } from './answer.ts';
import { authorizationOf } from './authorization-of.ts';
import type { ConformanceCase, ConformanceRequest } from './conformance-case.ts';
import type { ConformanceResult } from './conformance-report.ts';
import { type Exchange, exchange } from './exchange.ts';
import { describeExpectation, type Judgement, judgeAnswer, outcomeOf } from './judge-answer.ts';
import { quoteAnswer } from './quote-service.ts';
import type { ConformanceSettings } from './read-options.ts';
import { ECHO, plainUpdate } from './requests.ts';
import { skipReasonOf } from './skip-reason.ts';

/** One service under test, and what is known of it so far. */
export interface ConformanceRun {
  readonly cases: readonly ConformanceCase[];
  /** Why a case is not to be tried; undefined when it is. */
  skipReason(one: ConformanceCase): string | undefined;
  /** Tries a case, or tells why not; rejects only with the reason of the run's signal. */
  judge(one: ConformanceCase): Promise<ConformanceResult>;
}

type Finding = Judgement & { readonly answer?: Answer };

export function createConformanceRun(settings: ConformanceSettings): ConformanceRun {
  const { baseUrl, context, scrub } = settings;
  const keys = { ...settings.keys, unknown: `unknown-${context.runId}` };

  const send = ({ method, path, headers, ...request }: ConformanceRequest): Promise<Exchange> => {
    const authorization = authorizationOf(request.authorization, keys);
    const body = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const init = {
      method,
      headers: authorization === undefined ? { ...headers } : { ...headers, authorization },
      ...(body === undefined ? {} : { body }),
    };
    return exchange(baseUrl + path, init, settings);
  };

  const baselines = new Map<ConformanceCase['baseline'], Promise<Exchange>>();
  const sendBaseline = (baseline: ConformanceCase['baseline']): Promise<Exchange> => {
    const before = baselines.get(baseline);
    if (before !== undefined) return before;
    const sent = send(baseline === 'echo' ? ECHO : plainUpdate(context));
    baselines.set(baseline, sent);
    return sent;
  };

  const find = async (one: ConformanceCase): Promise<Finding> => {
    const plain = `a plain ${one.baseline}`;
    const baseline = await sendBaseline(one.baseline);
    // A service that is away is not asked a hundred times.
    if ('failure' in baseline) return error(`not sent, because to ${plain} ${baseline.failure}`);
    // A service that refuses everything would refuse this as well, and so would one that does not know the key.
    if (!isPlainAcceptance(one) && outcomeOf(baseline) !== 'accepted') {
      return error(
        `not sent, because ${plain} was answered with ${baseline.status}, so the case would prove nothing`,
      );
    }
    if (one.before !== undefined) {
      const before = await send(one.before(context));
      if ('failure' in before) return error(`to the update before it, ${before.failure}`);
      if (outcomeOf(before) !== 'accepted')
        return error(`the update before it was answered with ${before.status}`);
    }
    const answer = await send(one.request(context));
    if ('failure' in answer) return error(answer.failure);
    return { ...judgeAnswer(one.expect, answer), answer };
  };

  return {
    cases: settings.cases,
    skipReason: (one) => skipReasonOf(one, settings),
    async judge(one) {
      const { id, title, source, strength } = one;
      const known = { id, title, source, strength };
      const expected = describeExpectation(one.expect);
      const reasonToSkip = skipReasonOf(one, settings);
      if (reasonToSkip !== undefined) {
        return { ...known, verdict: 'skipped', expected, reason: reasonToSkip, durationMs: 0 };
      }
      const begunAt = performance.now();
      const { verdict, reason, answer } = await find(one);
      return {
        ...known,
        verdict,
        expected,
        ...(answer === undefined ? {} : { actual: quoteAnswer(answer, scrub) }),
        ...(reason === undefined ? {} : { reason }),
        durationMs: Math.round(performance.now() - begunAt),
      };
    },
  };
}

function isPlainAcceptance({ expect }: ConformanceCase): boolean {
  return expect.outcome === 'accepted' && expect.body === undefined;
}

function error(reason: string): Finding {
  return { verdict: 'error', reason };
}
