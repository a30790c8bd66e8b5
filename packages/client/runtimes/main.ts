/** Runs the suite in every runtime against the built package, prints the table, and fails when a row differs. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { type Column, columns } from './columns.ts';
import type { Places } from './context.ts';
import { startPlaces } from './places.ts';
import { runInProcess } from './run-in-process.ts';
import { runInWorkerd } from './run-in-workerd.ts';
import { cases, type Result } from './suite.ts';
import { failuresOf, markOf, marksOf, type Run, tableOf } from './table.ts';

const longestMs = 120_000;
const atOnce = availableParallelism();

const runs = await runAll();
const marks = cases.flatMap((each) => runs.map((run) => markOf(each, run)));
const failures = failuresOf(cases, runs);
const count = (mark: (typeof marks)[number]): number => marks.filter((each) => each === mark).length;

say('', tableOf(cases, runs), '', ...marksOf(cases, runs), '', ...failures);
say(`${count('same')} as over undici in Node, ${count('marked')} as marked (?), ${count('failed')} failed`);
// Not only its code: a runtime that did not end in time is ended with this process.
process.exit(failures.length === 0 ? 0 : 1);

async function runAll(): Promise<readonly Run[]> {
  await using places = await startPlaces();
  const done: Run[] = [];
  const waiting = [...columns];
  const worker = async (): Promise<void> => {
    for (let column = waiting.shift(); column; column = waiting.shift()) {
      const startedAt = performance.now();
      const run = await runColumn(column, places);
      done.push(run);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      say(`${column.runtime} ${column.entry}: ${run.results.size} of ${cases.length} cases in ${seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return columns.flatMap((column) => done.filter((run) => run.column === column));
}

async function runColumn(column: Column, places: Places): Promise<Run> {
  const signal = AbortSignal.timeout(longestMs);
  const late = once(signal, 'abort').then(() => Promise.reject(signal.reason));
  const running =
    column.runtime === 'workerd' ? runInWorkerd(places, signal) : runInProcess(column, places, signal);
  try {
    const output = await Promise.race([running, late]);
    const results = output
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Result => JSON.parse(line));
    return { column, results: new Map(results.map((result) => [result.name, result])) };
  } catch (error) {
    return { column, results: new Map(), failure: String(error) };
  }
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
