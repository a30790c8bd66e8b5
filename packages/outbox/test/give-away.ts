import { PgBoss } from 'pg-boss';
import { rowsOf } from '../src/store/sql.ts';
import type { Scene } from './scene.ts';

/** Gives the job of an order's lane to whoever takes it next, as if its worker had fallen silent. */
export async function giveAway({ openStore, sql, schema }: Scene, token: string): Promise<void> {
  const store = await openStore();
  const boss = new PgBoss({ ...store.queue, schema: `${schema}_queue`, schedule: false, supervise: false });
  try {
    await boss.start();
    const jobs = await rowsOf<{ id: string; retryCount: number }>(
      sql,
      `select job.id, job.retry_count as "retryCount"
       from ${schema}.lanes as lane join ${schema}_queue.job as job on job.id = lane.job_id
       where lane.token = $1 and lane.state = 'fed'`,
      [token],
    );
    if (jobs.length !== 1) throw new Error(`The lane of ${token} is not being worked on.`);
    await boss.fail('lanes', jobs);
  } finally {
    await boss.stop({ graceful: false, close: false });
    await store.close();
  }
}
