import { countOutcomes, type SoakCheck, type SoakRecord } from '../soak/judge-soak.ts';
import { section } from './section.ts';

/** What a soak found, as tables in plain text. */
export function formatSoak(record: SoakRecord, checks: readonly SoakCheck[]): string {
  const byCount = (counts: Readonly<Record<string, number>>): string[][] =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => [name, count.toLocaleString('en')]);
  return [
    section('Outcomes', [['', 'calls'], ...byCount(countOutcomes(record))]),
    section('Faults', [['', 'met'], ...byCount(record.faults)]),
    section('Checks', [
      ['', 'found', 'holds'],
      ...checks.map(({ check, found, holds }) => [check, found, holds ? 'yes' : 'NO']),
    ]),
  ].join('\n\n');
}
