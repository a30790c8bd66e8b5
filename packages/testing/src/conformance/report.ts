import { styleText } from 'node:util';
import type { ConformanceStrength } from './cases.ts';

/** `inconclusive`: what came back, here or to the request that must pass first, proves nothing; `skipped`: left out. */
export type ConformanceVerdict = 'pass' | 'fail' | 'inconclusive' | 'skipped';

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
  const counts = { pass: 0, fail: 0, inconclusive: 0, skipped: 0 };
  for (const { verdict } of results) counts[verdict]++;
  return counts;
}

/** The expected and the actual response, and the section of the API reference that describes it. */
export function describeResult(result: ConformanceResult): string {
  return `${describeCase(result)}\n${describeOutcome(result)}`;
}

function describeCase({ id, title, source, strength }: ConformanceResult): string {
  return `${id}: ${title} (API reference, ${source}; ${strength})`;
}

function describeOutcome({ expected, actual, reason }: ConformanceResult): string {
  const because = reason === undefined ? [] : [`  reason:   ${reason}`];
  return [`  expected: ${expected}`, ...describeActual(actual), ...because].join('\n');
}

/** No line without a response: the reason says why there is none. */
function describeActual(actual: ConformanceActual | undefined): readonly string[] {
  if (actual === undefined) return [];
  const { status, mediaType = 'no media type', location, excerpt } = actual;
  const target = location === undefined ? '' : ` to ${location}`;
  const body = excerpt === undefined ? '' : `: ${excerpt}`;
  return [`  received: ${status}${target}, ${mediaType}${body}`];
}

/** Options of `formatConformance`. */
export interface FormatConformanceOptions {
  /** Colours the verdicts, where this stream supports colours. @default no colours */
  readonly stream?: NodeJS.WritableStream | undefined;
}

const colours = { pass: 'green', fail: 'red', inconclusive: 'yellow', skipped: 'gray' } as const;

/**
 * Formats results, of `runConformance` or of any other runner: a line for each, details of each `fail`, every reason for
 * `inconclusive` with its cases and the first response, the reasons for skipping, and a summary. What has one cause, such
 * as a wrong key, is one paragraph.
 */
export function formatConformance(
  { baseUrl, results }: Pick<ConformanceReport, 'baseUrl' | 'results'>,
  { stream }: FormatConformanceOptions = {},
): string {
  const width = Math.max(0, ...results.map(({ id }) => id.length));
  const lines = results.map(({ id, verdict, actual, source }) => {
    const word = verdict.padEnd(12);
    const coloured = stream === undefined ? word : styleText(colours[verdict], word, { stream });
    return `${coloured}  ${id.padEnd(width)}  ${`${actual?.status ?? ''}`.padEnd(3)}  ${source}`;
  });
  const group = (wanted: ConformanceVerdict, by: (result: ConformanceResult) => string) => [
    ...Map.groupBy(
      results.filter(({ verdict }) => verdict === wanted),
      by,
    ),
  ];
  const reasonOf = ({ reason = '' }: ConformanceResult) => reason;
  const failures = group('fail', describeOutcome).map(([outcome, cases]) =>
    [...cases.map(describeCase), outcome].join('\n'),
  );
  const inconclusive = group('inconclusive', reasonOf).map(([reason, cases]) =>
    [
      `Inconclusive ${cases.length}: ${reason}.`,
      ...describeActual(cases[0]?.actual),
      `  cases:    ${cases.map(({ id }) => id).join(', ')}`,
    ].join('\n'),
  );
  const skipped = group('skipped', reasonOf).map(([reason, { length }]) => `Skipped ${length}: ${reason}.`);
  const counts = countVerdicts(results);
  const implied = results.filter(
    ({ verdict, strength }) => verdict === 'fail' && strength === 'implied',
  ).length;
  const failed = `${counts.fail} failed${implied === 0 ? '' : ` (${implied} of them only implied)`}`;
  const summary = `${baseUrl}: ${counts.pass} passed, ${failed}, ${counts.inconclusive} inconclusive, ${counts.skipped} skipped.`;
  return [lines, ...failures, ...inconclusive, skipped, summary]
    .map((part) => [part].flat().join('\n'))
    .filter((part) => part !== '')
    .join('\n\n');
}
