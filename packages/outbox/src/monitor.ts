import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { OrdersError } from '@orders/client';
import { within } from './credentials.ts';
import { requeueUpdate } from './decide.ts';
import { describeError, OutboxError } from './errors.ts';
import { type Probe, probeDelay, type ServiceHealth } from './health.ts';
import { type HeldUpdates, readHeld, readWorld, serviceProblems } from './held.ts';
import {
  beat,
  boundRate,
  clearRequeue,
  forgetWorker,
  freePlaces,
  type Heartbeat,
  isToRequeue,
  type Limits,
  leaseProbe,
  type Rate,
  readLimits,
  storeProbe,
} from './limits.ts';
import type { OutboxClient } from './options.ts';
import type { LaneQueue } from './queue.ts';
import type { OutboxStore, Sql, Subscription } from './store.ts';
import type { Sweeper } from './sweep.ts';

/** What a monitor needs. */
export interface MonitorParts {
  readonly store: OutboxStore;
  readonly schema: string;
  readonly queue: LaneQueue;
  readonly sweeper: Sweeper;
  readonly subscription: Subscription;
  readonly client: OutboxClient;
  readonly rate: Rate | undefined;
  readonly concurrency: number;
  readonly localConcurrency: number;
  readonly warn: (message: string) => void;
  /** When a pause was lifted last, as the workers of this outbox know it. */
  readonly lifted: { at?: string };
  /** How long an update may be due and unmoved beside free places, in milliseconds. */
  readonly stallMs: number;
}

/** What the monitor needs of its worker. */
export interface Watched {
  /** Looks at the queue at once. */
  readonly wake: () => void;
  /** Looks at the queue soon, though nothing says that it holds more. */
  readonly look: () => void;
  /** Whether all that is held is confirmed, and the database has worked for a while. */
  readonly isSteady: () => boolean;
  readonly inFlight: () => number;
  /** How long it has had free places, and has been sending one update, at the longest, in milliseconds. */
  readonly ages: () => { readonly freeMs: number; readonly sendingMs: number };
  readonly onError: (error: unknown) => void;
  /** Why its turns fail, if they do. */
  readonly failure: () => string | undefined;
  /** What else it waits for, if it does. */
  readonly waitsFor: () => string | undefined;
}

/** How often a worker shows that it is alive, and how long it counts as alive after that, in milliseconds. */
const beatMs = 2_500;
const aliveMs = 10_000;
/** How long a worker that joins others waits until all of them have counted it, in milliseconds. */
const joiningMs = 1.2 * beatMs;
/** How often jobs of lost workers are looked for, in milliseconds: their heartbeat expires after ten seconds. */
const superviseMs = 5_000;
/** How long a worker may sweep between two beats, in milliseconds. */
const sweepMs = 1_000;
/** How long one process alone may probe or try, in milliseconds; renewed with each beat. */
const leaseMs = 20_000;
/** The longest echo, in milliseconds. */
const echoMs = 15_000;

/** What a worker shares with the others: its part of the concurrency, the limits, and the state of the service. */
export class Monitor {
  readonly #parts: MonitorParts;
  readonly #watched: Watched;
  /** The connections of the worker: callers may take up all others. */
  readonly #sql: Sql;
  readonly #stopping: AbortSignal;
  readonly #id = randomUUID();
  #limits: Limits | undefined;
  /** When they were read, by the clock of `performance.now()`. */
  #readAt = 0;
  #workers = 0;
  /** When this worker may send beside others: they have lowered their share by then. */
  #countedAt = Number.POSITIVE_INFINITY;
  /** What the first echo came to. */
  #echo: Probe | undefined;
  #state: ServiceHealth['state'] = 'ok';
  #supervisedAt = 0;
  /** What is due and does not move, as seen last, and when that was. */
  #stall: HeldUpdates | undefined;
  #lookedAt = 0;
  /** Why a sweep failed last. */
  #sweepProblem: string | undefined;
  /** Updates that could not be queued again, since a caller had locked their orders. */
  #locked: ReadonlySet<string> = new Set();
  /** The probe in flight. */
  #probing: Promise<void> | undefined;
  #tick = Promise.withResolvers<void>();
  /** Ends the wait for the next echo. */
  #resumed = Promise.withResolvers<void>();

  constructor(parts: MonitorParts, watched: Watched, stopping: AbortSignal) {
    this.#parts = parts;
    this.#sql = { query: parts.store.executeSql };
    this.#watched = watched;
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => this.#tick.resolve());
  }

  /** Runs until the worker stops. */
  async run(): Promise<void> {
    await Promise.all([this.#checkKey(), this.#attend()]);
    await this.#probing;
    await forgetWorker(this.#sql, this.#parts.schema, this.#id).catch(() => {});
  }

  /** Whether this worker may send at all: the service took its key, and the others know of it. */
  get isReady(): boolean {
    return this.#hasEchoed && performance.now() >= this.#countedAt;
  }

  get #hasEchoed(): boolean {
    return this.#echo?.signal === 'success';
  }

  /** Whether that will not change soon by itself. */
  get isStuck(): boolean {
    return this.#echo !== undefined && !this.#hasEchoed;
  }

  /** Why this worker may not send now, in a sentence. */
  get problem(): string | undefined {
    const { state = 'ok', message = '' } = this.#limits?.health ?? {};
    const service = state === 'ok' ? undefined : `${serviceProblems[state]}: ${message}`;
    return this.#watched.failure() ?? this.#keyProblem() ?? service ?? this.#stallProblem();
  }

  #keyProblem(): string | undefined {
    if (this.#hasEchoed) return undefined;
    return this.#echo?.message ?? 'It has not reached the service yet.';
  }

  #stallProblem(): string | undefined {
    if (!this.#stall) return undefined;
    const { id, updates } = this.#stall;
    const why = this.#watched.waitsFor() ?? 'Nothing is known to hold them: see earlier warnings';
    return `The outbox stalls: ${updates} updates are due and are not sent, first ${id}. ${why}.`;
  }

  #problemAndReason(): Pick<Heartbeat, 'problem' | 'reason'> {
    const failure = this.#watched.failure();
    if (failure !== undefined) return { problem: failure, reason: 'database_unusable' };
    const key = this.#keyProblem();
    if (key !== undefined) return { problem: key, reason: this.#keyReason() };
    const stall = this.#stallProblem();
    return { problem: stall, reason: stall === undefined ? undefined : 'stalled' };
  }

  #keyReason(): 'paused' | 'key_refused' | 'service_unavailable' {
    if (this.#echo?.isPaused) return 'paused';
    return this.#echo?.signal === 'refused' ? 'key_refused' : 'service_unavailable';
  }

  /** Whether a 429 pauses everything now. */
  get isPaused(): boolean {
    return (this.#limits?.pausedMs ?? 0) > performance.now() - this.#readAt;
  }

  /** How many updates this worker may have in flight. */
  get share(): number {
    const { concurrency, localConcurrency } = this.#parts;
    const share = Math.floor(concurrency / Math.max(1, this.#workers));
    return Math.max(1, Math.min(share, localConcurrency));
  }

  /** How many updates may be marked now, and in how many milliseconds the next may, as far as this process knows. */
  get free(): { readonly count: number; readonly inMs: number } {
    if (!this.isReady) return { count: 0, inMs: Number.POSITIVE_INFINITY };
    if (!this.#limits) return { count: Number.POSITIVE_INFINITY, inMs: 0 };
    const passedMs = performance.now() - this.#readAt;
    const { pausedMs, serviceMs, rateMs } = this.#limits;
    const limits = {
      ...this.#limits,
      pausedMs: pausedMs - passedMs,
      serviceMs: serviceMs - passedMs,
      rateMs: rateMs - passedMs,
    };
    return freePlaces(limits, this.#parts.rate, this.mayTry(limits));
  }

  /** Whether this worker may send the one update of a trial. */
  mayTry({ health, serviceMs }: Limits): boolean {
    // What is still to be queued again goes before others of its order; who has locked that may keep it for long.
    if (health.requeue.some((id) => !this.#locked.has(id))) return false;
    const isMine = health.trial !== undefined && health.owner === this.#id;
    return isMine && serviceMs > 0 && this.#watched.inFlight() === 0;
  }

  /** Reads the limits now: somebody may have lifted one. */
  async refresh(): Promise<Limits> {
    const begunAt = performance.now();
    const limits = await readLimits(this.#sql, this.#parts.schema);
    this.#noteUnlessOld(limits, begunAt);
    return limits;
  }

  #noteUnlessOld(limits: Limits, begunAt: number): void {
    // A turn may have changed them meanwhile.
    if (begunAt >= this.#readAt) this.note(limits);
  }

  /** Takes limits into account that were just read. */
  note(limits: Limits): void {
    const { client, warn, lifted } = this.#parts;
    this.#limits = limits;
    this.#readAt = performance.now();
    // A pause that a person lifted is also one of the client, which saw the 429.
    if (lifted.at !== undefined && lifted.at !== limits.resumed) {
      client.resume?.();
      this.#resumed.resolve();
    }
    lifted.at = limits.resumed;
    const { state, message = '' } = limits.health;
    if (state === this.#state) return;
    this.#state = state;
    if (state === 'ok') warn('The order service works again: updates are sent.');
    else warn(`${serviceProblems[state]}, so updates wait and the service is probed: ${message}`);
    this.#tick.resolve();
    this.#watched.wake();
  }

  /** Shows that this worker is alive, and looks after what is shared. */
  async #attend(): Promise<void> {
    while (!this.#stopping.aborted) {
      this.#tick = Promise.withResolvers();
      let waitMs = beatMs;
      try {
        const { health, serviceMs } = await this.#beat();
        await this.#requeue(health.requeue);
        if (health.state !== 'ok') {
          // Beside the beats, since an echo may take longer than a worker without one counts as alive.
          this.#probing ??= this.#probeInTurn(health, serviceMs)
            .catch((error) => {
              if (!this.#stopping.aborted) this.#watched.onError(error);
            })
            .finally(() => {
              this.#probing = undefined;
            });
          waitMs = Math.min(beatMs, Math.max(50, serviceMs));
        }
        await this.#watch();
        await this.#maintain();
      } catch (error) {
        if (!this.#stopping.aborted) this.#watched.onError(error);
      }
      const timer = setTimeout(this.#tick.resolve, waitMs);
      if (!this.#stopping.aborted) await this.#tick.promise;
      clearTimeout(timer);
    }
  }

  async #beat(): Promise<Limits> {
    const { schema } = this.#parts;
    const { isListening } = this.#parts.subscription;
    const { freeMs, sendingMs } = this.#watched.ages();
    const heartbeat = {
      workerId: this.#id,
      aliveMs,
      isListening,
      ...this.#problemAndReason(),
      freeMs,
      sendingMs,
    };
    const isFirst = this.#workers === 0;
    // Of two that start together, the later to show itself must see the other, so the first count comes after that.
    if (isFirst) await beat(this.#sql, schema, heartbeat);
    const begunAt = performance.now();
    const { workers, limits } = await beat(this.#sql, schema, heartbeat);
    this.#workers = workers;
    this.#noteUnlessOld(limits, begunAt);
    if (!isFirst) return limits;
    const joinMs = workers > 1 ? joiningMs : 0;
    this.#countedAt = performance.now() + joinMs;
    setTimeout(this.#watched.wake, joinMs).unref();
    return limits;
  }

  /** Looks for what is due and does not move though this worker has had free places for long, whatever the cause. */
  async #watch(): Promise<void> {
    const { schema, stallMs, sweeper, warn } = this.#parts;
    const now = performance.now();
    if (this.#watched.ages().freeMs < stallMs) {
      this.#stall = undefined;
      return;
    }
    if (now - this.#lookedAt < stallMs / 3) return;
    this.#lookedAt = now;
    const known = { stallMs, failure: () => undefined };
    const world = await readWorld(this.#sql, schema, known);
    // The state of this worker explains nothing here.
    const workers = world.workers.map((worker) =>
      worker.id === this.#id ? { ...worker, problem: undefined } : worker,
    );
    const held = await readHeld(this.#sql, schema, { ...world, workers });
    const stall = held.find(({ reason }) => reason === 'stalled');
    const isNew = stall !== undefined && this.#stall === undefined;
    this.#stall = stall;
    if (isNew) {
      warn(this.#stallProblem() ?? '');
      // Others are to see it at once.
      this.#tick.resolve();
    }
    // Without a job nothing takes them up: that is looked for at once, and not only every few minutes.
    if (stall) sweeper.hurry();
  }

  async #maintain(): Promise<void> {
    const { schema, queue, rate, sweeper, warn } = this.#parts;
    // After an outage those who are alive must show it first.
    if (this.#watched.isSteady() && performance.now() - this.#supervisedAt >= superviseMs - beatMs / 2) {
      this.#supervisedAt = performance.now();
      await queue.supervise();
      this.#watched.look();
      if (rate) await boundRate(this.#sql, schema, rate);
    }
    // A worker settles in the time of a beat more than one batch.
    const endAt = performance.now() + sweepMs;
    try {
      for (let hasMore = true; hasMore && performance.now() < endAt && !this.#stopping.aborted; ) {
        const swept = await sweeper.run();
        hasMore = swept.hasMore;
        if (swept.hasQueued) this.#watched.wake();
      }
    } catch (error) {
      // Not an outage: jobs of lost workers are looked for all the same.
      const problem = describeError(error);
      if (problem !== this.#sweepProblem && !this.#stopping.aborted)
        warn(`The outbox cannot clean its tables: ${problem}`);
      this.#sweepProblem = problem;
    }
  }

  /** Sends nothing before an echo has shown that the service takes the key. */
  async #checkKey(): Promise<void> {
    // The client may still know of a pause that was lifted meanwhile.
    await this.refresh().catch(() => {});
    // A probe for all may succeed first.
    for (let round = 0; !this.#stopping.aborted && !this.#hasEchoed; round++) {
      this.#resumed = Promise.withResolvers();
      const probe = await this.#probe();
      if (this.#hasEchoed) return;
      this.#echo = probe;
      const { signal, message } = probe;
      this.#tick.resolve();
      this.#watched.wake();
      if (signal === 'success') return;
      const reason = this.#keyReason();
      const problem = reason === 'paused' ? 'The order service limits this key' : serviceProblems[reason];
      if (round === 0 && !this.#stopping.aborted) this.#parts.warn(`${problem}: ${message}`);
      const slept = sleep(probeDelay(round), undefined, { signal: this.#stopping }).catch(() => {});
      await Promise.race([slept, this.#resumed.promise]);
    }
  }

  /** Probes where it is this worker's turn: an echo that succeeds lets it try one update. */
  async #probeInTurn(health: ServiceHealth, serviceMs: number): Promise<void> {
    if (serviceMs > 0 && health.owner !== this.#id) return;
    const lease = { owner: this.#id, ms: leaseMs };
    if (!(await this.#inTransaction((tx) => leaseProbe(tx, this.#parts.schema, lease)))) return;
    const probe = await this.#probe();
    if (this.#stopping.aborted) return;
    // Otherwise a worker that waits for its own next echo would hold the trial meanwhile.
    if (probe.signal === 'success') this.#echo = probe;
    await this.#inTransaction((tx) => storeProbe(tx, this.#parts.schema, this.#id, probe));
    await this.refresh();
    this.#tick.resolve();
    this.#watched.wake();
  }

  async #probe(): Promise<Probe> {
    try {
      const timeouts = { total: echoMs };
      const echo = this.#parts.client.echo({ retry: { maxAttempts: 1 }, signal: this.#stopping, timeouts });
      // A client of the caller's own may know no limit, and another process would probe meanwhile.
      await within(echoMs + 1_000, echo);
      return { signal: 'success', message: '' };
    } catch (error) {
      if (!(error instanceof OrdersError))
        return { signal: 'failure', message: 'The client threw in its echo, or did not end it.' };
      const status = 'status' in error ? error.status : undefined;
      const isRefused = error.outcome === 'rejected' && (status === 401 || status === 403);
      const isPaused = error.outcome === 'not_sent' && this.#parts.client.pausedUntil !== undefined;
      return { signal: isRefused ? 'refused' : 'failure', message: error.message, isPaused };
    }
  }

  /** Queues updates again that were rejected before the key was known to be refused. */
  async #requeue(ids: readonly string[]): Promise<void> {
    const { schema, queue } = this.#parts;
    const locked = new Set<string>();
    for (const id of ids)
      await this.#inTransaction(async (tx) => {
        // Another process may have queued it again, and it may have been refused for what it is since.
        if (!(await isToRequeue(tx, schema, id))) return;
        const became = await requeueUpdate({ tx, schema, queue }, id).catch((error) => {
          // A person has decided about it meanwhile.
          if (error instanceof OutboxError) return 'settled';
          throw error;
        });
        if (became === 'settled') await clearRequeue(tx, schema, id);
        if (became === 'locked') locked.add(id);
      });
    this.#locked = locked;
  }

  #inTransaction<T>(run: (tx: Sql) => Promise<T>): Promise<T> {
    return this.#parts.store.transaction(run, { worker: true });
  }
}
