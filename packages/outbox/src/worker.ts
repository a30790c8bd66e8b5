import { Credentials } from './credentials.ts';
import { createLane, isUnlocked, type Lane, unconfirmedMs } from './lane.ts';
import { takeSlots } from './limits.ts';
import { Monitor, type MonitorParts } from './monitor.ts';
import type { Authorization, SettledUpdate } from './options.ts';
import { Outage } from './outage.ts';
import { Pace } from './pace.ts';
import { currentMoment, type Head, type SendParts, sendHead, settleLost } from './send.ts';
import type { SettledHead } from './statements.ts';
import { type TurnParts, type TurnResult, takeTurn } from './turn.ts';

/** What a worker needs. */
export interface WorkerParts extends TurnParts, MonitorParts, Omit<SendParts, 'client' | 'ending'> {
  readonly onSettled: (settled: SettledUpdate) => void;
}

/** How often a worker looks at the queue by itself, in milliseconds: with notifications, and without. */
const lookMs = { listening: 5_000, polling: 1_000 };
/** How long a job is held without confirming it, in milliseconds. */
const confirmMs = 3_000;
/** Outcomes are stored together that come within this time, in milliseconds. */
const gatherMs = 3;
/** How long and how often an order may go on before others get its place, in milliseconds and updates. */
const maxVisit = { ms: 10_000, sent: 16 };
/**
 * How soon an order that a caller has locked is tried again, when it goes back to the queue, and for how long then, in
 * milliseconds: as long as it has been locked, within bounds.
 */
const lockedWait = { againMs: 20, giveUpMs: 300, delayMs: 500, longestMs: 10_000 };
/** How many orders are remembered as locked; any above only wait for less long. */
const maxLocked = 100_000;
/** How much later than an order is due the queue is looked at, in milliseconds: clocks and timers are that exact. */
const wakeLateMs = 5;
/** How often it looks whether it is done once it stops, in milliseconds. */
const stoppingMs = 500;
/** How long storing may take once everything in flight has ended, in milliseconds. */
const storeMs = 5_000;

/** Sends what is queued until it is stopped: takes orders, sends their updates, stores the outcomes. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #monitor: Monitor;
  readonly #pace: Pace | undefined;
  /** The orders that it holds. */
  readonly #lanes = new Set<Lane>();
  /** The updates in flight. */
  readonly #inFlight = new Map<Lane, Head>();
  /**
   * Orders of lost lanes to queue again. The next worker may have sent the update to review, which ended the job; where a late
   * response settles it, nothing else queues what is behind it.
   */
  readonly #revive = new Set<string>();
  /** Since when orders that went back to the queue have been locked by callers, by the clock of `performance.now()`. */
  readonly #lockedOutSince = new Map<string, number>();
  readonly #credentials: Credentials;
  readonly #outage: Outage;
  /** What is to be stored. */
  #outcomes: SettledHead[] = [];
  /**
   * Moments by the clock of `performance.now()`: when outcomes are stored and freed orders queued, when it last looked at the
   * queue, and when an update was sent or settled last.
   */
  #storeAt = 0;
  #reviveAt = 0;
  #lookedAt = 0;
  #movedAt = 0;
  /** When it last had no free place, or nothing could be sent. */
  #lastFullAt = performance.now();
  /** Whether a claim has expired since an update was applied last: one warning is enough. */
  #hasExpired = false;
  /** Whether the queue may hold something that is due. */
  #mayFetch = true;
  #woken = Promise.withResolvers<void>();
  readonly #idle = new Set<() => void>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Nothing more is begun. */
  readonly #stopping = new AbortController();
  /** What is in flight is aborted. */
  readonly #ending = new AbortController();
  /** What is not stored is given up. */
  readonly #over = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { rate, store, schema, client, warn } = parts;
    this.#credentials = new Credentials(client);
    this.#outage = new Outage(warn);
    this.#pace =
      rate && new Pace(rate, (count) => takeSlots({ query: store.executeSql }, schema, rate, count));
    this.#monitor = new Monitor(
      parts,
      {
        wake: () => this.wake(),
        look: () => this.#lookNow(),
        isSteady: () => this.#outage.isSteady && this.#unconfirmed().length === 0,
        inFlight: () => this.#inFlight.size,
        ages: () => this.#ages(),
        failure: () => this.failure,
        waitsFor: () => this.#credentials.waitsFor,
        onError: (error) => this.#outage.begins(error),
      },
      this.#stopping.signal,
    );
  }

  start(): void {
    this.#running ??= Promise.all([this.#run(), this.#monitor.run()]);
  }

  /** Looks at the queue at once. */
  wake(): void {
    this.#mayFetch = true;
    this.#lookNow();
  }

  #lookNow(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#woken.resolve();
  }

  /** Why it may not send now, in a sentence. */
  get problem(): string | undefined {
    return this.#monitor.problem;
  }

  /** Why it cannot use its database, in a sentence. */
  get failure(): string | undefined {
    return this.#outage.problem;
  }

  /** Whether only its database keeps it from ending: nothing is in flight, and the database fails, or nothing is left to store. */
  get isStuck(): boolean {
    return this.#inFlight.size === 0 && (this.failure !== undefined || !this.#isBusy());
  }

  /**
   * Resolves when nothing is due that this worker could send; with why, where nothing has moved for so long that it has to
   * be taken for stalled.
   */
  async whenIdle(): Promise<string | undefined> {
    const { stallMs } = this.#parts;
    const idle = Promise.withResolvers<string | undefined>();
    const resolve = (): void => idle.resolve(this.problem);
    this.#idle.add(resolve);
    this.#movedAt = performance.now();
    const timer = setInterval(() => {
      const waitMs = this.#monitor.free.inMs;
      const isWaiting = waitMs > 0 && waitMs !== Number.POSITIVE_INFINITY;
      if (this.#inFlight.size > 0 || isWaiting || performance.now() - this.#movedAt < stallMs) return;
      idle.resolve(
        this.problem ??
          this.#credentials.waitsFor ??
          `Nothing that is due has moved for ${stallMs / 1_000} s.`,
      );
    }, stallMs / 10);
    this.wake();
    return idle.promise.finally(() => {
      clearInterval(timer);
      this.#idle.delete(resolve);
    });
  }

  /**
   * Begins nothing more, waits for what is in flight, aborts it after the grace, and stores the outcomes. Resolves with the
   * number of updates whose outcome could not be stored.
   */
  async stop(graceMs: number): Promise<number> {
    this.#stopping.abort();
    this.#woken.resolve();
    const boundMs = Math.min(Math.max(0, graceMs), 2 ** 31 - 1 - storeMs);
    const grace = setTimeout(() => this.#ending.abort(), boundMs);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#over.signal.addEventListener('abort', () => resolve());
    // A stop with a shorter grace may be over.
    if (this.#over.signal.aborted) resolve();
    const limit = setTimeout(() => this.#over.abort(), boundMs + storeMs);
    await Promise.race([this.#running, over]);
    for (const timer of [grace, limit, ...this.#timers]) clearTimeout(timer);
    this.#ending.abort();
    this.#over.abort();
    for (const end of this.#idle) end();
    return this.#inFlight.size + this.#outcomes.length;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted && (!this.#stopping.signal.aborted || this.#isBusy())) {
      this.#woken = Promise.withResolvers();
      const waitMs = this.#nextAt() - performance.now();
      if (waitMs > 0) await this.#pause(waitMs);
      // What came in the same tick comes along; PGlite would respond before it could.
      else await new Promise(setImmediate);
      // Nothing is written once `stop` has said what could not be stored.
      if (this.#over.signal.aborted || this.#nextAt() > performance.now()) continue;
      try {
        if (this.#nextLookAt() <= performance.now()) await this.#look();
        // Other work goes on while they are read.
        if (this.#maySend()) await Promise.race([this.#readCredentials(), new Promise(setImmediate)]);
        if (this.#nextTurnAt() <= performance.now() && !this.#over.signal.aborted) await this.#takeTurn();
        this.#outage.ends();
      } catch (error) {
        this.#outage.begins(error);
        this.#mayFetch = true;
      }
      this.#noteFree();
      this.#resolveIdle();
    }
  }

  #isBusy(): boolean {
    return this.#lanes.size + this.#revive.size + this.#outcomes.length > 0;
  }

  /** Waits until something happens, or for so long. */
  async #pause(ms: number): Promise<void> {
    const timer = setTimeout(this.#woken.resolve, ms);
    await this.#woken.promise;
    clearTimeout(timer);
  }

  /** When something is due, by the clock of `performance.now()`. */
  #nextAt(): number {
    return Math.max(this.#outage.againAt, Math.min(this.#nextTurnAt(), this.#nextLookAt()));
  }

  /** When a turn has something to do with what it holds. */
  #nextTurnAt(): number {
    const now = performance.now();
    const isGathering = this.#outcomes.length > 0;
    let nextAt = isGathering ? this.#storeAt : Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes) {
      const isMoving = lane.phase === 'leaving' || (lane.phase === 'ready' && !this.#credentials.isReading);
      // Orders go on together with the outcomes that are gathered.
      if (isMoving && !(isGathering && lane.dueAt <= now)) nextAt = Math.min(nextAt, lane.dueAt);
      if (!lane.isLost) nextAt = Math.min(nextAt, now + confirmMs - unconfirmedMs(lane));
    }
    return this.#revive.size > 0 ? Math.min(nextAt, this.#reviveAt) : nextAt;
  }

  /** When it looks at the queue, or at what holds it back. */
  #nextLookAt(): number {
    const now = performance.now();
    if (this.#stopping.signal.aborted) return now + stoppingMs;
    const dueAt = this.#lookedAt + (this.#parts.subscription.isListening ? lookMs.listening : lookMs.polling);
    // Outcomes that are gathered are stored by the turn that goes on with what is fetched.
    const isGathering = this.#outcomes.length > 0 && this.#storeAt > now;
    return this.#mayFetch && !isGathering ? Math.min(dueAt, now + this.#room().inMs) : dueAt;
  }

  /** How many more orders may be fetched, and in how many milliseconds. */
  #room(): { readonly count: number; readonly inMs: number } {
    const never = { count: 0, inMs: Number.POSITIVE_INFINITY };
    const due = this.#due().filter(isUnlocked).length;
    const places = this.#places();
    if (this.#stopping.signal.aborted || this.#credentials.isReading || places <= due) return never;
    const free = this.#monitor.free;
    if (free.count === 0) return free;
    const count = Math.min(places, free.count) - due;
    return count > 0 ? { count, inMs: 0 } : never;
  }

  /** Whether the next turn may mark an update. */
  #maySend(): boolean {
    if (this.#stopping.signal.aborted || !this.#monitor.isReady) return false;
    return this.#places() > 0 && this.#due().length > 0;
  }

  async #readCredentials(): Promise<void> {
    await this.#credentials.read();
    this.#woken.resolve();
  }

  #places(): number {
    return this.#monitor.share - this.#inFlight.size;
  }

  /** Orders whose next update is due. */
  #due(): Lane[] {
    const now = performance.now();
    return [...this.#lanes].filter(({ phase, dueAt }) => phase === 'ready' && dueAt <= now);
  }

  #ages(): { readonly freeMs: number; readonly sendingMs: number } {
    const now = performance.now();
    this.#noteFree();
    const oldestAt = Math.min(now, ...[...this.#inFlight.keys()].map(({ sentAt }) => sentAt));
    return { freeMs: now - this.#lastFullAt, sendingMs: now - oldestAt };
  }

  /** Notes whether it could send more now. */
  #noteFree(): void {
    if (this.#places() <= 0 || this.#monitor.free.inMs > 0) this.#lastFullAt = performance.now();
  }

  #unconfirmed(): Lane[] {
    return [...this.#lanes].filter(
      (lane) => !lane.isLost && lane.phase !== 'leaving' && unconfirmedMs(lane) >= confirmMs,
    );
  }

  /** Fetches orders from the queue, or reads what keeps this worker from that, by a single statement. */
  async #look(): Promise<void> {
    const { store, queue } = this.#parts;
    this.#lookedAt = performance.now();
    if (this.#places() <= 0) return;
    const { count } = this.#room();
    if (count === 0) return void (await this.#monitor.refresh());
    // A notification that arrives meanwhile sets it again.
    this.#mayFetch = false;
    const begunAt = currentMoment();
    const jobs = await queue.fetch({ query: store.executeSql }, count);
    for (const job of jobs) this.#lanes.add(createLane(job, begunAt));
    this.#mayFetch ||= jobs.length === count;
  }

  async #takeTurn(): Promise<void> {
    const isStopping = this.#stopping.signal.aborted;
    const outcomes = [...this.#outcomes];
    const due = this.#due();
    // Who locked an order may have purged it.
    const wasLocked = due.filter((lane) => !isUnlocked(lane));
    const leaving = [...this.#lanes].filter(
      ({ phase }) => phase === 'leaving' || (isStopping && phase === 'ready'),
    );
    const read = this.#credentials.take();
    try {
      const result = await takeTurn(this.#parts, {
        // With 0 places, a turn gives all back that it gets as `ready`; the other orders stay held.
        places: isStopping || !read || !this.#monitor.isReady ? 0 : this.#places(),
        // Nothing is marked while the credentials that it would be sent with are being read.
        ready: isStopping || this.#credentials.isReading ? [] : due,
        unconfirmed: () => [...new Set([...this.#unconfirmed(), ...wasLocked])],
        outcomes,
        leaving,
        revive: [...this.#revive],
        mayTry: (limits) => this.#monitor.mayTry(limits),
      });
      this.#outcomes = this.#outcomes.slice(outcomes.length);
      this.#applyTurn(result, read?.credentials);
    } catch (error) {
      // The transaction may have been committed all the same: what is held must be confirmed first.
      for (const lane of this.#lanes) lane.confirmedAt = undefined;
      for (const lane of due) lane.mayBeMarked = true;
      throw error;
    }
  }

  /** Goes on after a turn was committed: applies it to the lanes, sends the heads that it marked, and reports what it stored. */
  #applyTurn(result: TurnResult, credentials: Authorization | undefined): void {
    const now = performance.now();
    const { limits, ended, lost, revived } = result;
    if (result.heads.length + result.outcomes.length > 0) this.#movedAt = now;
    for (const lane of ended) {
      this.#lanes.delete(lane);
      if (lane.phase !== 'leaving') continue;
      if (lane.delayMs > 0) this.#wakeIn(lane.delayMs + wakeLateMs);
      else this.#mayFetch = true;
    }
    for (const lane of lost) {
      lane.isLost = true;
      if (!this.#inFlight.has(lane)) this.#giveUp(lane);
    }
    for (const token of revived) this.#revive.delete(token);
    this.#reviveAt = now + (this.#revive.size > 0 ? lockedWait.delayMs : 0);
    this.#retryLocked(result.locked, now);
    for (const { job } of [...ended.filter(isUnlocked), ...result.heads.map(({ lane }) => lane)])
      this.#lockedOutSince.delete(job.token);
    this.#monitor.note(limits);
    this.#send(result, credentials);
    for (const { head, settlement } of result.outcomes) {
      const ageMs = result.stored.get(head.id);
      if (ageMs === undefined) continue;
      const { state, code, status, message = '' } = settlement;
      if (code === 'claim_expired' && !this.#hasExpired)
        this.#parts.warn(`The update ${head.id}: ${message}`);
      this.#hasExpired = code === 'claim_expired' || (this.#hasExpired && state !== 'applied');
      const details = { ...(code !== undefined && { code }), ...(status !== undefined && { status }) };
      this.#parts.onSettled({ id: head.id, token: head.token, state, ageMs, ...details });
    }
  }

  /** A lock is mostly over in a moment, so a few orders are tried again at once; the others go back to the queue. */
  #retryLocked(lanes: readonly Lane[], now: number): void {
    for (const [index, lane] of lanes.entries()) {
      lane.lockedSince ??= now;
      if (index < this.#monitor.share && now - lane.lockedSince <= lockedWait.giveUpMs) {
        lane.dueAt = now + lockedWait.againMs;
        continue;
      }
      const since = this.#lockedOutSince.get(lane.job.token) ?? lane.lockedSince;
      if (this.#lockedOutSince.size < maxLocked) this.#lockedOutSince.set(lane.job.token, since);
      lane.isLockedOut = true;
      this.#leave(lane, Math.min(lockedWait.longestMs, Math.max(lockedWait.delayMs, now - since)));
    }
  }

  #send(result: TurnResult, credentials: Authorization | undefined): void {
    const { heads, abandoned, markedAt, slotsAt, limits } = result;
    const parts = { ...this.#parts, ending: this.#ending.signal };
    for (const { lane, head, slotMs } of heads) {
      const slot = { slotAt: slotsAt + slotMs, pace: this.#pace };
      const settling = sendHead(parts, head, { markedAt, ...slot, credentials });
      this.#track({ lane, head, trial: limits.health.trial }, settling);
    }
    for (const { lane, head } of abandoned) {
      // The queue gave the order away and back while this process was at it: its own response is to come or to be stored.
      const own = [...this.#inFlight.values(), ...this.#outcomes.map((outcome) => outcome.head)];
      const isOwn = own.some(({ claim, id }) => claim === head.claim && id === head.id);
      if (isOwn) this.#leave(lane, lockedWait.delayMs);
      else this.#track({ lane, head, trial: undefined }, settleLost(parts, head));
    }
  }

  /** Follows an update in flight until its outcome is there. */
  #track(sent: Omit<SettledHead, 'settlement'>, settling: Promise<SettledHead['settlement']>): void {
    const { lane, head } = sent;
    lane.phase = 'in_flight';
    lane.lockedSince = undefined;
    lane.mayBeMarked = false;
    lane.sent++;
    lane.sentAt = performance.now();
    this.#inFlight.set(lane, head);
    void settling.then((settlement) => {
      const now = performance.now();
      this.#inFlight.delete(lane);
      // The next turn stores it.
      this.#outcomes.push({ ...sent, settlement });
      // Where more are in flight, others may come along.
      if (this.#outcomes.length >= this.#inFlight.size) this.#storeAt = now;
      else if (this.#outcomes.length === 1) this.#storeAt = now + gatherMs;
      const isOver = lane.sent >= maxVisit.sent || now - lane.takenAt > maxVisit.ms;
      if (lane.isLost) {
        this.#giveUp(lane);
        // At a slow rate every order waits, so each goes behind the others.
      } else if (settlement.delayMs > 0 || isOver || this.#parts.rate) this.#leave(lane, settlement.delayMs);
      else Object.assign(lane, { phase: 'ready', dueAt: now });
      this.#woken.resolve();
    });
  }

  /** Forgets an order that another worker may have: a late response may have freed it after that one looked. */
  #giveUp(lane: Lane): void {
    this.#lanes.delete(lane);
    if (lane.sent > 0) this.#revive.add(lane.job.token);
  }

  /** Sends an order back to the queue, at once or later. */
  #leave(lane: Lane, delayMs: number): void {
    Object.assign(lane, { phase: 'leaving', dueAt: performance.now(), delayMs });
  }

  /** Looks at the queue when an order is due that went back to it. */
  #wakeIn(ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake();
    }, ms);
    this.#timers.add(timer);
  }

  #resolveIdle(): void {
    if (this.#idle.size === 0 || this.#isBusy()) return;
    if (!this.#monitor.isReady && !this.#monitor.isStuck) return;
    // With a rate, there is a wait before the next; what a 429 or the breaker holds back is not due.
    const isHeld = this.#monitor.isPaused || this.#monitor.free.inMs === Number.POSITIVE_INFINITY;
    if (this.#mayFetch && !isHeld) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }
}
