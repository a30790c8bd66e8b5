import { createOrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import { Logger, makeWorkerUtils, type Runner, type RunnerOptions, run } from 'graphile-worker';
import { serviceKey } from '../process/service-role.ts';
import { orderOf, tokenAt, updateAt } from '../workload.ts';
import { type Contender, type ContenderSettings, shareOf } from './contender.ts';

const batch = 500;

interface Payload {
  readonly token: string;
  readonly update: OrderUpdate;
}

/** graphile-worker as its runner comes, but for how many jobs run at once. */
export const startGraphileWorker = (settings: ContenderSettings): Promise<Contender> =>
  startContender(settings, { concurrency: shareOf(settings), maxPoolSize: shareOf(settings) + 2 });

/** graphile-worker with what its documentation offers for throughput: jobs are fetched and completed in batches. */
export const startGraphileWorkerInBatches = (settings: ContenderSettings): Promise<Contender> => {
  const concurrentJobs = shareOf(settings);
  const worker = {
    concurrentJobs,
    maxPoolSize: concurrentJobs + 2,
    // It looks again only after this time when a fetch gave fewer jobs than it asked for.
    pollInterval: 10,
    // More would keep the orders of the next minutes from the other processes.
    localQueue: { size: 2 * concurrentJobs },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  return startContender(settings, { preset: { worker } });
};

async function startContender(settings: ContenderSettings, options: RunnerOptions): Promise<Contender> {
  const { place: connectionString, baseUrl } = settings;
  const client = createOrdersClient({ baseUrl, apiKey: serviceKey });
  const logger = new Logger(() => () => {});
  let runner: Runner | undefined;
  return {
    async load(workload) {
      const tools = await makeWorkerUtils({ connectionString, logger });
      await tools.migrate();
      // Jobs of a queue run in order of their time, and two of the same time in any order.
      const begin = Date.now() - 2 * workload.updates;
      for (let from = 0; from < workload.updates; from += batch) {
        const length = Math.min(batch, workload.updates - from);
        const jobs = Array.from({ length }, (_, place) => {
          const index = from + place;
          const token = tokenAt(orderOf(index, workload));
          const payload: Payload = { token, update: updateAt(index) };
          return { identifier: 'send', payload, queueName: token, runAt: new Date(begin + index) };
        });
        await tools.addJobs(jobs);
      }
      await tools.release();
    },
    async work() {
      const send = async (payload: unknown): Promise<void> => {
        const { token, update } = payload as Payload;
        await client.updateOrder(token, update);
      };
      const common = { connectionString, logger, noHandleSignals: true, taskList: { send } };
      runner = await run({ ...common, ...options });
    },
    async stop() {
      await runner?.stop();
      await client.close();
    },
  };
}
