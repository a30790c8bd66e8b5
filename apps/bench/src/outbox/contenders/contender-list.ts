import type { Engine } from '../servers/places.ts';
import type { Contender, ContenderSettings } from './contender.ts';

interface ContenderEntry {
  /** What tables call it. */
  readonly label: string;
  readonly engine: Engine;
  /** The package whose version is told. */
  readonly from: string;
  /** Loads it, in the process that plays it alone. */
  readonly start: (settings: ContenderSettings) => Promise<Contender>;
}

/** Everything that is measured, in the order of tables; the names are those of `--queues`. */
export const contenderList = {
  'ours-pglite': {
    label: 'ours, PGlite',
    engine: 'pglite',
    from: '@orders/outbox',
    start: async (settings) => (await import('./ours.ts')).startOursOnPglite(settings),
  },
  ours: {
    label: 'ours, PostgreSQL',
    engine: 'postgres',
    from: '@orders/outbox',
    start: async (settings) => (await import('./ours.ts')).startOursOnPostgres(settings),
  },
  graphile: {
    label: 'graphile-worker',
    engine: 'postgres',
    from: 'graphile-worker',
    start: async (settings) => (await import('./graphile-worker.ts')).startGraphileWorker(settings),
  },
  'graphile-batched': {
    label: 'graphile-worker, in batches',
    engine: 'postgres',
    from: 'graphile-worker',
    start: async (settings) => (await import('./graphile-worker.ts')).startGraphileWorkerInBatches(settings),
  },
  'graphile-books': {
    label: 'graphile-worker, in batches, outcomes kept',
    engine: 'postgres',
    from: 'graphile-worker',
    start: async (settings) => (await import('./graphile-worker.ts')).startGraphileWorkerWithBooks(settings),
  },
  'pg-boss': {
    label: 'a plain queue of pg-boss',
    engine: 'postgres',
    from: 'pg-boss',
    start: async (settings) => (await import('./plain-pg-boss.ts')).startPlainPgBoss(settings),
  },
  bullmq: {
    label: 'BullMQ, without order',
    engine: 'redis',
    from: 'bullmq',
    start: async (settings) => (await import('./bullmq.ts')).startBullmq(settings),
  },
} as const satisfies Record<string, ContenderEntry>;

export type ContenderName = keyof typeof contenderList;

export const contenderNames = Object.keys(contenderList) as readonly ContenderName[];
