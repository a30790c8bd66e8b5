/** Runs every case against what is installed here, prints the table, and fails when a row does. */
import './loopback-only.ts';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Result, runCase } from './case.ts';
import { casesWith } from './cases.ts';
import { readOpenApi } from './documents.ts';
import { findCurl } from './http-peers/curl.ts';
import { startPrism } from './prism.ts';
import { record, versionsWith } from './record.ts';
import { tableOf, totalsOf } from './table.ts';

const longestMs = 300_000;

// What was started ends with this process, whichever way it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
setTimeout(() => {
  say(`Not over after ${longestMs} ms.`);
  process.exit(1);
}, longestMs).unref();

const { record: isRecorded } = readFlags();
const curl = await findCurl();
const versions = versionsWith(curl);
say(versions, '');
const results = await runAll();
say(tableOf(results), '', totalsOf(results));
if (isRecorded) record(results, versions);
// Not only its code: a case that did not end in time is ended with this process.
process.exit(results.some(({ verdict }) => verdict === 'failed') ? 1 : 0);

async function runAll(): Promise<readonly Result[]> {
  await using mock = await startPrism(readOpenApi());
  const done: Result[] = [];
  for (const each of casesWith(curl)) done.push(await runCase(each, { mock }));
  return done;
}

function readFlags(): { readonly record: boolean } {
  try {
    const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
    return values;
  } catch (error) {
    process.stderr.write(`interop: ${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
