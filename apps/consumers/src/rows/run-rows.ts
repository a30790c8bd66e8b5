import { availableParallelism } from 'node:os';
import type { Lab } from '../lab/lab.ts';
import type { Row } from './row.ts';

/** What came of a row. */
export interface Result {
  readonly row: Row;
  readonly seconds: number;
  /** What it told, when it works. */
  readonly told?: string;
  /** Why it does not work. */
  readonly reason?: string;
}

/** Runs rows, as many at a time as there are cores, and gives their results in the order of the rows. Never rejects. */
export async function runRows(
  rows: readonly Row[],
  lab: Lab,
  onResult: (result: Result, done: number) => void,
): Promise<readonly Result[]> {
  const results = new Map<Row, Result>();
  const waiting = [...rows];
  const worker = async (): Promise<void> => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const result = await runRow(row, lab);
      results.set(row, result);
      onResult(result, results.size);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return rows.flatMap((row) => results.get(row) ?? []);
}

async function runRow(row: Row, lab: Lab): Promise<Result> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  try {
    lab.signal.throwIfAborted();
    const told = await row.run(lab);
    return { row, seconds: seconds(), told };
  } catch (error) {
    return { row, seconds: seconds(), reason: error instanceof Error ? error.message : String(error) };
  }
}
