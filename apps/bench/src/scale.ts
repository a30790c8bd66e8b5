import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { styleText } from 'node:util';
import { showProgress } from './cli/show-progress.ts';
import { buildScaleResult } from './outbox/build-scale-result.ts';
import { formatScale, formatScalePage } from './outbox/format-scale.ts';
import { runScale } from './outbox/run-scale.ts';
import { readScaleArguments, type ScaleOrder } from './outbox/scale-arguments.ts';
import type { ScaleResult } from './outbox/scale-result.ts';
import { readSurroundings } from './report/surroundings.ts';

const results = join(import.meta.dirname, '..', 'results');

/** How long ending everything may take when a run is broken off, in milliseconds. */
const longestEndMs = 15_000;

const wanted = readScaleArguments(process.argv.slice(2));
if (wanted.wish === 'print') process.stdout.write(wanted.text);
else if (wanted.wish === 'none') fail(wanted.mistake, 2);
else await run(wanted.order);

async function run({ settings, json, record }: ScaleOrder): Promise<void> {
  const ending = new AsyncDisposableStack();
  let isBrokenOff = false;
  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      isBrokenOff = true;
      // A server that the same signal has ended already may be waited for in vain.
      setTimeout(() => process.exit(exitCode), longestEndMs);
      void ending.disposeAsync().finally(() => process.exit(exitCode));
    });
  }
  try {
    const measured = await runScale(settings, showProgress(process.stderr), ending);
    const result = buildScaleResult(measured, readSurroundings());
    const bold = (text: string): string => styleText('bold', text, { stream: process.stdout });
    process.stdout.write(`${json ? JSON.stringify(result, shorten, 2) : formatScale(result, bold)}\n`);
    if (record !== undefined) await keep(record, result);
    if (result.targets.some(({ holds }) => holds === false)) fail('a target does not hold.', 1);
  } catch (error) {
    // What is ended under way fails, and that is nothing to tell.
    if (!isBrokenOff) fail(error instanceof Error ? error.message : String(error), 1);
  } finally {
    if (!isBrokenOff) await ending.disposeAsync();
  }
}

async function keep(name: string, result: ScaleResult): Promise<void> {
  await mkdir(results, { recursive: true });
  await writeFile(join(results, `${name}.json`), `${JSON.stringify(result, shorten, 2)}\n`);
  await writeFile(join(results, `${name}.md`), `${formatScalePage(result)}\n`);
}

/** Four digits are more than a measurement is worth. */
function shorten(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`scale: ${message}\n`);
  process.exitCode = exitCode;
}
