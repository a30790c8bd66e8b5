/** Runs the cases in every runtime against the built package, prints a table, and fails when a case fails. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { styleText } from 'node:util';
import { fuzzResponses } from '../../../packages/client/test/fuzz-responses.ts';
import { cases, expectedIn } from './cases.ts';
import { commands, runInProcess } from './run-in-process.ts';
import { runInWorkerd } from './run-in-workerd.ts';
import { type Service, startService } from './service.ts';

const main = '@orders/client';
const byName = '@orders/client/fetch';
const columns = [
  { name: 'node22', runtime: 'node', specifier: main, transport: 'undici' },
  { name: 'node22', runtime: 'node', specifier: byName, transport: 'fetch' },
  { name: 'node24', runtime: 'node', specifier: main, transport: 'undici' },
  { name: 'node24', runtime: 'node', specifier: byName, transport: 'fetch' },
  { name: 'node26', runtime: 'node', specifier: main, transport: 'undici' },
  { name: 'node26', runtime: 'node', specifier: byName, transport: 'fetch' },
  { name: 'deno', runtime: 'deno', specifier: main, transport: 'undici' },
  { name: 'deno', runtime: 'deno', specifier: byName, transport: 'fetch' },
  { name: 'bun', runtime: 'bun', specifier: main, transport: 'fetch' },
  { name: 'workerd', runtime: 'workerd', specifier: main, transport: 'fetch' },
] as const;
type Column = (typeof columns)[number];

const signs = {
  holds: styleText('green', '✓'),
  marked: styleText('yellow', '?'),
  failed: styleText('red', '✗'),
};
const width = 9;
const nameWidth = Math.max(...Object.keys(cases).map(({ length }) => length)) + 2;

const results = new Map<Column, Record<string, string>>();
await runAll();

const counts = { holds: 0, marked: 0, failed: 0 };
const marks = new Map<string, string[]>();
const failures: string[] = [];
say('');
for (const key of ['name', 'transport'] as const)
  say(' '.repeat(nameWidth) + columns.map((column) => column[key].padEnd(width)).join(''));
for (const [name, each] of Object.entries(cases)) {
  const row = columns.map((column) => {
    const [expected, reason] = expectedIn(each, column);
    const result = results.get(column)?.[name] ?? 'no result';
    const state = result !== expected ? 'failed' : reason ? 'marked' : 'holds';
    counts[state] += 1;
    if (state === 'failed' && results.has(column))
      failures.push(
        `✗ ${column.name} ${column.transport}, ${name}\n    expected: ${expected}\n    received: ${result}`,
      );
    if (state === 'marked') {
      const mark = `? ${name}: ${each.expected}\n    ${expected}, since ${reason}: `;
      marks.set(mark, [...(marks.get(mark) ?? []), column.name]);
    }
    return signs[state] + ' '.repeat(width - 1);
  });
  say(name.padEnd(nameWidth) + row.join(''));
}
say('', ...[...marks].map(([mark, where]) => mark + where.join(', ')), '', ...failures);
say(`${counts.holds} hold, ${counts.marked} marked, ${counts.failed} failed`);

// Compiled from the sources: what the table needs is built, and these have Node alone.
const responseCount = 20_000;
let isFuzzed = true;
for (const name of ['node22', 'node24', 'node26'] as const)
  for (const specifier of [main, byName]) {
    const [node] = commands[name];
    try {
      const { counts, untrue } = await fuzzResponses({ specifier, node, count: responseCount, seed: 1 });
      isFuzzed &&= untrue.length === 0;
      say(
        `${name}: ${specifier} after ${responseCount} hostile responses: ${JSON.stringify(counts)}`,
        ...untrue,
      );
    } catch (error) {
      isFuzzed = false;
      say(`✗ ${name}: ${specifier} did not survive hostile responses: ${error}`);
    }
  }
// Not only its code: a runtime that did not end in time dies with this process.
process.exit(counts.failed === 0 && isFuzzed ? 0 : 1);

async function runAll(): Promise<void> {
  await using service = await startService();
  const waiting = [...columns];
  const work = async (): Promise<void> => {
    for (let column = waiting.shift(); column; column = waiting.shift()) {
      const startedAt = performance.now();
      const label = `${column.name}: ${column.specifier}`;
      try {
        results.set(column, JSON.parse(await runColumn(column, service)));
        say(`${label} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
      } catch (error) {
        say(`✗ ${label}: ${error}`);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

async function runColumn({ name, specifier, transport }: Column, service: Service): Promise<string> {
  const signal = AbortSignal.timeout(120_000);
  const late = once(signal, 'abort').then(() => Promise.reject(signal.reason));
  const running =
    name === 'workerd'
      ? runInWorkerd(service, signal)
      : runInProcess(commands[name], [specifier, transport], service, signal);
  return Promise.race([running, late]);
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
