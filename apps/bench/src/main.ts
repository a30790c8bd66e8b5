import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { styleText } from 'node:util';
import { type BenchOrder, readBenchArguments } from './cli/bench-arguments.ts';
import { showProgress } from './cli/show-progress.ts';
import { buildResult } from './report/build-result.ts';
import { drawChart } from './report/chart.ts';
import { readSurroundings } from './report/surroundings.ts';
import { formatResult } from './report/tables.ts';
import { runBenchmark } from './run-benchmark.ts';

const results = join(import.meta.dirname, '..', 'results');
const kept = { json: join(results, 'bench.json'), svg: join(results, 'bench.svg') };

const wanted = readBenchArguments(process.argv.slice(2), kept);
if (wanted.wish === 'print') process.stdout.write(wanted.text);
else if (wanted.wish === 'none') fail(wanted.mistake, 2);
else await run(wanted.order);

async function run({ settings, json, svg }: BenchOrder): Promise<void> {
  const measured = await runBenchmark(settings, showProgress(process.stderr));
  const result = buildResult(measured, readSurroundings());
  const bold = (text: string): string => styleText('bold', text, { stream: process.stdout });
  process.stdout.write(`${formatResult(result, bold)}\n`);
  const [smallest] = result.carts;
  try {
    if (json) await write(json, `${JSON.stringify(result, shorten, 2)}\n`);
    if (svg && smallest) await write(svg, `${drawChart(result, smallest)}\n`);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    fail(error.message, 1);
  }
}

/** Four digits are more than a measurement is worth. */
function shorten(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  process.stdout.write(`Wrote ${file}\n`);
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`bench: ${message}\n`);
  process.exitCode = exitCode;
}
