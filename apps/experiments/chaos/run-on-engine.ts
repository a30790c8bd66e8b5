import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startMockOrderService } from '@orders/testing';
import { freePort } from '../../../.ci/free-ports.ts';
import { startPostgres } from '../../../.ci/start-postgres.ts';
import { ProxyServer, Sandbox, varnish } from '../proxies/proxies.ts';
import { type PgBouncer, startPooler } from './pooler.ts';
import type { Engine } from './protocol.ts';
import { type ChaosPlace, type ChaosReport, type ChaosSize, runChaos } from './run-chaos.ts';

/** What stands between workers and the service, and between workers and PostgreSQL: they take turns. */
export interface Between {
  readonly service: readonly ('direct' | 'varnish')[];
  readonly database: readonly ('direct' | PgBouncer)[];
  /** How many prepared statements PgBouncer follows. @default its own */
  readonly preparedStatements?: number | undefined;
}

/** Runs chaos on a service and a database of its own; undefined where there is no PostgreSQL for this platform. */
export async function runOnEngine(
  engine: Engine,
  size: ChaosSize,
  between: Between,
): Promise<ChaosReport | undefined> {
  await using started = new AsyncDisposableStack();
  const interruption = new AbortController();
  const onSignal = (): void => interruption.abort();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.once(name, onSignal);
    started.defer(() => void process.off(name, onSignal));
  }
  const service = started.use(await startMockOrderService({ orders: size.orders }));
  const baseUrls: string[] = [];
  for (const each of between.service) {
    if (each === 'direct') baseUrls.push(service.url);
    else baseUrls.push(await startVarnish(service.url, started));
  }
  const place = { engine, service, baseUrls, interrupted: interruption.signal };
  if (engine === 'pglite') {
    const folder = await mkdtemp(join(tmpdir(), 'orders-chaos-'));
    started.defer(() => rm(folder, { recursive: true, force: true }));
    return await runChaos(size, { ...place, places: [folder] });
  }
  const database = await startDatabase(between, started);
  return database && (await runChaos(size, { ...place, ...database }));
}

/** Starts a Varnish with its default configuration. Resolves with its URL. */
async function startVarnish(serviceUrl: string, started: AsyncDisposableStack): Promise<string> {
  const sandbox = started.use(new Sandbox());
  const port = await freePort();
  const backends = [Number(new URL(serviceUrl).port)];
  await new ProxyServer(varnish(), { dir: sandbox.dir, port, backends }, sandbox).start();
  return `http://127.0.0.1:${port}`;
}

async function startDatabase(
  { database, preparedStatements }: Between,
  started: AsyncDisposableStack,
): Promise<Pick<ChaosPlace, 'places' | 'restartDatabase'> | undefined> {
  const postgres = await startPostgres();
  if (!postgres) return undefined;
  started.use(postgres);
  const places: string[] = [];
  for (const each of database) {
    if (each === 'direct') places.push(postgres.connectionString);
    else {
      const pooler = await startPooler(each, postgres.connectionString, { poolSize: 12, preparedStatements });
      places.push(started.use(pooler).connectionString);
    }
  }
  return {
    places,
    async restartDatabase() {
      await postgres.stop();
      await postgres.start();
    },
  };
}
