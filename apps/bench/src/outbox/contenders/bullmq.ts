import { createOrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { serviceKey } from '../process/service-role.ts';
import { orderOf, tokenAt, updateAt } from '../workload.ts';
import { type Contender, type ContenderSettings, shareOf } from './contender.ts';

const name = 'updates';
const batch = 1_000;

interface Payload {
  readonly token: string;
  readonly update: OrderUpdate;
}

/** BullMQ with a job for each update. Groups, which would keep the order of each token, are in its paid version alone. */
export async function startBullmq(settings: ContenderSettings): Promise<Contender> {
  const { place, baseUrl } = settings;
  const client = createOrdersClient({ baseUrl, apiKey: serviceKey });
  const connection = new Redis(place, { maxRetriesPerRequest: null });
  const removal = { removeOnComplete: true, removeOnFail: false };
  let worker: Worker<Payload> | undefined;
  return {
    async load(workload) {
      const queue = new Queue<Payload>(name, { connection, defaultJobOptions: removal });
      for (let from = 0; from < workload.updates; from += batch) {
        const length = Math.min(batch, workload.updates - from);
        const jobs = Array.from({ length }, (_, place) => {
          const index = from + place;
          const data: Payload = { token: tokenAt(orderOf(index, workload)), update: updateAt(index) };
          return { name: 'send', data };
        });
        await queue.addBulk(jobs);
      }
      await queue.close();
    },
    async work() {
      const send = async ({ data: { token, update } }: { readonly data: Payload }): Promise<void> => {
        await client.updateOrder(token, update);
      };
      worker = new Worker<Payload>(name, send, { connection, concurrency: shareOf(settings) });
      worker.on('error', () => {});
      await worker.waitUntilReady();
    },
    async stop() {
      await worker?.close();
      connection.disconnect();
      await client.close();
    },
  };
}
