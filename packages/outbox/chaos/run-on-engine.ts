import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startPostgres } from '../../../.ci/start-postgres.ts';
import type { Engine } from './protocol.ts';
import { type ChaosOptions, type ChaosReport, runChaos } from './run-chaos.ts';

/** What a run does, wherever it keeps its outbox. */
export type RunOptions = Omit<ChaosOptions, 'engine' | 'place' | 'restartDatabase'>;

/** Runs chaos on a database of its own; undefined where there is no PostgreSQL for this platform. */
export function runOnEngine(engine: Engine, options: RunOptions): Promise<ChaosReport | undefined> {
  return engine === 'pglite' ? onFolder(options) : onPostgres(options);
}

async function onFolder(options: RunOptions): Promise<ChaosReport> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-'));
  try {
    return await runChaos({ ...options, engine: 'pglite', workers: 1, place: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function onPostgres(options: RunOptions): Promise<ChaosReport | undefined> {
  const database = await startPostgres();
  if (!database) return undefined;
  const restartDatabase = async (): Promise<void> => {
    await database.stop();
    await database.start();
  };
  const onSignal = (): void => void database.close().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
  try {
    const place = database.connectionString;
    return await runChaos({ ...options, engine: 'postgres', place, restartDatabase });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
    await database.close();
  }
}
