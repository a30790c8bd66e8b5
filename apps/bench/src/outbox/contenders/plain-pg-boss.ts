import { createOrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import { type JobResult, PgBoss } from 'pg-boss';
import { serviceKey } from '../process/service-role.ts';
import { orderOf, tokenAt, updateAt } from '../workload.ts';
import { type Contender, type ContenderSettings, shareOf } from './contender.ts';

const queue = 'updates';
const batch = 1_000;

interface Payload {
  readonly token: string;
  readonly update: OrderUpdate;
}

/** A queue of pg-boss with an update in each job: its policy lets the jobs of one key run in turn. */
export async function startPlainPgBoss(settings: ContenderSettings): Promise<Contender> {
  const { place, baseUrl } = settings;
  const client = createOrdersClient({ baseUrl, apiKey: serviceKey });
  const boss = new PgBoss({ connectionString: place, max: 6, schedule: false, useListenNotify: true });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(queue, { policy: 'key_strict_fifo', notify: true });

  async function send({ token, update }: Payload, id: string): Promise<JobResult> {
    const result = await client.safeUpdateOrder(token, update);
    return { id, status: result.ok ? 'completed' : 'failed' };
  }

  return {
    async load(workload) {
      const begin = Date.now() - workload.updates;
      for (let from = 0; from < workload.updates; from += batch) {
        const length = Math.min(batch, workload.updates - from);
        const jobs = Array.from({ length }, (_, place) => {
          const index = from + place;
          const token = tokenAt(orderOf(index, workload));
          const data: Payload = { token, update: updateAt(index) };
          return { id: orderedId(begin + index), data, singletonKey: token };
        });
        await boss.insert(queue, jobs);
      }
    },
    async work() {
      const options = {
        batchSize: shareOf(settings),
        perJobResults: true,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 0.5,
      } as const;
      await boss.work<Payload>(queue, options, (jobs) =>
        Promise.all(jobs.map(({ id, data }) => send(data, id))),
      );
    },
    async stop() {
      await boss.stop({ timeout: 10_000 });
      await client.close();
    },
  };
}

/** A UUID of version 7 whose order is that of the moments: pg-boss sorts jobs of one moment by their ids. */
function orderedId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
