import type { ConformanceOptions } from './conformance-options.ts';
import type { ConformanceReport, ConformanceResult, ConformanceVerdict } from './conformance-report.ts';
import { createConformanceRun } from './conformance-run.ts';
import { readOptions } from './read-options.ts';

/**
 * Asks a service for every answer that the interface document promises, one request at a time, and tells which differ.
 *
 * What the service does never makes it reject. Without `disposable`, nothing is sent that could change the order.
 *
 * @throws {TypeError} When an option cannot be used; the message shows no key.
 * @throws The reason of `signal`, once it aborts.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const settings = readOptions(options);
  const { cases, judge } = createConformanceRun(settings);
  const results: ConformanceResult[] = [];
  for (const one of cases) {
    settings.signal?.throwIfAborted();
    const result = await judge(one);
    results.push(result);
    options.onResult?.(result, { done: results.length, total: cases.length });
  }
  const count = (wanted: ConformanceVerdict) => results.filter(({ verdict }) => verdict === wanted).length;
  return {
    baseUrl: settings.scrub(settings.baseUrl),
    counts: {
      pass: count('pass'),
      differs: count('differs'),
      skipped: count('skipped'),
      error: count('error'),
    },
    results,
  };
}
