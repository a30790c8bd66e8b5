import { openLab } from '../lab/lab.ts';
import type { BreakageName } from '../packing/breakage.ts';
import { breakages } from '../packing/breakage.ts';
import { matrixTable, reasonsOf, totalsOf } from '../report/matrix-table.ts';
import { showProgress } from '../report/show-progress.ts';
import type { Row } from '../rows/row.ts';
import { type Result, runRows } from '../rows/run-rows.ts';

export interface MatrixOptions {
  readonly rows: readonly Row[];
  readonly broken?: BreakageName | undefined;
  readonly keep: boolean;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** Runs rows against what is packed now, prints them as a table, and gives their results. */
export async function runMatrix({
  rows,
  broken,
  keep,
  signal,
  say,
}: MatrixOptions): Promise<readonly Result[]> {
  const startedAt = performance.now();
  await using lab = await openLab({ broken, keep, signal });
  if (broken) say(`Broken on purpose: ${breakages[broken].what}`);
  const results = await runRows(rows, lab, showProgress(rows.length));
  say(matrixTable(results));
  if (keep) say(`The projects are in ${lab.folder}`);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  say([reasonsOf(results), `${totalsOf(results)}, ${seconds} s`].filter((text) => text !== '').join('\n\n'));
  return results;
}
