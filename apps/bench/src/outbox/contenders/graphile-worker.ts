import { createOrdersClient } from '@orders/client';
import type { OrderUpdate } from '@orders/schema';
import {
  type JobHelpers,
  Logger,
  makeWorkerUtils,
  type Runner,
  type RunnerOptions,
  run,
} from 'graphile-worker';
import { serviceKey } from '../process/service-role.ts';
import { orderOf, tokenAt, updateAt } from '../workload.ts';
import { type Contender, type ContenderSettings, shareOf } from './contender.ts';

const batch = 500;
/** PostgreSQL takes 100 connections unless told otherwise, some of them for others. */
const mostConnections = 80;

interface Payload {
  readonly token: string;
  readonly update: OrderUpdate;
}

/** graphile-worker as its runner comes, but for how many jobs run at once. */
export const startGraphileWorker = (settings: ContenderSettings): Promise<Contender> =>
  startContender(settings, {
    concurrency: shareOf(settings),
    maxPoolSize: connectionsOf(settings),
  });

/** graphile-worker with what its documentation offers for throughput: jobs are fetched and completed in batches. */
export const startGraphileWorkerInBatches = (settings: ContenderSettings): Promise<Contender> =>
  startContender(settings, inBatches(settings));

/** The same, with a task that keeps what ours keeps: a mark before the update is sent, and what became of it. */
export const startGraphileWorkerWithBooks = (settings: ContenderSettings): Promise<Contender> =>
  startContender(settings, inBatches(settings), withBooks);

function inBatches(settings: ContenderSettings): RunnerOptions {
  const concurrentJobs = shareOf(settings);
  const worker = {
    concurrentJobs,
    maxPoolSize: connectionsOf(settings),
    // It looks again only after this time when a fetch gave fewer jobs than it asked for.
    pollInterval: 10,
    // More would keep the orders of the next minutes from the other processes.
    localQueue: { size: 2 * concurrentJobs },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  return { preset: { worker } };
}

/** One for each job that runs and two for the rest, while the server has so many. */
const connectionsOf = (settings: ContenderSettings): number =>
  Math.min(shareOf(settings) + 2, Math.floor(mostConnections / settings.processes));

type Send = (payload: Payload) => Promise<unknown>;
type Task = (payload: unknown, helpers: JobHelpers) => Promise<void>;

const withoutBooks =
  (send: Send): Task =>
  async (payload) => {
    await send(payload as Payload);
  };

const books = `create table if not exists books (
  job bigint primary key, token text not null, state text not null,
  sending_at timestamptz not null default clock_timestamp(), settled_at timestamptz, receipt text
)`;

const withBooks =
  (send: Send): Task =>
  async (payload, { job, query }) => {
    const { token } = payload as Payload;
    const mark = `insert into books (job, token, state) values ($1, $2, 'sending') on conflict do nothing`;
    const { rowCount } = await query(mark, [job.id, token]);
    // It was being sent when a process ended: somebody has to decide.
    if (rowCount === 0) return;
    const receipt = await send(payload as Payload);
    await query(
      `update books set state = 'applied', settled_at = clock_timestamp(), receipt = $2 where job = $1`,
      [job.id, JSON.stringify(receipt)],
    );
  };

async function startContender(
  settings: ContenderSettings,
  options: RunnerOptions,
  taskOf: (send: Send) => Task = withoutBooks,
): Promise<Contender> {
  const { place: connectionString, baseUrl } = settings;
  const client = createOrdersClient({ baseUrl, apiKey: serviceKey });
  const logger = new Logger(() => () => {});
  let runner: Runner | undefined;
  return {
    async load(workload) {
      const tools = await makeWorkerUtils({ connectionString, logger });
      await tools.migrate();
      await tools.withPgClient((sql) => sql.query(books));
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
      const send = taskOf(({ token, update }) => client.updateOrder(token, update));
      const common = { connectionString, logger, noHandleSignals: true, taskList: { send } };
      runner = await run({ ...common, ...options });
    },
    async stop() {
      await runner?.stop();
      await client.close();
    },
  };
}
