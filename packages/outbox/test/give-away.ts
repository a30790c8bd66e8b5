import { PgBoss } from 'pg-boss';
import type { Scene } from './scene.ts';

/** Gives the job of an order back to the queue, as pg-boss does when the heartbeat of its worker has stopped. */
export async function giveAway({ openStore, schema }: Scene, token: string): Promise<void> {
  const store = await openStore();
  const db = { executeSql: store.executeSql };
  const { backend } = store;
  const boss = new PgBoss({
    db,
    backend,
    schema: `${schema}_queue`,
    migrate: false,
    schedule: false,
    supervise: false,
  });
  try {
    await boss.start();
    const jobs = await boss.findJobs('lanes', { key: token });
    if (jobs[0]?.state !== 'active') throw new Error(`The order ${token} is not being worked on.`);
    await boss.fail('lanes', { id: jobs[0].id, retryCount: jobs[0].retryCount });
  } finally {
    await boss.stop({ graceful: false, close: false });
    await store.close();
  }
}
