import { randomUUID } from 'node:crypto';
import type { ConstructorOptions, JobInsert, PgBoss } from 'pg-boss';
import * as installed from 'pg-boss';
import type { OutboxStore, Sql } from './store.ts';

/** A job of pg-boss: one order that has something to send. The attempt fences what a worker says about it. */
export interface LaneJob {
  readonly id: string;
  readonly retryCount: number;
  readonly token: string;
}

/** A lane that is to be queued, at once or later. */
export interface LaneInsert {
  readonly token: string;
  readonly delayMs?: number;
}

const queueName = 'lanes';
const noJob = '00000000-0000-0000-0000-000000000000';
/** The longest that pg-boss can count, in seconds. */
const forever = 2_147_483_647;

const queueOptions = {
  /** One job for each order, whatever its state. */
  policy: 'exclusive',
  /** pg-boss gives up what failed too often, and deletes what waited too long. */
  retryLimit: forever,
  retentionSeconds: forever,
  /** The longest that pg-boss allows: it counts from the fetch, whatever the heartbeat. */
  expireInSeconds: 86_400,
  /** The shortest that pg-boss allows. */
  heartbeatSeconds: 10,
  deleteAfterSeconds: 60,
} as const;

/**
 * The exports of pg-boss that the queue uses. Declarations of pg-boss do not compile without skipLibCheck, so ours must not
 * import them.
 *
 * @internal
 */
type PgBossModule = Pick<typeof installed, 'PgBoss' | 'getMigrationPlans'>;

/** All that touches pg-boss, by its public API: the queue of orders that have something to send. */
export class LaneQueue {
  /** The channel on which workers hear that it may have something for them. */
  readonly channel: string;
  readonly #options: ConstructorOptions;
  readonly #pgBoss: PgBossModule;
  readonly #onError: (error: unknown) => void;
  readonly #warn: (message: string) => void;
  #hasWarned = false;
  #boss: PgBoss;

  constructor(
    store: OutboxStore,
    schema: string,
    options: {
      readonly onError: (error: unknown) => void;
      readonly warn?: (message: string) => void;
      /** @internal */
      readonly pgBoss?: PgBossModule;
    },
  ) {
    this.channel = `${schema}_wake`;
    this.#onError = options.onError;
    this.#warn = options.warn ?? (() => {});
    this.#pgBoss = options.pgBoss ?? installed;
    this.#options = {
      db: { executeSql: (text, values) => store.executeSql(text, values) },
      backend: store.backend,
      schema: `${schema}_queue`,
      migrate: false,
      schedule: false,
      supervise: false,
      monitorIntervalSeconds: 5,
      monitorVacuum: false,
      reindex: false,
      registerInstance: false,
      // Spans and metrics of a private queue would only stand among those of its user.
      openTelemetry: { enabled: false },
    };
    this.#boss = this.#create();
  }

  #create(options: ConstructorOptions = {}): PgBoss {
    return new this.#pgBoss.PgBoss({ ...this.#options, ...options }).on('error', this.#onError);
  }

  /** Whether the tables of pg-boss are there and no older than this release of it. */
  async isReady(): Promise<boolean> {
    if (!(await this.#boss.isInstalled())) return false;
    return !this.#isOlder(await this.#boss.schemaVersion());
  }

  #isOlder(version: number | null): boolean {
    try {
      // It throws unless there is something to migrate.
      this.#pgBoss.getMigrationPlans(this.#options.schema, version ?? 0);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether the indexes are built that a migration of pg-boss leaves to be built in the background. */
  async isBuilt(): Promise<boolean> {
    return (await this.#boss.getBamStatus()).every(({ status }) => status === 'completed');
  }

  /**
   * Makes the tables and the queue, or brings them up to date; two processes must not do so at once. What pg-boss builds in the
   * background is waited for, since only a migration may do it, and begun again where that failed before.
   */
  async migrate(): Promise<void> {
    const boss = this.#create({ migrate: true, bamIntervalSeconds: 10 });
    let failure: Error | undefined;
    boss.on('bam', ({ status, name, error }) => {
      if (status !== 'failed') return;
      const advice = /timeout/.test(String(error))
        ? `. No transaction can build an index, so a limit of the role or database counts: "alter role this_role reset statement_timeout", or lock_timeout or transaction_timeout, and migrate again`
        : '';
      failure = new Error(`pg-boss could not build ${name}: ${error}${advice}`);
    });
    try {
      await boss.start();
      while (!(await this.isBuilt())) {
        if (failure) throw failure;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      if (!(await boss.getQueue(queueName))) await boss.createQueue(queueName, queueOptions);
      const { policy: _, ...changeable } = queueOptions;
      await boss.updateQueue(queueName, changeable);
    } finally {
      await boss.stop({ graceful: false, close: false });
    }
  }

  async start(): Promise<void> {
    try {
      await this.#boss.start();
    } catch (error) {
      await this.#boss.stop({ graceful: false, close: false }).catch(() => {});
      if (!(await this.isReady())) throw error;
      // A newer release has migrated: pg-boss goes on working with its tables, but says so only where it might migrate.
      this.#boss = this.#create({ migrate: true });
      await this.#boss.start();
    }
    // Looked up within a transaction, on another connection, the queue would wait for itself on PGlite.
    await this.#boss.touch(queueName, noJob);
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: false });
  }

  /** Queues an order within a transaction; one that is queued or being worked on stays as it is. */
  async add(tx: Sql, token: string): Promise<void> {
    await this.insert(tx, [{ token }]);
  }

  /** Queues orders, some later. */
  async insert(tx: Sql, lanes: readonly LaneInsert[]): Promise<void> {
    if (lanes.length === 0) return;
    const jobs = lanes.map(({ token, delayMs = 0 }): JobInsert => {
      const job = { singletonKey: token };
      return delayMs > 0 ? { ...job, startAfter: toInterval(delayMs) } : job;
    });
    await this.#boss.insert(queueName, jobs, { db: asDb(tx), returnId: false });
  }

  /**
   * Queues an order so that it is due then, even one that is queued for later: it may wait for the delay of an update that
   * is no longer its first. One that is being worked on stays as it is.
   */
  async reschedule(tx: Sql, { token, delayMs = 0 }: LaneInsert): Promise<void> {
    const startAfter = toInterval(Math.max(0, delayMs));
    await this.#boss.update(queueName, undefined, { singletonKey: token, startAfter, db: asDb(tx) });
    await this.insert(tx, [{ token, delayMs }]);
  }

  /** Of these orders, those without a job; while the transaction lasts, they stay without. */
  async withoutJob(tx: Sql, tokens: readonly string[]): Promise<readonly string[]> {
    const jobs = tokens.map((token) => ({ id: randomUUID(), singletonKey: token }));
    if (jobs.length === 0) return [];
    const db = asDb(tx);
    // pg-boss says whether an order has a job only by refusing another.
    const made = new Set(await this.#boss.insert(queueName, jobs, { db, returnId: true }));
    if (made.size > 0) await this.#boss.deleteJob(queueName, [...made], { db });
    return jobs.filter(({ id }) => made.has(id)).map(({ singletonKey }) => singletonKey);
  }

  /** Deletes the job of an order, even one that a worker has fetched, because its key is the token. */
  async forget(tx: Sql, token: string): Promise<void> {
    const db = asDb(tx);
    const jobs = await this.#boss.findJobs(queueName, { key: token, db });
    if (jobs.length === 0) return;
    await this.#boss.deleteJob(
      queueName,
      jobs.map(({ id }) => id),
      { db },
    );
  }

  /** Takes the orders that have waited longest. Jobs without an order, which only a person can make, are deleted. */
  async fetch(tx: Sql, count: number): Promise<LaneJob[]> {
    const db = asDb(tx);
    // The key alone says whose job it is: it is unique, and nothing else in a job has to be readable.
    const fetched = await this.#boss.fetch(queueName, { batchSize: count, includeMetadata: true, db });
    const jobs = fetched.flatMap(({ id, retryCount, singletonKey }) =>
      singletonKey ? [{ id, retryCount, token: singletonKey }] : [],
    );
    const others = fetched.filter(({ singletonKey }) => !singletonKey);
    if (others.length === 0) return jobs;
    await this.#boss.deleteJob(queueName, others.map(toAttempt), { db });
    if (!this.#hasWarned)
      this.#warn(`The queue held jobs that belong to no order, such as ${others[0]?.id}: they were deleted.`);
    this.#hasWarned = true;
    return [...jobs, ...(await this.fetch(tx, others.length))];
  }

  /** Renews the heartbeat of jobs. Resolves with those that are still held. */
  async touch(tx: Sql, jobs: readonly LaneJob[]): Promise<ReadonlySet<LaneJob>> {
    if (jobs.length === 0) return new Set();
    const latest = latestAttempts(jobs);
    const ids = settledIds(await this.#boss.touch(queueName, latest.map(toAttempt), { db: asDb(tx) }));
    return new Set(latest.filter(({ id }) => ids.has(id)));
  }

  /** Ends jobs that are still held. Resolves with their ids. */
  async remove(tx: Sql, jobs: readonly LaneJob[]): Promise<ReadonlySet<string>> {
    if (jobs.length === 0) return new Set();
    return settledIds(await this.#boss.deleteJob(queueName, jobs.map(toAttempt), { db: asDb(tx) }));
  }

  /** Gives back the jobs of workers whose heartbeat has stopped. */
  async supervise(): Promise<void> {
    await this.#boss.supervise(queueName);
  }

  /** Gives back every job that is held, for a process that is alone with its database and has just started. */
  async releaseAll(): Promise<void> {
    const held = (await this.#boss.findJobs(queueName)).filter(({ state }) => state === 'active');
    if (held.length > 0) await this.#boss.fail(queueName, held.map(toAttempt));
  }
}

const toInterval = (ms: number): string => `${(ms / 1_000).toFixed(3)} seconds`;

function toAttempt({ id, retryCount }: { readonly id: string; readonly retryCount: number }) {
  return { id, retryCount };
}

/** A worker that fetches again what was taken from it may still hold the earlier attempt of the job: pg-boss names both by one id. */
function latestAttempts(jobs: readonly LaneJob[]): readonly LaneJob[] {
  const latest = new Map<string, LaneJob>();
  for (const job of jobs)
    if (job.retryCount >= (latest.get(job.id)?.retryCount ?? 0)) latest.set(job.id, job);
  return [...latest.values()];
}

/** The ids that a command of pg-boss names as settled: it types its response as empty. */
function settledIds(response: object): ReadonlySet<string> {
  return new Set((response as { readonly settled?: readonly string[] | null }).settled ?? []);
}

function asDb(sql: Sql): Pick<OutboxStore, 'executeSql'> {
  return { executeSql: (text, values) => sql.query(text, values) };
}
