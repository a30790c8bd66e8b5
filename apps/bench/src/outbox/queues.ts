import { setTimeout as delay } from 'node:timers/promises';
import type { OrdersClient } from '@orders/client';
import type { OutboxStore } from '@orders/outbox';
import type { OrderUpdate } from '@orders/schema';
import type { Worker } from 'bullmq';
import type { Runner, Task } from 'graphile-worker';
import { apiKey, cpuMs, monotonicMs, runConcurrently, tokenOf, updateAt } from '../workload.ts';

/** Updates to enqueue, one for each order in turn. */
export interface Workload {
  readonly updates: number;
  readonly orders: number;
}

export interface QueueSettings {
  /** A connection string, the socket of Redis, or the folder of PGlite. */
  readonly address: string;
  /** Processes that share the work. */
  readonly processes: number;
  /** Updates in flight, over all processes. */
  readonly inFlight: number;
  /** For the outbox only. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
}

/** One process of a queue. */
export interface Queue {
  /** Enqueues a workload, in sequence per order. */
  load(workload: Workload): Promise<void>;
  /** Sends what is queued, from now on. */
  work(): Promise<void>;
  /** Finishes what is in flight, stores the outcomes and disconnects. */
  stop(): Promise<void>;
  /** For the outbox only: enqueues an update and resolves with when it was called, by `monotonicMs`. */
  enqueue?(token: string, update: OrderUpdate): Promise<number>;
}

/** Starts a queue in the process that runs it; loads its library only there. */
type Start = (settings: QueueSettings, client: OrdersClient) => Promise<Queue>;

const startOnPglite: Start = async (settings, client) => {
  const { pgliteStore } = await import('@orders/outbox/pglite');
  return startOutbox(await pgliteStore(settings.address), settings, client);
};

const startOnPostgres: Start = async (settings, client) => {
  const { postgresStore } = await import('@orders/outbox');
  return startOutbox(postgresStore({ connectionString: settings.address }), settings, client);
};

/** How long workers of the outbox take to count each other, in milliseconds: one heartbeat and a little more. */
const joinMs = 4_000;

async function startOutbox(
  store: OutboxStore,
  settings: QueueSettings,
  client: OrdersClient,
): Promise<Queue> {
  const { createOutbox } = await import('@orders/outbox');
  const { inFlight, rate, processes } = settings;
  const joined = Promise.withResolvers<void>();
  const outbox = await createOutbox({
    client: {
      ...client,
      // A worker that joins others sends nothing for one heartbeat, in which the first would drain the queue alone. No
      // worker sends before its echo, so holding that back lets all begin together.
      async echo(options) {
        await joined.promise;
        return client.echo(options);
      },
    },
    store,
    concurrency: inFlight,
    localConcurrency: shareOf(settings),
    ...(rate ? { rate } : {}),
  });
  return {
    async load(workload) {
      const batches = [...batchesOf(workload, 500)];
      // The updates of an order must be accepted in sequence.
      const isUnordered = store.backend === 'postgres' && workload.updates <= workload.orders;
      await runConcurrently(batches.length, isUnordered ? 4 : 1, (index) =>
        store.transaction(async (tx) => {
          for (const { token, update } of batches[index] ?? []) await outbox.enqueue(token, update, { tx });
        }),
      );
    },
    async enqueue(token, update) {
      const calledAt = monotonicMs();
      await outbox.enqueue(token, update);
      return calledAt;
    },
    async work() {
      await outbox.start();
      if (processes > 1) await delay(joinMs);
      joined.resolve();
    },
    stop: () => outbox.close(),
  };
}

/** A table in which a task of graphile-worker stores what the outbox stores. */
const outcomes = `create table if not exists outcomes (
  job bigint primary key, token text not null, state text not null,
  sending_at timestamptz not null default clock_timestamp(), settled_at timestamptz, receipt text
)`;
const mark = `insert into outcomes (job, token, state) values ($1, $2, 'sending') on conflict do nothing`;
const settle = `update outcomes set state = 'applied', settled_at = clock_timestamp(), receipt = $2 where job = $1`;

const startGraphile =
  ({ isBatched = false, storesOutcomes = false }): Start =>
  async (settings, client) => {
    const { Logger, makeWorkerUtils, run } = await import('graphile-worker');
    const logger = new Logger(() => () => {});
    const concurrentJobs = shareOf(settings);
    // One for each job and two for the rest, as far as the 100 connections of PostgreSQL go.
    const maxPoolSize = Math.min(concurrentJobs + 2, Math.floor(80 / settings.processes));
    // What its documentation offers for throughput. A longer local queue would keep orders from the other processes, and it
    // polls only when a fetch returned fewer jobs than it wanted.
    const batched = {
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      localQueue: { size: 2 * concurrentJobs },
    };
    const options = isBatched
      ? { preset: { worker: { concurrentJobs, maxPoolSize, pollInterval: 10, ...batched } } }
      : { concurrency: concurrentJobs, maxPoolSize };
    const send: Task = async (payload, { job, query }) => {
      const { token, update } = payload as Payload;
      // Another process may have sent it before it crashed.
      if (storesOutcomes && (await query(mark, [job.id, token])).rowCount === 0) return;
      const receipt = await client.updateOrder(token, update);
      if (storesOutcomes) await query(settle, [job.id, JSON.stringify(receipt)]);
    };
    const common = { connectionString: settings.address, logger };
    let runner: Runner | undefined;
    return {
      async load(workload) {
        const utils = await makeWorkerUtils(common);
        await utils.migrate();
        await utils.withPgClient((sql) => sql.query(outcomes));
        // Jobs of a queue run in sequence of their time, and two of the same time in any.
        const begin = Date.now() - 2 * workload.updates;
        for (const batch of batchesOf(workload, 500)) {
          const jobs = batch.map(({ index, ...payload }) => {
            return { identifier: 'send', payload, queueName: payload.token, runAt: new Date(begin + index) };
          });
          await utils.addJobs(jobs);
        }
        await utils.release();
      },
      async work() {
        runner = await run({ ...common, ...options, noHandleSignals: true, taskList: { send } });
      },
      stop: async () => runner?.stop(),
    };
  };

/** One job per update; the policy runs the jobs of a key in sequence. */
const startPgBoss: Start = async (settings, client) => {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    connectionString: settings.address,
    max: 6,
    schedule: false,
    useListenNotify: true,
  });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('updates', { policy: 'key_strict_fifo', notify: true });
  return {
    async load(workload) {
      const begin = Date.now() - workload.updates;
      for (const batch of batchesOf(workload, 1_000)) {
        const jobs = batch.map(({ index, ...data }) => {
          // It sorts jobs of the same moment by their ids: UUIDs of version 7.
          const time = (begin + index).toString(16).padStart(12, '0');
          const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
          return { id, data, singletonKey: data.token };
        });
        await boss.insert('updates', jobs);
      }
    },
    async work() {
      const batches = {
        batchSize: shareOf(settings),
        perJobResults: true,
        burstWhenBatchFull: true,
      } as const;
      const polling = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 };
      await boss.work<Payload>('updates', { ...batches, ...polling }, (jobs) =>
        Promise.all(
          jobs.map(async ({ id, data: { token, update } }) => {
            const { ok } = await client.safeUpdateOrder(token, update);
            return { id, status: ok ? ('completed' as const) : ('failed' as const) };
          }),
        ),
      );
    },
    stop: () => boss.stop({ timeout: 10_000 }),
  };
};

/** One job per update. Groups, which keep the sequence of each token, are in its paid version only. */
const startBullmq: Start = async (settings, client) => {
  const { Queue: BullQueue, Worker } = await import('bullmq');
  const { Redis } = await import('ioredis');
  const connection = new Redis(settings.address, { maxRetriesPerRequest: null });
  let worker: Worker<Payload> | undefined;
  return {
    async load(workload) {
      const defaultJobOptions = { removeOnComplete: true, removeOnFail: false };
      const queue = new BullQueue<Payload>('updates', { connection, defaultJobOptions });
      for (const batch of batchesOf(workload, 1_000)) {
        await queue.addBulk(batch.map(({ token, update }) => ({ name: 'send', data: { token, update } })));
      }
      await queue.close();
    },
    async work() {
      const options = { connection, concurrency: shareOf(settings) };
      worker = new Worker<Payload>(
        'updates',
        async ({ data: { token, update } }) => void (await client.updateOrder(token, update)),
        options,
      );
      worker.on('error', () => {});
      await worker.waitUntilReady();
    },
    async stop() {
      await worker?.close();
      connection.disconnect();
    },
  };
};

const graphile = { engine: 'postgres', from: 'graphile-worker' } as const;

/** Every queue, in the order of the tables; `grows` says whether it is measured on a long queue too. */
export const queues = {
  'ours-pglite': {
    label: 'ours, PGlite',
    engine: 'pglite',
    from: '@orders/outbox',
    grows: true,
    start: startOnPglite,
  },
  ours: {
    label: 'ours, PostgreSQL',
    engine: 'postgres',
    from: '@orders/outbox',
    grows: true,
    start: startOnPostgres,
  },
  graphile: { ...graphile, label: 'graphile-worker', start: startGraphile({}) },
  'graphile-batched': {
    ...graphile,
    label: 'graphile-worker, in batches',
    grows: true,
    start: startGraphile({ isBatched: true }),
  },
  'graphile-outcomes': {
    ...graphile,
    label: 'graphile-worker, in batches, outcomes stored',
    start: startGraphile({ isBatched: true, storesOutcomes: true }),
  },
  'pg-boss': {
    label: 'a plain queue of pg-boss',
    engine: 'postgres',
    from: 'pg-boss',
    grows: true,
    start: startPgBoss,
  },
  bullmq: { label: 'BullMQ, without sequence', engine: 'redis', from: 'bullmq', start: startBullmq },
} as const;

export type QueueName = keyof typeof queues;
export const queueNames = Object.keys(queues) as readonly QueueName[];

/** What a job holds. */
interface Payload {
  readonly token: string;
  readonly update: OrderUpdate;
}

/** Updates in flight in one process. */
const shareOf = ({ inFlight, processes }: QueueSettings): number => Math.ceil(inFlight / processes);

/** The updates of a workload, in batches. */
function* batchesOf({ updates, orders }: Workload, size: number) {
  for (let from = 0; from < updates; from += size) {
    yield Array.from({ length: Math.min(size, updates - from) }, (_, place) => {
      const index = from + place;
      return { index, token: tokenOf(index % orders), update: updateAt(index) };
    });
  }
}

/** Starts one process of a queue. */
export async function start({
  name,
  baseUrl,
  ...settings
}: QueueSettings & { readonly name: QueueName; readonly baseUrl: string }) {
  const { createOrdersClient } = await import('@orders/client');
  const client = createOrdersClient({ baseUrl, apiKey });
  const queue = await queues[name].start(settings, client);
  let cpuBefore = 0;
  return {
    ...queue,
    async work() {
      cpuBefore = cpuMs();
      await queue.work();
    },
    /** Resolves with the CPU time since it works, in milliseconds. */
    async stop() {
      await queue.stop();
      await client.close();
      return cpuMs() - cpuBefore;
    },
  };
}
