#!/usr/bin/env node
import process from 'node:process';
import { styleText } from 'node:util';
import type { ConformanceOptions, ConformanceProgress } from '../conformance/conformance-options.ts';
import type { ConformanceResult, ConformanceVerdict } from '../conformance/conformance-report.ts';
import { formatConformance } from '../conformance/format-conformance.ts';
import { runConformance } from '../conformance/run-conformance.ts';
import { readConformanceArguments, type Shown } from './conformance-arguments.ts';
import { conformanceExitCode } from './conformance-exit-code.ts';
import { formatConformanceList } from './conformance-list.ts';
import { readVersion } from './read-version.ts';

const CLEAR_LINE = '\r\u001b[K';
const COLOURS = { pass: 'green', differs: 'red', error: 'yellow', skipped: 'gray' } as const;

// Whoever read the output may leave; the exit code tells all the same.
process.stdout.on('error', () => {});

const wanted = readConformanceArguments(process.argv.slice(2), {
  key: process.env['ORDERS_API_KEY'],
  otherKey: process.env['ORDERS_OTHER_API_KEY'],
  version: readVersion(),
});
if (wanted.wish === 'print') process.stdout.write(wanted.text);
else if (wanted.wish === 'list') process.stdout.write(`${formatConformanceList(wanted.asJson)}\n`);
else if (wanted.wish === 'none') fail(wanted.mistake, 2);
else {
  // An error that nobody caught would end with 1, which says that an answer differs.
  await run(wanted.options, wanted.shown).catch((error: unknown) => {
    fail(`the run failed: ${error instanceof Error ? error.message : 'for no known reason'}`, 3);
  });
}

async function run(options: ConformanceOptions, { asJson, implied }: Shown): Promise<void> {
  const report = await runConformance({ ...options, onResult: showProgress });
  if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  process.stdout.write(
    `${asJson ? JSON.stringify(report, undefined, 2) : formatConformance(report, { paint })}\n`,
  );
  process.exitCode = conformanceExitCode(report, implied);
}

function showProgress({ id }: ConformanceResult, { done, total }: ConformanceProgress): void {
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${done}/${total} ${id}`);
}

/** Plain where the output is no terminal, and under NO_COLOR. */
function paint(text: string, verdict: ConformanceVerdict): string {
  return styleText(COLOURS[verdict], text, { stream: process.stdout });
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`orders-conformance: ${message.replace(/\s+/g, ' ')}\n`);
  process.exitCode = exitCode;
}
