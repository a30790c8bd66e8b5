import type { ConformanceOptions } from './conformance-options.ts';
import { createConformanceRun } from './conformance-run.ts';
import { describeResult } from './describe-result.ts';
import { readOptions } from './read-options.ts';

/** The part of a test framework that is used; `test` of vitest and of `node:test` both have it. */
export interface ConformanceTest {
  (name: string, body: () => Promise<void>): unknown;
  readonly skip: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * Makes a test of every case, which fails with what was expected and what came; a case to skip is a skipped test.
 *
 * The tests send to the service one request after the other, each within `timeoutMs`; keep it below the framework's own
 * limit, so that a stalled service is told as one.
 *
 * @throws {TypeError} When an option cannot be used; the message shows no key.
 */
export function registerConformance(
  test: ConformanceTest,
  options: Omit<ConformanceOptions, 'onResult'>,
): void {
  const run = createConformanceRun(readOptions(options));
  for (const one of run.cases) {
    const name = `${one.id}: ${one.title}`;
    const reason = run.skipReason(one);
    const body = async () => {
      const result = await run.judge(one);
      if (result.verdict === 'differs' || result.verdict === 'error') throw new Error(describeResult(result));
    };
    if (reason === undefined) test(name, body);
    else test.skip(`${name} (${reason})`, body);
  }
}
