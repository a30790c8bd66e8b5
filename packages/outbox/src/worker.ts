import { type Assignment, claimHeads } from './claim.ts';
import { type Flush, type FlushParts, flushWith } from './flush.ts';
import type { LaneQueue, Place } from './lane-queue.ts';
import { type LaneWork, type LaneWorkParts, laneWork } from './lane-work.ts';
import { askAgainMs, type Outage } from './outage.ts';
import type { Rate } from './pace.ts';
import { type Pacer, pacerOf } from './pacer.ts';
import { longestMs, rest } from './rest.ts';
import type { Turn } from './turn.ts';
import type { Upkeep } from './upkeep.ts';

/** What a worker works with. */
export interface WorkerParts extends Omit<LaneWorkParts, 'shouldMark' | 'pacer'> {
  readonly queue: LaneQueue;
  readonly upkeep: Upkeep;
  readonly outage: Outage;
  readonly onSettled: FlushParts['onSettled'];
  /** Names this process to the others. */
  readonly presence: number;
  readonly concurrency: number;
  readonly localConcurrency: number;
  readonly rate: Rate | undefined;
  /** Whether the others can see that this process is there: what it takes while they cannot, they give away. */
  readonly isAttending: () => boolean;
  /** How many processes work, this one among them. */
  readonly countWorkers: () => Promise<number>;
}

/** How often a worker looks by itself, in milliseconds: what wakes it are notifications. */
const lookEveryMs = 1_000;
/** How often it tells that it is alive, and looks after the tables, in milliseconds. */
const tendEveryMs = 1_000;
/** How often jobs under way are told to be alive: each so many rounds of the above. */
const touchEach = 3;
/** How long storing may take once everything has ended, in milliseconds. */
const storeMs = 5_000;

/** Works on lanes until it is stopped: takes jobs, sends the heads of their lanes, stores what became of them. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #pacer: Pacer;
  readonly #flush: Flush;
  readonly #work: LaneWork;
  /** What is being worked on. */
  readonly #running = new Set<Assignment>();
  /** Jobs taken whose lanes are not known yet. */
  #taken: readonly Place[] = [];
  /** Nothing more is begun. */
  readonly #stopping = new AbortController();
  /** What is on its way is ended. */
  readonly #ending = new AbortController();
  /** What is not stored is given up. */
  readonly #ended = new AbortController();
  #shouldFeed = true;
  #shouldTake = true;
  /** Whether what is beyond this process's share is left to the others. */
  #isPatient = true;
  /** When a lane is ready that waits for its time, by the clock of `performance.now()`. */
  #feedAt = Number.POSITIVE_INFINITY;
  #workers = 1;
  #wake = Promise.withResolvers<void>();
  #loop: Promise<unknown> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#pacer = pacerOf({ ...parts, signal: this.#stopping.signal });
    const claimer = { presence: parts.presence, shouldMark: parts.rate === undefined };
    this.#flush = flushWith({
      ...parts,
      ...claimer,
      signal: this.#ended.signal,
      mayKeep: (freed) => Math.max(0, Math.min(freed, this.#places(this.#share(), freed))),
      underWay: () => this.#running.size,
      onTurn: (turn) => this.#noteTurn(turn),
    });
    this.#work = laneWork({ ...parts, ...claimer, pacer: this.#pacer }, this.#flush, this.#ending.signal);
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
    const lost = this.#running.size;
    this.#ending.abort();
    this.#ended.abort();
    return lost;
  }

  async #stopped(): Promise<void> {
    await this.#loop;
    const { store, schema, presence } = this.#parts;
    const taken = this.#taken;
    this.#taken = [];
    // Where that fails, they are given to others once this process is gone.
    const claiming = { places: taken, presence, shouldMark: false };
    const claimed = taken.length > 0 ? await claimHeads(store, schema, claiming).catch(() => []) : [];
    await Promise.all(claimed.map((assignment) => this.#flush.step(assignment)));
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
        await rest(askAgainMs, this.#stopping.signal);
      }
    }
  }

  /** Feeds lanes and takes jobs, where there is reason to think that there are any. */
  async #look(): Promise<void> {
    const { queue, localConcurrency } = this.#parts;
    if (this.#taken.length > 0) await this.#begin();
    // What nobody else takes is taken beyond this process's share.
    const share = this.#isPatient ? this.#share() : localConcurrency;
    this.#isPatient = true;
    if (this.#shouldFeed && this.#places(share) > 0) {
      this.#shouldFeed = false;
      const { jobs, nextMs } = await queue.feed(this.#places(share));
      this.#feedAt = nextMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + nextMs;
      if (jobs > 0) this.#shouldTake = true;
    }
    const places = this.#places(share);
    if (places <= 0 || !this.#shouldTake) return;
    this.#shouldTake = false;
    this.#taken = await queue.take(places);
    if (this.#taken.length === places) this.#shouldTake = true;
    if (this.#taken.length > 0) await this.#begin();
  }

  /** How much of the shared concurrency is this process's own. */
  #share(): number {
    const { concurrency, localConcurrency } = this.#parts;
    return Math.min(localConcurrency, Math.ceil(concurrency / this.#workers));
  }

  /** Lanes that may be taken up, of as many as may be under way at once. */
  #places(most: number, freed = 0): number {
    if (!this.#parts.isAttending() || this.#stopping.signal.aborted) return 0;
    return Math.min(most - this.#running.size + freed, this.#pacer.headroom());
  }

  #noteTurn({ work, ended, nextMs }: Turn): void {
    if (work.length > 0) void this.#workOn(work);
    if (ended > 0) {
      this.#feedAt = nextMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + nextMs;
      if (nextMs !== undefined && nextMs <= 0) this.#shouldFeed = true;
    }
  }

  async #begin(): Promise<void> {
    const { store, schema, presence, rate, queue } = this.#parts;
    const places = this.#taken;
    const work = await claimHeads(store, schema, { places, presence, shouldMark: rate === undefined });
    this.#taken = [];
    const idle = places.filter((place) => !work.some((assignment) => assignment.place === place));
    if (idle.length > 0) await queue.end(idle);
    await this.#workOn(work);
  }

  async #workOn(work: readonly Assignment[]): Promise<void> {
    for (const assignment of work) this.#running.add(assignment);
    const queued = work.filter(({ head }) => head?.state === 'queued');
    const dues = await this.#pacer.reserve(queued.length);
    for (const assignment of work) {
      const place = queued.indexOf(assignment);
      void this.#handle(assignment, place < 0 ? 0 : dues?.[place]).finally(() => {
        this.#running.delete(assignment);
        // Mostly its place goes on, and there is nothing to look for.
        if (this.#shouldFeed || this.#shouldTake || this.#stopping.signal.aborted) this.#wake.resolve();
      });
    }
  }

  /** Works on a lane once its update is about to leave; without a place in the rate the worker stops before that. */
  async #handle(assignment: Assignment, dueAt: number | undefined): Promise<void> {
    const mayLeave = dueAt !== undefined && (await this.#pacer.approach(dueAt));
    // One waits less: there may be room for others.
    if (this.#parts.rate) this.wake('jobs');
    return mayLeave ? this.#work(assignment, dueAt) : this.#flush.step(assignment);
  }

  async #tend(): Promise<void> {
    const { upkeep, outage, countWorkers } = this.#parts;
    for (let rounds = 1, ms = 0; await rest(ms, this.#stopping.signal); rounds++, ms = tendEveryMs) {
      try {
        if (rounds % touchEach === 0) await this.#touch();
        this.#workers = Math.max(1, await countWorkers());
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
    const places = [...[...this.#running].map(({ place }) => place), ...this.#taken];
    if (places.length > 0) await this.#flush.touch(places);
  }

  async #sleep(wake: Promise<void>): Promise<void> {
    const rested = Promise.withResolvers<void>();
    const look = (): void => {
      this.#shouldFeed = true;
      // A job that another process gave back is not told of.
      this.#shouldTake = true;
      this.#isPatient = false;
      rested.resolve();
    };
    let feedInMs = Math.max(0, this.#feedAt - performance.now());
    if (feedInMs === 0 && this.#places(this.#parts.localConcurrency) <= 0) {
      // Whatever is done next wakes this worker, and makes room.
      this.#shouldFeed = true;
      feedInMs = lookEveryMs;
    }
    const timer = setTimeout(look, Math.min(lookEveryMs, feedInMs));
    await Promise.race([wake, rested.promise]);
    clearTimeout(timer);
  }
}
