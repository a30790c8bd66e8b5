import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type OutboxStore, postgresStore } from '@orders/outbox';
import type { OrderUpdate } from '@orders/schema';
import { apiKey, cpuMs, monotonicMs, runConcurrently, tokenOf, updateAt } from '../workload.ts';

/** Where the outbox stores, as the tables name it. */
export const engines = { pglite: 'PGlite', postgres: 'PostgreSQL' } as const;

export type Engine = keyof typeof engines;

/** Updates to enqueue, one for each order in turn. */
export interface Workload {
  readonly updates: number;
  readonly orders: number;
}

export interface WorkerSettings {
  readonly engine: Engine;
  /** A connection string, or the folder of PGlite. */
  readonly address: string;
  readonly baseUrl: string;
  /** Processes that share the work. */
  readonly processes: number;
  /** Updates in flight, over all processes. */
  readonly inFlight: number;
  readonly rate?: { readonly perSecond: number; readonly burst: number };
}

/** How long workers take to count each other, in milliseconds: one heartbeat and a little more. */
const joinMs = 4_000;

/** Starts one process of the outbox; it sends once it gets `work`. */
export async function start({ engine, address, baseUrl, processes, inFlight, rate }: WorkerSettings) {
  const client = createOrdersClient({ baseUrl, apiKey });
  const store = await openStore(engine, address);
  const joined = Promise.withResolvers<void>();
  let cpuBefore = 0;
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
    localConcurrency: Math.ceil(inFlight / processes),
    rate,
  });
  return {
    /** Enqueues a workload, in sequence per order. */
    async load(workload: Workload) {
      const batches = [...batchesOf(workload, 500)];
      // The updates of an order must be accepted in sequence.
      const isUnordered = engine === 'postgres' && workload.updates <= workload.orders;
      await runConcurrently(batches.length, isUnordered ? 4 : 1, (index) =>
        store.transaction(async (tx) => {
          for (const { token, update } of batches[index] ?? []) await outbox.enqueue(token, update, { tx });
        }),
      );
    },
    /** Enqueues an update and resolves with when it was called, by `monotonicMs`. */
    async enqueue(token: string, update: OrderUpdate) {
      const calledAt = monotonicMs();
      await outbox.enqueue(token, update);
      return calledAt;
    },
    /** Sends what is queued, from now on. */
    async work() {
      cpuBefore = cpuMs();
      await outbox.start();
      if (processes > 1) await delay(joinMs);
      joined.resolve();
    },
    /** Finishes what is in flight, stores the outcomes and disconnects; resolves with the CPU time since `work`, in milliseconds. */
    async stop() {
      await outbox.close();
      await client.close();
      return cpuMs() - cpuBefore;
    },
  };
}

async function openStore(engine: Engine, address: string): Promise<OutboxStore> {
  if (engine === 'postgres') return postgresStore({ connectionString: address });
  const { pgliteStore } = await import('@orders/outbox/pglite');
  return pgliteStore(address);
}

/** The updates of a workload, in batches. */
function* batchesOf({ updates, orders }: Workload, size: number) {
  for (let from = 0; from < updates; from += size) {
    yield Array.from({ length: Math.min(size, updates - from) }, (_, place) => {
      const index = from + place;
      return { token: tokenOf(index % orders), update: updateAt(index) };
    });
  }
}
