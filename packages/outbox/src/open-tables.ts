import { PgBoss } from 'pg-boss';
import { queueName } from './lane-queue.ts';
import { migrate } from './migrate.ts';
import type { Outage } from './outage.ts';
import { OutboxError } from './outbox-error.ts';
import { reasonOf } from './reason-of.ts';
import { dropJobs, reclaimLanes } from './reclaim.ts';
import type { Attendance, OutboxStore, Subscription } from './store/outbox-store.ts';

const noJob = '00000000-0000-0000-0000-000000000000';

/** pg-boss deletes what it has kept too long, and gives up what failed too often: neither may happen to a lane. */
const queueOptions = {
  retryLimit: 1_000_000,
  retentionSeconds: 10 * 365 * 24 * 3600,
  // The longest that it takes: what tells a worker's end is its heartbeat.
  expireInSeconds: 24 * 3600,
  heartbeatSeconds: 10,
};

/** A database that is ready to be worked on. */
export interface OpenTables {
  readonly boss: PgBoss;
  readonly subscription: Subscription;
}

/**
 * Makes the tables of the outbox and of pg-boss, takes up what an earlier process left, and begins to listen. When
 * anything fails, all is closed.
 *
 * @throws OutboxError
 */
export async function openTables(
  store: OutboxStore,
  schema: string,
  { attendance, outage }: { readonly attendance: Attendance; readonly outage: Outage },
): Promise<OpenTables> {
  const boss = new PgBoss({
    ...store.queue,
    schema: `${schema}_queue`,
    schedule: false,
    // Done by the upkeep, which knows when the database was away.
    supervise: false,
    monitorIntervalSeconds: 5,
    monitorVacuum: false,
    reindex: false,
  });
  boss.on('error', outage.fails);
  try {
    await migrate(store, schema);
    // Those who make the tables of pg-boss at once would race for its schema.
    await store.alone(`orders-outbox-queue:${schema}`, async () => {
      await boss.start();
      await boss.createQueue(queueName, queueOptions);
    });
    // Makes pg-boss remember the queue: looking it up within a transaction, on one connection, would wait for itself.
    await boss.touch(queueName, noJob);
    await dropJobs(boss, store);
    await reclaimLanes(store, schema);
    return { boss, subscription: await store.attend(attendance) };
  } catch (error) {
    await boss.stop({ graceful: false, close: false }).catch(() => {});
    await store.close().catch(() => {});
    if (error instanceof OutboxError) throw error;
    const message = `${store.place} cannot be used: ${reasonOf(error)}. Check its address, name, user and rights.`;
    throw new OutboxError('database_unusable', message, { cause: error });
  }
}
