import { createOrdersClient } from '@orders/client';
import { createOutbox, type OutboxStore, pgliteStore, postgresStore } from '@orders/outbox';
import { monotonicMs } from '../clock.ts';
import { serviceKey } from '../process/service-role.ts';
import { orderOf, tokenAt, updateAt, type Workload } from '../workload.ts';
import { type ContenderSettings, type LiveContender, shareOf } from './contender.ts';

/** Updates that one transaction enqueues. */
const batch = 500;
/** Transactions that enqueue at once, each for orders of its own. */
const loaders = 4;

/** Our outbox, in a folder. */
export const startOursOnPglite = async (settings: ContenderSettings): Promise<LiveContender> =>
  startOurs(settings, await pgliteStore(settings.place));

/** Our outbox, in PostgreSQL. */
export const startOursOnPostgres = async (settings: ContenderSettings): Promise<LiveContender> =>
  startOurs(settings, postgresStore({ connectionString: settings.place }));

async function startOurs(settings: ContenderSettings, store: OutboxStore): Promise<LiveContender> {
  const { baseUrl, inFlight, rate } = settings;
  const client = createOrdersClient({ baseUrl, apiKey: serviceKey });
  const outbox = await createOutbox({
    client,
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
      const shares = store.exclusive ? 1 : loaders;
      await Promise.all(Array.from({ length: shares }, (_, share) => loadShare(share, shares, workload)));
    },
    async enqueue(token, update) {
      const calledAt = monotonicMs();
      await outbox.enqueue(token, update);
      return calledAt;
    },
    work: () => outbox.work(),
    async stop() {
      await outbox.close();
      await client.close();
    },
  };
}
