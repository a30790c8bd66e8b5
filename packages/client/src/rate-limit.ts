import type { Credentials } from '@orders/auth';
import { type Call, endedFailure, timeoutFailure } from './call.ts';
import { type Clock, systemClock } from './deadline.ts';
import type { AttemptFailure, AttemptResult } from './errors.ts';
import { KeyPace } from './key-pace.ts';
import { check, checkCount, longestTimerMs, type RateLimitOptions } from './options.ts';
import { Slots } from './slots.ts';

/** Calls prepare so long before their slot, so that a hook or credentials that take less cost none. In milliseconds. */
const prepareMs = 10_000;

/** A call in the rate limit, attempt by attempt. */
export interface Turn {
  readonly call: Call;
  readonly key: string | Credentials;
  /**
   * `queued` waits to be near enough to its slot to prepare; `preparing` runs `beforeAttempt` and reads credentials;
   * `ready` waits for its slot; `leaving` was let go, and may be connecting; `left` was sent, or is done.
   */
  state: 'queued' | 'preparing' | 'ready' | 'leaving' | 'left';
  /** When its last attempt left. */
  leftAt: number;
  /** Lets it look again at what it waits for. */
  wake: () => void;
}

/**
 * Limits what leaves: by the rate of the client, and by what the 429s to a key have taught. Calls wait in one line. A slot
 * is taken by the first byte, so what does not leave takes none.
 */
export class RateLimit {
  readonly clock: Clock;
  readonly maxPauseMs: number;
  /** Absent when the client has no `rateLimit`. */
  readonly #rate: Slots | undefined;
  /** Of the keys that got a 429; a function stands for the keys that it returns. */
  readonly #paces = new Map<string | Credentials, KeyPace>();
  /** Calls that are queued, and behind which none is near its slot. */
  readonly #queued: Turn[] = [];
  /** Calls that prepare or are ready, in the order of departure. */
  readonly #near: Turn[] = [];
  #cancelTimer: () => void = () => {};

  /** @throws TypeError when a rate or a burst is not positive. */
  constructor(options: RateLimitOptions | undefined, maxPauseMs: number, clock = systemClock) {
    this.clock = clock;
    this.maxPauseMs = maxPauseMs;
    if (!options) return;
    const { requestsPerSecond, burst = 1 } = options;
    check(
      typeof requestsPerSecond === 'number' && requestsPerSecond > 0,
      'rateLimit.requestsPerSecond: write a number above 0.',
    );
    this.#rate = new Slots(requestsPerSecond, checkCount('rateLimit.burst', burst));
  }

  /** How long a pause of these credentials still lasts: `Infinity` while the probe after a long pause is under way. */
  pausedMs(credentials: Credentials): number {
    return this.#paceOf(keyOf(credentials))?.pausedMs(this.clock.now()) ?? 0;
  }

  /** How long the next attempt of a call would wait behind all that wait now. */
  waitMs(turn: Turn): number {
    const { rateMs, paceMs } = this.#delaysOf(turn, this.#waiting(), this.clock.now());
    return Math.max(rateMs, paceMs);
  }

  /** Ends all pauses and forgets the paces: what waits goes on as `rateLimit` lets it. */
  resume(): void {
    this.#paces.clear();
    this.#advance();
  }

  createTurn(call: Call): Turn {
    return { call, key: keyOf(call.options.credentials), state: 'left', leftAt: 0, wake: () => {} };
  }

  /** Waits until an attempt may prepare. A call that a pause or the rate outlasts fails at once. */
  async waitToPrepare(turn: Turn): Promise<AttemptFailure | undefined> {
    const ended = endedFailure(turn.call, 'before the next attempt');
    if (ended || !this.#isLimited(turn)) return ended;
    this.#queued.push(turn);
    return await this.#pass(turn, 'queued');
  }

  /** Waits for the slot of an attempt that is prepared, or that was let go and connected too late. */
  async waitForSlot(turn: Turn): Promise<AttemptFailure | undefined> {
    this.#giveBack(turn);
    if (!this.#isLimited(turn)) {
      // A pause that was lifted may have let it prepare.
      this.stepOut(turn);
      return undefined;
    }
    if (!this.#near.includes(turn)) this.#near.unshift(turn);
    return await this.#pass(turn, 'ready');
  }

  async #pass(turn: Turn, state: 'queued' | 'ready'): Promise<AttemptFailure | undefined> {
    const { attempts, deadline, options } = turn.call;
    turn.state = state;
    // Behind another one with its key, it waits as that one does.
    if (state === 'ready' || this.#queued.at(-2)?.key !== turn.key) this.#advance();
    while (turn.state === state) {
      // The time of an item of a bulk run begins when it may be sent.
      const isCounted = !options.bulk || attempts.length > 0;
      const ended = endedFailure(turn.call, 'waiting for a slot');
      const failure = ended ?? (isCounted ? this.#outlastedFailure(turn) : undefined);
      if (failure) return failure;
      const from = this.clock.now();
      await deadline.wait(isCounted ? deadline.remainingMs() : longestTimerMs, (wake) => {
        turn.wake = wake;
      });
      if (!isCounted) deadline.extend(this.clock.now() - from);
    }
    return undefined;
  }

  /** Whether the first byte may leave now, which takes the slot: connecting may have taken so long that it is lost. */
  leave(turn: Turn): boolean {
    const now = this.clock.now();
    const pace = this.#paceOf(turn.key);
    const limits = this.#limits(pace);
    if (pace && pace.pausedMs(now, turn) > 0) return false;
    if (limits.some((slots) => !slots.isFree(now))) return false;
    for (const slots of limits) slots.take(now);
    turn.state = 'left';
    turn.leftAt = now;
    return true;
  }

  /** An attempt has ended, or could not leave. A 429 applies to the key, so it pauses every call with it. */
  ended(turn: Turn, result: AttemptResult): void {
    this.#giveBack(turn);
    const now = this.clock.now();
    if (result.code && result.status === 429) {
      const pace = this.#paceOf(turn.key) ?? this.#createPace(turn.key, now);
      pace.refused(turn, result.retryAfterMs ?? 0, now);
      for (const waiting of this.#waiting()) if (waiting.key === turn.key) waiting.wake();
    } else this.#paceOf(turn.key)?.ended(turn, result.status !== undefined, now);
    this.#advance();
  }

  /** A call waits for nothing any more. */
  stepOut(turn: Turn): void {
    if (turn.state === 'left') return;
    this.#giveBack(turn);
    for (const line of [this.#near, this.#queued])
      if (line.includes(turn)) line.splice(line.indexOf(turn), 1);
    turn.state = 'left';
    this.#advance();
  }

  /** Ends the calls of a bulk run that wait here. */
  abortWaiting(run: object, reason: unknown): void {
    for (const { call } of this.#waiting()) if (call.options.bulk?.run === run) call.deadline.abort(reason);
  }

  /** One that was let go does not leave. */
  #giveBack(turn: Turn): void {
    if (turn.state !== 'leaving') return;
    turn.state = 'left';
    const pace = this.#paceOf(turn.key);
    for (const slots of this.#limits(pace)) slots.giveBack();
    pace?.ended(turn, false, 0);
  }

  #waiting(): readonly Turn[] {
    return [...this.#near, ...this.#queued];
  }

  #isLimited({ key }: Turn): boolean {
    return this.#rate !== undefined || this.#paceOf(key) !== undefined;
  }

  #limits(pace: KeyPace | undefined): readonly Slots[] {
    return [this.#rate, pace?.slots].filter((slots) => slots !== undefined);
  }

  #paceOf(key: string | Credentials): KeyPace | undefined {
    if (this.#paces.size === 0) return undefined;
    const pace = this.#paces.get(key);
    if (!pace?.isOver(this.clock.now())) return pace;
    this.#paces.delete(key);
    return undefined;
  }

  #createPace(key: string | Credentials, now: number): KeyPace {
    for (const each of [...this.#paces.keys()]) this.#paceOf(each);
    const pace = new KeyPace(this.maxPauseMs, now);
    this.#paces.set(key, pace);
    return pace;
  }

  /** Lets calls go on that may, and looks again when more may. */
  #advance(): void {
    this.#cancelTimer();
    if (this.#near.length + this.#queued.length === 0) return;
    const now = this.clock.now();
    const nextMs = Math.min(this.#letGo(now), this.#letPrepare(now));
    if (nextMs < Number.POSITIVE_INFINITY)
      this.#cancelTimer = this.clock.setTimer(() => this.#advance(), Math.min(nextMs, longestTimerMs));
  }

  /** Lets ready calls go whose slots are free; returns how long until the next one is. */
  #letGo(now: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    const held = new Set<string | Credentials>();
    for (const turn of [...this.#near]) {
      if (turn.state !== 'ready' || held.has(turn.key)) continue;
      const { rateMs, paceMs } = this.#delaysOf(turn, [], now);
      // It holds back those behind as well.
      if (rateMs > 0) return Math.min(nextMs, rateMs);
      if (paceMs > 0) {
        nextMs = Math.min(nextMs, paceMs);
        held.add(turn.key);
      } else {
        const pace = this.#paceOf(turn.key);
        this.#near.splice(this.#near.indexOf(turn), 1);
        turn.state = 'leaving';
        for (const slots of this.#limits(pace)) slots.letGo(now);
        pace?.letGo(turn, now);
        turn.wake();
      }
    }
    return nextMs;
  }

  /** Lets queued calls prepare whose slots are near; returns how long until the next one is. */
  #letPrepare(now: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    const held = new Set<string | Credentials>();
    for (const turn of [...this.#queued]) {
      if (held.has(turn.key)) continue;
      const { rateMs, paceMs } = this.#delaysOf(turn, this.#near, now);
      const waitMs = Math.max(rateMs, paceMs) - prepareMs;
      if (waitMs > 0) {
        nextMs = Math.min(nextMs, waitMs);
        // The rate holds back those behind it as well, and a pace those with its key.
        if (rateMs >= paceMs) return nextMs;
        held.add(turn.key);
      } else {
        this.#queued.splice(this.#queued.indexOf(turn), 1);
        this.#near.push(turn);
        turn.state = 'preparing';
        turn.wake();
      }
    }
    return nextMs;
  }

  /** How long a call waits behind others: by the rate of the client, and by the pause and the pace of its key. */
  #delaysOf({ key }: Turn, ahead: readonly Turn[], now: number): Delays {
    const pace = this.#paceOf(key);
    const same = pace ? ahead.filter((turn) => turn.key === key).length : 0;
    // What waits with another key that got a 429 may stay long, so it does not count.
    const before =
      this.#paces.size > 0 ? ahead.filter((turn) => turn.key === key || !this.#paceOf(turn.key)) : ahead;
    return {
      rateMs: this.#rate?.delayMs(now, before.length) ?? 0,
      paceMs: pace ? Math.max(pace.pausedMs(now), pace.slots.delayMs(now, same)) : 0,
    };
  }

  #outlastedFailure(turn: Turn): AttemptFailure | undefined {
    const { call } = turn;
    const line = this.#waiting();
    const remainingMs = call.deadline.remainingMs();
    const { rateMs, paceMs } = this.#delaysOf(turn, line.slice(0, line.indexOf(turn)), this.clock.now());
    // The probe after a long pause may end at any time, so it is waited for.
    if (paceMs >= remainingMs && paceMs < Number.POSITIVE_INFINITY)
      return outlasted(call, 'a 429 pauses this key', paceMs);
    return rateMs >= remainingMs ? outlasted(call, 'rateLimit delays it', rateMs) : undefined;
  }
}

/** How long something waits, in milliseconds. */
interface Delays {
  readonly rateMs: number;
  readonly paceMs: number;
}

function outlasted(call: Call, why: string, waitMs: number): AttemptFailure {
  const retryAfterMs = Math.ceil(waitMs);
  const what = `${why} for ${retryAfterMs} ms, longer than timeouts.total allows`;
  return { ...timeoutFailure(call, ''), what, retryAfterMs };
}

function keyOf(credentials: Credentials): string | Credentials {
  return typeof credentials === 'function' ? credentials : credentials.reveal();
}
