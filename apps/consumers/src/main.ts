/** Uses the packages as their users will, before they are published. */
import process from 'node:process';
import { type Arguments, readArguments } from './cli/read-arguments.ts';
import { rehearseRelease } from './commands/rehearse-release.ts';
import { runBroken } from './commands/run-broken.ts';
import { runMatrix } from './commands/run-matrix.ts';
import { runNewcomer } from './commands/run-newcomer.ts';
import { prepare } from './machine/prepare.ts';
import type { Row } from './rows/row.ts';
import { rows } from './rows/row-list.ts';

type Order = Exclude<Arguments, { readonly wish: 'print' | 'none' | 'list' }>;

const longestMs = 20 * 60_000;

const stop = new AbortController();
// Whatever runs is ended, what was opened is removed, and only then does this end.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => stop.abort(new Error('Stopped.')));
const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(longestMs)]);

const wanted = readArguments(process.argv.slice(2));
if (wanted.wish === 'print') process.stdout.write(wanted.text);
else if (wanted.wish === 'none') fail(wanted.mistake, 2);
else if (wanted.wish === 'list')
  say(
    chosenBy(wanted)
      .map(({ name }) => name)
      .join('\n'),
  );
else await work(wanted);

async function work(order: Order): Promise<void> {
  try {
    if ('only' in order && chosenBy(order).length === 0) return fail('--only finds no row; see --list.', 2);
    await prepare(signal, (what) => process.stderr.write(`${what}\n`));
    if (!(await run(order))) process.exitCode = 1;
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error), 1);
  }
}

async function run(order: Order): Promise<boolean> {
  switch (order.wish) {
    case 'matrix': {
      const results = await runMatrix({ ...order, rows: chosenBy(order), signal, say });
      return results.every(({ reason }) => reason === undefined);
    }
    case 'broken':
      return runBroken({ ...order, rows: chosenBy(order), signal, say });
    case 'newcomer':
      return runNewcomer({ ...order, signal, say });
    case 'release':
      return rehearseRelease(signal);
  }
}

function chosenBy({ only }: { readonly only: RegExp }): readonly Row[] {
  return rows.filter(({ name }) => only.test(name));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`consumers: ${message}\n`);
  process.exitCode = exitCode;
}
