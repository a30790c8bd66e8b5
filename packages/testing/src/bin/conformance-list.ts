import Table from 'cli-table3';
import { conformanceCases } from '../conformance/conformance-cases.ts';

/** The cases, for a person to choose from or as JSON. */
export function formatConformanceList(asJson: boolean): string {
  if (asJson) return JSON.stringify(conformanceCases, undefined, 2);
  const table = new Table({
    head: ['case', 'what must hold', 'section', 'strength', 'may change'],
    colWidths: [null, 52],
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  });
  for (const { id, title, source, strength, changes } of conformanceCases) {
    table.push([id, title, source, strength, changes]);
  }
  return table.toString();
}
