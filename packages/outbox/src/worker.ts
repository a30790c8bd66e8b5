import { describeError } from './errors.ts';
import { takeSlots } from './limits.ts';
import { Monitor, type MonitorParts } from './monitor.ts';
import type { Authorization, SettledUpdate } from './options.ts';
import { Pace } from './pace.ts';
import { ageOf, currentMoment, type Head, type SendParts, sendHead, settleLost } from './send.ts';
import { createLane, type Lane, type Outcome, type TurnParts, type TurnResult, takeTurn } from './turn.ts';

/** What a worker needs. */
export interface WorkerParts extends TurnParts, MonitorParts, Omit<SendParts, 'client' | 'ending'> {
  readonly onSettled: (settled: SettledUpdate) => void;
}

/** How often a worker looks by itself, in milliseconds: with notifications, and without. */
const pollMs = { listening: 5_000, polling: 1_000 };
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
const locked = { againMs: 20, giveUpMs: 300, delayMs: 500, longestMs: 10_000 };
/** How many orders are remembered as locked; any above only wait for less long. */
const maxLocked = 100_000;
/** How long credentials may take, in milliseconds: what takes longer is read by each call itself, and fails there. */
const credentialsMs = 90_000;
/** How much later than an order is due the queue is looked at, in milliseconds: clocks and timers are that exact. */
const wakeLateMs = 5;
/** How long a worker waits after a database error, and until it trusts the database again, in milliseconds. */
const outage = { againMs: 500, overMs: 2_000, steadyMs: 12_000 };
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
  /** Orders to queue that it lost to another worker before their response arrived. */
  readonly #revive = new Set<string>();
  /** Since when orders that went back to the queue have been locked by callers, by the clock of `performance.now()`. */
  readonly #lockedSince = new Map<string, number>();
  /** The credentials of the next turn, once they are read, and since when they are waited for. */
  #key: { readonly credentials: Authorization | undefined } | undefined;
  #keyWantedAt: number | undefined;
  /** Whether a function reads them, which may be slow: then nothing is read before an order is there to be sent for. */
  #isKeyAsync = false;
  #outcomes: Outcome[] = [];
  /** Moments by the clock of `performance.now()`: when outcomes are stored, when it last looked, when it may go on. */
  #storeAt = 0;
  #reviveAt = 0;
  #polledAt = 0;
  #notBefore = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** What the database failed with last, and since when it has; when an update was sent or settled last. */
  #failure: string | undefined;
  #awaySince = 0;
  #movedAt = 0;
  /** When it last had no free place, or nothing could be sent. */
  #boundAt = performance.now();
  #isAway = false;
  /** Whether a claim has expired since an update was applied last: one warning is enough. */
  #hasExpired = false;
  /** Whether the queue may hold something that is due. */
  #mayFetch = true;
  #wake = Promise.withResolvers<void>();
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
    const { rate, store, schema } = parts;
    this.#pace =
      rate && new Pace(rate, (count) => takeSlots({ query: store.executeSql }, schema, rate, count));
    const isSteady = (): boolean =>
      performance.now() - this.#failedAt > outage.steadyMs && this.#unconfirmed().length === 0;
    this.#monitor = new Monitor(
      parts,
      {
        wake: () => this.wake(),
        poll: () => this.#pollNow(),
        isSteady,
        inFlight: () => this.#inFlight.size,
        ages: () => this.#ages(),
        failure: () => this.failure,
        waitsFor: () => this.#waitsFor(),
        onError: (error) => this.#databaseFails(error),
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
    this.#pollNow();
  }

  /** Looks at the queue by a single statement, unless a turn is due. */
  #pollNow(): void {
    this.#polledAt = Number.NEGATIVE_INFINITY;
    this.#wake.resolve();
  }

  /** Why it may not send now, in a sentence. */
  get problem(): string | undefined {
    return this.#monitor.problem;
  }

  /** Why it cannot use its database, in a sentence. */
  get failure(): string | undefined {
    if (this.#failure === undefined || performance.now() - this.#awaySince < outage.overMs) return undefined;
    return `The database of the outbox fails: ${this.#failure}`;
  }

  #waitsFor(): string | undefined {
    if (this.#keyWantedAt === undefined) return undefined;
    const seconds = Math.round((performance.now() - this.#keyWantedAt) / 1_000);
    return `The credentials function has been running for ${seconds} s`;
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
      const waitMs = this.#monitor.sendInMs;
      const isWaiting = waitMs > 0 && waitMs !== Number.POSITIVE_INFINITY;
      if (this.#inFlight.size > 0 || isWaiting || performance.now() - this.#movedAt < stallMs) return;
      idle.resolve(
        this.problem ?? this.#waitsFor() ?? `Nothing that is due has moved for ${stallMs / 1_000} s.`,
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
    this.#wake.resolve();
    const boundMs = Math.min(Math.max(0, graceMs), 2 ** 31 - 1 - storeMs);
    const grace = setTimeout(() => this.#ending.abort(), boundMs);
    const over = new Promise((resolve) => this.#over.signal.addEventListener('abort', resolve));
    const limit = setTimeout(() => this.#over.abort(), boundMs + storeMs);
    await Promise.race([this.#running, over]);
    for (const timer of [grace, limit, ...this.#timers]) clearTimeout(timer);
    this.#ending.abort();
    this.#over.abort();
    for (const resolve of this.#idle) resolve();
    return this.#inFlight.size + this.#outcomes.length;
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted && (!this.#stopping.signal.aborted || this.#isBusy())) {
      this.#wake = Promise.withResolvers();
      const waitMs = this.#nextMs();
      if (waitMs > 0) await this.#pause(waitMs);
      // What came in the same tick comes along; PGlite would respond before it could.
      else await new Promise(setImmediate);
      // Nothing is written once `stop` has said what could not be stored.
      if (this.#over.signal.aborted || this.#nextMs() > 0) continue;
      if (this.#maySend() && !this.#key && this.#keyWantedAt === undefined) {
        // They are read before anything is claimed, and other work goes on meanwhile.
        await Promise.race([this.#readKey(), new Promise(setImmediate)]);
        if (this.#nextMs() > 0) continue;
      }
      try {
        // Credentials that may be slow are read once an order is held: a poll takes it, by one statement.
        if ((this.#isKeyAsync ? this.#nextMoveMs() : this.#nextTurnMs()) <= 0) await this.#takeTurn();
        else await this.#poll();
        this.#databaseWorks();
      } catch (error) {
        this.#databaseFails(error);
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
    const timer = setTimeout(this.#wake.resolve, ms);
    await this.#wake.promise;
    clearTimeout(timer);
  }

  /** How long until something is due, in milliseconds. */
  #nextMs(): number {
    const now = performance.now();
    if (now < this.#notBefore) return this.#notBefore - now;
    return Math.max(0, Math.min(this.#nextTurnMs(), this.#nextPollMs()));
  }

  #nextPollMs(): number {
    if (this.#stopping.signal.aborted) return outage.againMs;
    const everyMs = this.#parts.subscription.isListening ? pollMs.listening : pollMs.polling;
    return this.#polledAt + everyMs - performance.now();
  }

  /** How long until a turn has something to do, in milliseconds. */
  #nextTurnMs(): number {
    // Orders go on together with the outcomes that are gathered.
    const mayFetch = this.#outcomes.length === 0 && this.#mayFetch;
    return Math.min(this.#nextMoveMs(), mayFetch ? this.#fetchInMs() : Number.POSITIVE_INFINITY);
  }

  /** How long until something is to be done with what it holds, in milliseconds. */
  #nextMoveMs(): number {
    const now = performance.now();
    const isGathering = this.#outcomes.length > 0;
    let nextAt = isGathering ? this.#storeAt : Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes) {
      const isMoving =
        lane.phase === 'leaving' || (lane.phase === 'ready' && this.#keyWantedAt === undefined);
      if (isMoving && !(isGathering && lane.dueAt <= now)) nextAt = Math.min(nextAt, lane.dueAt);
      if (!lane.isLost) nextAt = Math.min(nextAt, now + confirmMs - unconfirmedMs(lane));
    }
    if (this.#revive.size > 0) nextAt = Math.min(nextAt, this.#reviveAt);
    return nextAt - now;
  }

  /** Whether an order may be sent for in the next turn. */
  #maySend(): boolean {
    if (this.#stopping.signal.aborted || !this.#monitor.isReady || this.#places() <= 0) return false;
    return this.#due().length > 0 || (!this.#isKeyAsync && this.#mayFetch && this.#monitor.sendInMs <= 0);
  }

  /** Reads the credentials of the next turn. It never rejects: where they cannot be read, each call tries itself. */
  async #readKey(): Promise<void> {
    let credentials: Authorization | undefined;
    try {
      const reading = this.#parts.client.readCredentials?.();
      if (reading instanceof Promise) {
        this.#isKeyAsync = true;
        this.#keyWantedAt = performance.now();
        credentials = await within(credentialsMs, reading);
      } else credentials = reading;
    } catch {
      // The call reports it as what it is.
    }
    this.#key = { credentials };
    this.#keyWantedAt = undefined;
    this.#wake.resolve();
  }

  /** How long until orders may be taken from the queue, in milliseconds. */
  #fetchInMs(): number {
    if (this.#stopping.signal.aborted || this.#places() <= this.#due().filter(isUnlocked).length)
      return Number.POSITIVE_INFINITY;
    if (this.#keyWantedAt !== undefined) return Number.POSITIVE_INFINITY;
    return this.#monitor.sendInMs;
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
    return { freeMs: now - this.#boundAt, sendingMs: now - oldestAt };
  }

  /** Notes whether it could send more now. */
  #noteFree(): void {
    if (this.#places() <= 0 || this.#monitor.sendInMs > 0) this.#boundAt = performance.now();
  }

  #unconfirmed(): Lane[] {
    return [...this.#lanes].filter(
      (lane) => !lane.isLost && lane.phase !== 'leaving' && unconfirmedMs(lane) >= confirmMs,
    );
  }

  /** Looks at the queue, or at what holds this worker back, by a single statement, since it is idle. */
  async #poll(): Promise<void> {
    const { store, queue } = this.#parts;
    this.#polledAt = performance.now();
    const count = this.#places();
    if (count <= 0) return;
    if (this.#fetchInMs() > 0) return void (await this.#monitor.refresh());
    // A notification that arrives meanwhile sets it again.
    this.#mayFetch = false;
    const begunAt = currentMoment();
    const jobs = await queue.fetch({ query: store.executeSql }, count);
    for (const job of jobs) this.#lanes.add(Object.assign(createLane(job, begunAt), { isCertain: true }));
    if (jobs.length === count) this.#mayFetch = true;
  }

  async #takeTurn(): Promise<void> {
    const isStopping = this.#stopping.signal.aborted;
    const outcomes = [...this.#outcomes];
    const due = this.#due();
    // Who locked an order may have purged it.
    const wasLocked = due.filter(({ lockedSince }) => lockedSince !== undefined);
    const leaving = [...this.#lanes].filter(({ phase }) => phase === 'leaving');
    if (isStopping) leaving.push(...[...this.#lanes].filter(({ phase }) => phase === 'ready'));
    const hadMore = this.#mayFetch;
    const key = this.#key;
    this.#key = undefined;
    const mayFetch = key !== undefined && (hadMore || this.#nextPollMs() <= 0);
    // A notification that arrives meanwhile sets it again.
    if (mayFetch) this.#mayFetch = false;
    try {
      const result = await takeTurn(this.#parts, {
        places: isStopping || !key || !this.#monitor.isReady ? 0 : this.#places(),
        mayFetch: mayFetch && !isStopping,
        // Where credentials are waited for, so is each order that would be sent for with them.
        ready: isStopping || this.#keyWantedAt !== undefined ? [] : due,
        unconfirmed: () => [...new Set([...this.#unconfirmed(), ...wasLocked])],
        outcomes,
        leaving,
        revive: [...this.#revive],
        mayTry: (limits) => this.#monitor.mayTry(limits),
        onFetch: (lanes) => {
          for (const lane of lanes) this.#lanes.add(lane);
        },
      });
      this.#outcomes = this.#outcomes.slice(outcomes.length);
      this.#mayFetch ||= result.hasMore ?? hadMore;
      this.#follow(result, key?.credentials);
    } catch (error) {
      // The transaction may have been committed all the same: what is held must be confirmed first.
      for (const lane of this.#lanes) lane.confirmedAt = undefined;
      throw error;
    }
  }

  /** Goes on after a turn was committed. */
  #follow(result: TurnResult, credentials: Authorization | undefined): void {
    const now = performance.now();
    const { limits, hasMore, ended, lost, revived } = result;
    if (result.heads.length + result.outcomes.length > 0) this.#movedAt = now;
    if (hasMore !== undefined) this.#polledAt = now;
    for (const lane of this.#lanes) lane.isCertain = true;
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
    this.#reviveAt = now + (this.#revive.size > 0 ? locked.delayMs : 0);
    this.#followLocked(result.locked, now);
    for (const { job } of [...ended.filter(isUnlocked), ...result.heads.map(({ lane }) => lane)])
      this.#lockedSince.delete(job.token);
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
  #followLocked(lanes: readonly Lane[], now: number): void {
    for (const [index, lane] of lanes.entries()) {
      lane.lockedSince ??= now;
      if (index < this.#monitor.share && now - lane.lockedSince <= locked.giveUpMs) {
        lane.dueAt = now + locked.againMs;
        continue;
      }
      const since = this.#lockedSince.get(lane.job.token) ?? lane.lockedSince;
      if (this.#lockedSince.size < maxLocked) this.#lockedSince.set(lane.job.token, since);
      lane.isLockedOut = true;
      this.#leave(lane, Math.min(locked.longestMs, Math.max(locked.delayMs, now - since)));
    }
  }

  #send(result: TurnResult, credentials: Authorization | undefined): void {
    const { heads, abandoned, markedAt, slotsAt, limits } = result;
    const parts = { ...this.#parts, ending: this.#ending.signal };
    for (const { lane, head, slotMs } of heads) {
      const slot = { slotAt: slotsAt + slotMs, pace: this.#pace };
      const settling = sendHead(parts, head, { markedAt, ...slot, credentials });
      this.#track({ lane, head, isTrial: limits.health.state !== 'ok' }, settling);
    }
    for (const { lane, head } of abandoned) {
      // The queue gave the order away and back while this process was at it: its own response is to come or to be stored.
      const own = [...this.#inFlight.values(), ...this.#outcomes.map((outcome) => outcome.head)];
      const isOwn = own.some(({ claim, id }) => claim === head.claim && id === head.id);
      if (isOwn) this.#leave(lane, locked.delayMs);
      else this.#track({ lane, head, isTrial: false }, settleLost(parts, head));
    }
  }

  /** Follows an update in flight until its outcome is there. */
  #track(sent: Omit<Outcome, 'settlement'>, settling: Promise<Outcome['settlement']>): void {
    const { lane, head } = sent;
    lane.phase = 'in_flight';
    lane.lockedSince = undefined;
    lane.sent++;
    lane.sentAt = performance.now();
    this.#inFlight.set(lane, head);
    void settling.then((settlement) => {
      const now = performance.now();
      this.#inFlight.delete(lane);
      // The next turn stores it.
      this.#outcomes.push({ ...sent, settlement });
      // The others in flight use the moment that outcomes are gathered.
      if (this.#outcomes.length >= this.#inFlight.size) this.#storeAt = now;
      else if (this.#outcomes.length === 1) this.#storeAt = now + gatherMs;
      const isOver = lane.sent >= maxVisit.sent || now - lane.takenAt > maxVisit.ms;
      if (lane.isLost) {
        this.#giveUp(lane);
        // At a slow rate every order waits, so each goes behind the others.
      } else if (settlement.delayMs > 0 || isOver || this.#parts.rate) this.#leave(lane, settlement.delayMs);
      else Object.assign(lane, { phase: 'ready', dueAt: now });
      this.#wake.resolve();
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

  #databaseFails(error: unknown): void {
    if (!this.#isAway)
      this.#parts.warn(
        `The database of the outbox fails, and the outbox tries again: ${describeError(error)}`,
      );
    if (!this.#isAway) this.#awaySince = performance.now();
    this.#failure = describeError(error);
    this.#isAway = true;
    this.#failedAt = performance.now();
    this.#notBefore = this.#failedAt + outage.againMs;
    this.#mayFetch = true;
  }

  #databaseWorks(): void {
    // While it comes back, some statements still fail.
    if (!this.#isAway || performance.now() - this.#failedAt < outage.overMs) return;
    this.#isAway = false;
    this.#failure = undefined;
    this.#parts.warn('The database of the outbox works again.');
  }

  #resolveIdle(): void {
    if (this.#idle.size === 0 || this.#isBusy()) return;
    if (!this.#monitor.isReady && !this.#monitor.isStuck) return;
    // With a rate, there is a wait before the next; what a 429 or the breaker holds back is not due.
    const isHeld = this.#monitor.isPaused || this.#monitor.sendInMs === Number.POSITIVE_INFINITY;
    if (this.#mayFetch && !isHeld) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }
}

/** Whether no caller was seen to have locked an order. */
function isUnlocked({ lockedSince }: Lane): boolean {
  return lockedSince === undefined;
}

/** Waits for a promise, but no longer than so many milliseconds. @throws what it rejects with, and where that is over */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new Error('the credentials took too long')), ms);
  return Promise.race([work, over.promise]).finally(() => clearTimeout(timer));
}

/** How long ago a job was last known to be held, in milliseconds. */
function unconfirmedMs({ confirmedAt }: Lane): number {
  return confirmedAt ? ageOf(confirmedAt) : Number.POSITIVE_INFINITY;
}
