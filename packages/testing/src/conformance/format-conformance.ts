import Table from 'cli-table3';
import type { ConformanceReport, ConformanceResult, ConformanceVerdict } from './conformance-report.ts';
import { describeResult } from './describe-result.ts';

/** How a report is shown. */
export interface FormatConformanceOptions {
  /** Colours the verdict of a case, such as with `styleText` of `node:util`. @default no colour */
  readonly paint?: (text: string, verdict: ConformanceVerdict) => string;
}

/** Everything that was found: a table with a row for each case, then what differs or could not be judged in full. */
export function formatConformance(report: ConformanceReport, options: FormatConformanceOptions = {}): string {
  const { paint = (text) => text } = options;
  const { results } = report;
  const table = new Table({
    head: ['case', 'verdict', 'answer', 'section', 'strength'],
    style: { head: [], border: [], compact: true },
  });
  for (const { id, verdict, actual, source, strength } of results) {
    table.push([id, paint(verdict, verdict), actual?.status ?? '', source, strength]);
  }
  const amiss = results.filter(({ verdict }) => verdict === 'differs' || verdict === 'error');
  return [table.toString(), ...amiss.map(describeResult), ...listSkipped(results), sum(report)].join('\n\n');
}

/** One line for each reason, since many cases share one. */
function listSkipped(results: readonly ConformanceResult[]): string[] {
  const idsOf = Map.groupBy(
    results.filter(({ verdict }) => verdict === 'skipped'),
    ({ reason = '' }) => reason,
  );
  const lines = [...idsOf].map(([reason, { length }]) => `Skipped ${length}: ${reason}.`);
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function sum({ baseUrl, counts, results }: ConformanceReport): string {
  const implied = results.filter(
    ({ verdict, strength }) => verdict === 'differs' && strength === 'implied',
  ).length;
  const differing = `${counts.differs} differed${implied === 0 ? '' : ` (${implied} of them implied only)`}`;
  return `${baseUrl}: ${counts.pass} passed, ${differing}, ${counts.error} could not be judged, ${counts.skipped} skipped.`;
}
