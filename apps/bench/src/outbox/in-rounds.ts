import { type Progress, throughEach } from '../measure/progress.ts';
import { alternate } from '../measure/rounds.ts';

/** The rounds of one row; those of the same index were run next to each other. */
export interface Rounds<Row, Figures> {
  readonly row: Row;
  readonly rounds: readonly Figures[];
}

/** Measures rows in alternating rounds. */
export async function inRounds<Row, Figures>(
  rows: readonly Row[],
  measure: (row: Row) => Promise<Figures>,
  {
    title,
    rounds,
    progress,
  }: { readonly title: string; readonly rounds: number; readonly progress: Progress },
): Promise<Rounds<Row, Figures>[]> {
  if (rows.length === 0) return [];
  const measured = new Map(rows.map((row): [Row, Figures[]] => [row, []]));
  await throughEach(progress, title, alternate(rows, rounds), async (row) => {
    measured.get(row)?.push(await measure(row));
  });
  return [...measured].map(([row, figures]) => ({ row, rounds: figures }));
}
