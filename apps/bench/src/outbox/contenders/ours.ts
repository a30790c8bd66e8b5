import { setTimeout as sleep } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type OutboxStore, postgresStore } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { monotonicMs } from '../clock.ts';
import { serviceKey } from '../process/service-role.ts';
import { orderOf, tokenAt, updateAt, type Workload } from '../workload.ts';
import { type ContenderSettings, type LiveContender, shareOf } from './contender.ts';

/** Updates that one transaction enqueues. */
const batch = 500;
/** Transactions that enqueue at once, each for orders of its own. */
const loaders = 4;
/** How long workers take to count each other, in milliseconds: one heartbeat and a little more. */
const joinMs = 4_000;

/** Our outbox, in a folder. */
export const startOursOnPglite = async (settings: ContenderSettings): Promise<LiveContender> =>
  startOurs(settings, await pgliteStore(settings.place));

/** Our outbox, in PostgreSQL. */
export const startOursOnPostgres = async (settings: ContenderSettings): Promise<LiveContender> =>
  startOurs(settings, postgresStore({ connectionString: settings.place }));

async function startOurs(settings: ContenderSettings, store: OutboxStore): Promise<LiveContender> {
  const { baseUrl, inFlight, rate, processes } = settings;
  const client = createOrdersClient({ baseUrl, apiKey: serviceKey });
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

  async function loadShare(share: number, shares: number, workload: Workload): Promise<void> {
    const own = Array.from({ length: workload.updates }, (_, index) => index).filter(
      (index) => orderOf(index, workload) % shares === share,
    );
    for (let from = 0; from < own.length; from += batch) {
      await store.transaction(async (tx) => {
        for (const index of own.slice(from, from + batch)) {
          await outbox.enqueue(tokenAt(orderOf(index, workload)), updateAt(index), { tx });
        }
      });
    }
  }

  return {
    async load(workload) {
      const shares = store.backend === 'pglite' ? 1 : loaders;
      await Promise.all(Array.from({ length: shares }, (_, share) => loadShare(share, shares, workload)));
    },
    async enqueue(token, update) {
      const calledAt = monotonicMs();
      await outbox.enqueue(token, update);
      return calledAt;
    },
    async work() {
      await outbox.start();
      if (processes > 1) await sleep(joinMs);
      joined.resolve();
    },
    async stop() {
      await outbox.close();
      await client.close();
    },
  };
}
