import type { Job } from 'pg-boss';
import { claimHeads, type Head } from './claim.ts';
import { type Flush, type FlushParts, flushWith } from './flush.ts';
import type { Fed, LaneJob, LaneQueue } from './lane-queue.ts';
import { type LaneWorkParts, laneWork } from './lane-work.ts';
import { attemptKey } from './lanes.ts';
import type { Outage } from './outage.ts';
import { type Rate, reservePlaces } from './pace.ts';
import { longestMs, rest } from './rest.ts';
import type { Upkeep } from './upkeep.ts';

/** What a worker works with. */
export interface WorkerParts extends LaneWorkParts {
  readonly queue: LaneQueue;
  readonly upkeep: Upkeep;
  readonly outage: Outage;
  readonly onSettled: FlushParts['onSettled'];
  /** Names this process to the others. */
  readonly presence: number;
  readonly localConcurrency: number;
  readonly rate: Rate | undefined;
  /** Whether the others can see that this process is there: what it takes while they cannot, they give away. */
  readonly isAttending: () => boolean;
}

/** How often a worker looks by itself, in milliseconds: what wakes it are notifications. */
const lookEveryMs = 1_000;
/** How often it tells that it is alive, and looks after the tables, in milliseconds. */
const tendEveryMs = 1_000;
/** How often jobs under way are told to be alive: each so many rounds of the above. */
const touchEach = 3;
/** How long a worker rests when the database does not answer, in milliseconds. */
const restMs = 500;
/** How long storing may take once everything has ended, in milliseconds. */
const storeMs = 5_000;

/** Works on lanes until it is stopped: takes jobs, sends the heads of their lanes, stores what became of them. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #flush: Flush;
  readonly #work: (job: Job<LaneJob>, head: Head | undefined) => Promise<void>;
  readonly #running = new Map<string, Job<LaneJob>>();
  /** Jobs taken whose heads are not known yet. */
  #taken: readonly Job<LaneJob>[] = [];
  /** Jobs that wait for their place in the rate. */
  #waiting = 0;
  /** Nothing more is begun. */
  readonly #stopping = new AbortController();
  /** What is on its way is ended. */
  readonly #ending = new AbortController();
  /** What is not stored is given up. */
  readonly #ended = new AbortController();
  #shouldFeed = true;
  #shouldTake = true;
  /** When a lane is ready that waits for its time, by the clock of `performance.now()`. */
  #feedAt = Number.POSITIVE_INFINITY;
  #wake = Promise.withResolvers<void>();
  #loop: Promise<unknown> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#flush = flushWith({ ...parts, signal: this.#ended.signal }, (fed) => this.#noteFed(fed));
    this.#work = laneWork(parts, this.#flush, this.#ending.signal);
  }

  start(): void {
    this.#loop ??= Promise.all([this.#run(), this.#tend()]);
  }

  /** Looks at once: lanes may wait, or jobs that another process made. */
  wake(reason: 'lanes' | 'jobs'): void {
    if (reason === 'lanes') this.#shouldFeed = true;
    else this.#shouldTake = true;
    this.#wake.resolve();
  }

  /**
   * Begins nothing more, waits for what is on its way, aborts it when that takes longer than the grace, and stores what
   * became of it; five seconds later it gives up. Gives how many updates it gave up.
   */
  async stop(graceMs: number): Promise<number> {
    this.#stopping.abort();
    this.#wake.resolve();
    const boundMs = Math.min(Math.max(0, graceMs), longestMs - storeMs);
    const grace = setTimeout(() => this.#ending.abort(), boundMs);
    const patience = setTimeout(() => this.#ended.abort(), boundMs + storeMs);
    const gaveUp = new Promise((resolve) => this.#ended.signal.addEventListener('abort', resolve));
    await Promise.race([this.#stopped(), gaveUp]);
    clearTimeout(grace);
    clearTimeout(patience);
    const lost = this.#running.size + this.#taken.length;
    this.#ending.abort();
    this.#ended.abort();
    return lost;
  }

  async #stopped(): Promise<void> {
    await this.#loop;
    const taken = this.#taken;
    await Promise.all(taken.map((job) => this.#flush.step(job)));
    this.#taken = [];
    for (let rounds = 1; this.#running.size > 0; rounds++) {
      this.#wake = Promise.withResolvers();
      await Promise.race([this.#wake.promise, rest(tendEveryMs)]);
      if (rounds % touchEach === 0) await this.#touch().catch(() => {});
    }
  }

  async #run(): Promise<void> {
    const { outage, upkeep } = this.#parts;
    while (!this.#stopping.signal.aborted) {
      this.#wake = Promise.withResolvers();
      const wake = this.#wake.promise;
      try {
        await this.#look();
        outage.works();
        await this.#sleep(wake);
      } catch (error) {
        outage.fails(error);
        upkeep.unsteady();
        this.#shouldFeed = true;
        this.#shouldTake = true;
        await rest(restMs, this.#stopping.signal);
      }
    }
  }

  /** Feeds lanes and takes jobs, where there is reason to think that there are any. */
  async #look(): Promise<void> {
    const { queue } = this.#parts;
    if (this.#taken.length > 0) await this.#begin();
    if (this.#shouldFeed) {
      this.#shouldFeed = false;
      this.#noteFed(await queue.feed());
    }
    const places = this.#places();
    if (places <= 0 || !this.#shouldTake) return;
    this.#shouldTake = false;
    this.#taken = await queue.take(places);
    if (this.#taken.length === places) this.#shouldTake = true;
    if (this.#taken.length > 0) await this.#begin();
  }

  /** Jobs that may be taken. Of those that wait for the rate there are no more than leave soon: others could send them. */
  #places(): number {
    const { localConcurrency, rate, isAttending } = this.#parts;
    if (!isAttending()) return 0;
    const free = localConcurrency - this.#running.size;
    if (!rate) return free;
    return Math.min(free, Math.ceil(rate.perSecond) + (rate.burst ?? 1) - this.#waiting);
  }

  #noteFed({ jobs, nextMs }: Fed): void {
    this.#feedAt = nextMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + nextMs;
    if (jobs > 0) this.#shouldTake = true;
    this.#wake.resolve();
  }

  async #begin(): Promise<void> {
    const { store, schema, presence, rate } = this.#parts;
    const jobs = this.#taken;
    const heads = await claimHeads(store, schema, { jobs, presence });
    const queued = jobs.filter(({ data }) => heads.get(data.token)?.state === 'queued').length;
    const places = rate && queued > 0 ? [...(await reservePlaces(store, schema, rate, queued))] : [];
    this.#taken = [];
    for (const job of jobs) {
      const head = heads.get(job.data.token);
      const waitMs = head?.state === 'queued' ? (places.shift() ?? 0) : 0;
      const key = attemptKey(job);
      this.#running.set(key, job);
      void this.#handle(job, head, waitMs).finally(() => {
        this.#running.delete(key);
        this.#wake.resolve();
      });
    }
  }

  async #handle(job: Job<LaneJob>, head: Head | undefined, waitMs: number): Promise<void> {
    if (waitMs > 0) {
      this.#waiting++;
      const isItsTurn = await rest(waitMs, this.#stopping.signal);
      this.#waiting--;
      this.wake('jobs');
      if (!isItsTurn) return this.#flush.step(job);
    }
    return this.#work(job, head);
  }

  async #tend(): Promise<void> {
    const { upkeep, outage } = this.#parts;
    for (let rounds = 1; await rest(tendEveryMs, this.#stopping.signal); rounds++) {
      try {
        if (rounds % touchEach === 0) await this.#touch();
        if (await upkeep.tend()) {
          this.wake('lanes');
          this.wake('jobs');
        }
      } catch (error) {
        outage.fails(error);
        upkeep.unsteady();
      }
    }
  }

  async #touch(): Promise<void> {
    const jobs = [...this.#running.values(), ...this.#taken];
    if (jobs.length > 0) await this.#flush.touch(jobs);
  }

  async #sleep(wake: Promise<void>): Promise<void> {
    const timer = new AbortController();
    const ms = Math.min(lookEveryMs, Math.max(0, this.#feedAt - performance.now()));
    const rested = rest(ms, timer.signal).then((passed) => {
      if (!passed) return;
      this.#shouldFeed = true;
      // A job that another process gave back is not told of.
      this.#shouldTake = true;
    });
    await Promise.race([wake, rested]);
    timer.abort();
  }
}
