import { styleText } from 'node:util';
import type { ConformanceStrength } from './cases.ts';

/** `error`: a request was sent, but nothing came back that proves anything. `skipped`: nothing was sent. */
export type ConformanceVerdict = 'pass' | 'fail' | 'error' | 'skipped';

/** A response. Every text is on one line, shortened, and without keys and tokens. */
export interface ConformanceActual {
  readonly status: number;
  readonly mediaType?: string | undefined;
  /** Where a redirect points. */
  readonly location?: string | undefined;
  /** How the body starts; absent for an empty body, and for one over 64 KiB. */
  readonly excerpt?: string | undefined;
}

/** What came of one case. */
export interface ConformanceResult {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly strength: ConformanceStrength;
  readonly verdict: ConformanceVerdict;
  /** The documented response, in words. */
  readonly expected: string;
  /** Absent without a complete response. */
  readonly actual?: ConformanceActual | undefined;
  /** Why it was skipped, proves nothing, or fails in spite of its status. */
  readonly reason?: string | undefined;
  readonly durationMs: number;
}

/** Plain JSON data without keys and order tokens. */
export interface ConformanceReport {
  readonly baseUrl: string;
  readonly counts: Readonly<Record<ConformanceVerdict, number>>;
  /** In the order of `conformanceCases`. */
  readonly results: readonly ConformanceResult[];
}

export function countVerdicts(results: readonly ConformanceResult[]): ConformanceReport['counts'] {
  const counts = { pass: 0, fail: 0, error: 0, skipped: 0 };
  for (const { verdict } of results) counts[verdict]++;
  return counts;
}

/** The expected and the actual response, and where the document describes it. */
export function describeResult(result: ConformanceResult): string {
  const { id, title, source, strength, expected, actual, reason } = result;
  const { status, mediaType = 'no media type', location, excerpt } = actual ?? {};
  const target = location === undefined ? '' : ` to ${location}`;
  const body = excerpt === undefined ? '' : `: ${excerpt}`;
  const received = actual === undefined ? 'no complete response' : `${status}${target}, ${mediaType}${body}`;
  return [
    `${id}: ${title} (API reference, ${source}; ${strength})`,
    `  expected: ${expected}`,
    `  received: ${received}`,
    ...(reason === undefined ? [] : [`  reason:   ${reason}`]),
  ].join('\n');
}

/** Options of `formatConformance`. */
export interface FormatConformanceOptions {
  /** Colours the verdicts, where this stream supports colours. @default no colours */
  readonly stream?: NodeJS.WritableStream;
}

const colours = { pass: 'green', fail: 'red', error: 'yellow', skipped: 'gray' } as const;

/**
 * Formats results, of `runConformance` or of any other runner: a line for each, details of each `fail` and `error`, the
 * reasons for skipping, and a summary.
 */
export function formatConformance(
  { baseUrl, results }: Pick<ConformanceReport, 'baseUrl' | 'results'>,
  { stream }: FormatConformanceOptions = {},
): string {
  const width = Math.max(0, ...results.map(({ id }) => id.length));
  const lines = results.map(({ id, verdict, actual, source, strength }) => {
    const word = verdict.padEnd(7);
    const coloured = stream === undefined ? word : styleText(colours[verdict], word, { stream });
    return `${coloured}  ${id.padEnd(width)}  ${`${actual?.status ?? ''}`.padEnd(3)}  ${source} (${strength})`;
  });
  const details = results
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'error')
    .map(describeResult);
  const skipped = Map.groupBy(
    results.filter(({ verdict }) => verdict === 'skipped'),
    ({ reason }) => reason,
  );
  const reasons = [...skipped].map(([reason, { length }]) => `Skipped ${length}: ${reason}.`);
  const counts = countVerdicts(results);
  const implied = results.filter(
    ({ verdict, strength }) => verdict === 'fail' && strength === 'implied',
  ).length;
  const failed = `${counts.fail} failed${implied === 0 ? '' : ` (${implied} of them only implied)`}`;
  const summary = `${baseUrl}: ${counts.pass} passed, ${failed}, ${counts.error} inconclusive, ${counts.skipped} skipped.`;
  return [lines, ...details, reasons, summary]
    .map((part) => [part].flat().join('\n'))
    .filter((part) => part !== '')
    .join('\n\n');
}
