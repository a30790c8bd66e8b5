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
   * Each attempt goes from one to the next; without a limit it stays `idle`.
   *
   * - `queued`: waits until its slot is less than `prepareMs` away.
   * - `preparing`: runs `beforeAttempt` and reads credentials.
   * - `ready`: waits for its slot.
   * - `reserved`: has a slot reserved, and may be connecting.
   * - `idle`: was sent, failed before it could be, or has not begun.
   */
  state: 'queued' | 'preparing' | 'ready' | 'reserved' | 'idle';
  /** When the first byte of its last attempt was sent. */
  sentAt: number;
  /** Lets it check its state again. */
  wake: () => void;
}

/**
 * Limits what is sent: by the rate of the client, and by what the 429s to a key have taught. A slot is reserved while an
 * attempt connects, and taken by its first byte, so what is not sent takes none.
 */
export class RateLimit {
  readonly clock: Clock;
  readonly maxPauseMs: number;
  /** Absent when the client has no `rateLimit`. */
  readonly #rate: Slots | undefined;
  /** Of the keys that got a 429; a function stands for the keys that it returns. */
  readonly #paces = new Map<string | Credentials, KeyPace>();
  /** Calls that are `queued`. */
  readonly #queued: Turn[] = [];
  /** Calls that are `preparing` or `ready`, which go before those that are queued. */
  readonly #admitted: Turn[] = [];
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
    return { call, key: keyOf(call.options.credentials), state: 'idle', sentAt: 0, wake: () => {} };
  }

  /** Waits until an attempt may prepare. Fails at once when the call has less time than a pause or the rate takes. */
  async waitToPrepare(turn: Turn): Promise<AttemptFailure | undefined> {
    const ended = endedFailure(turn.call, 'before the next attempt');
    if (ended || this.#limitsOf(turn).length === 0) return ended;
    const isBehindItsKey = this.#queued.at(-1)?.key === turn.key;
    this.#queued.push(turn);
    turn.state = 'queued';
    // Behind a call with its key, it waits as that one does.
    if (!isBehindItsKey) this.#advance();
    return await this.#waitWhile('queued', turn);
  }

  /** Waits for the slot of an attempt that is prepared, or that connected too slowly for the slot it had reserved. */
  async waitForSlot(turn: Turn): Promise<AttemptFailure | undefined> {
    this.#cancelReservation(turn);
    if (this.#limitsOf(turn).length === 0) {
      // A pause that was lifted may have let it prepare.
      this.remove(turn);
      return undefined;
    }
    if (!this.#admitted.includes(turn)) this.#admitted.unshift(turn);
    turn.state = 'ready';
    this.#advance();
    return await this.#waitWhile('ready', turn);
  }

  async #waitWhile(state: 'queued' | 'ready', turn: Turn): Promise<AttemptFailure | undefined> {
    const { attempts, deadline, options } = turn.call;
    while (turn.state === state) {
      // The time of an item of a bulk run begins when it may be sent.
      const isCounted = !options.bulk || attempts.length > 0;
      const ended = endedFailure(turn.call, 'waiting for a slot');
      const failure = ended ?? (isCounted ? this.#outlastedFailure(turn) : undefined);
      if (failure) return failure;
      const from = this.clock.now();
      const end = await deadline.wait(isCounted ? deadline.remainingMs() : longestTimerMs, (wake) => {
        turn.wake = wake;
      });
      if (!isCounted) deadline.extend(this.clock.now() - from);
      else if (end === 'timeout') return timeoutFailure(turn.call, 'waiting for a slot');
    }
    return undefined;
  }

  /** Takes the slot right before the first byte is sent; `false` when connecting took so long that it is lost. */
  takeSlot(turn: Turn): boolean {
    const now = this.clock.now();
    const limits = this.#limitsOf(turn);
    if (!limits.every((limit) => limit.isFree(now, turn))) return false;
    for (const limit of limits) limit.take(now);
    turn.state = 'idle';
    turn.sentAt = now;
    return true;
  }

  /** Learns from the result of an attempt. A 429 applies to the key, so it pauses every call with it. */
  learn(turn: Turn, result: AttemptResult): void {
    this.#cancelReservation(turn);
    const now = this.clock.now();
    if (result.code && result.status === 429) {
      const pace = this.#paceOf(turn.key) ?? this.#createPace(turn.key, now);
      pace.refused(turn, result.retryAfterMs ?? 0, now);
      for (const waiting of this.#waiting()) if (waiting.key === turn.key) waiting.wake();
    } else this.#paceOf(turn.key)?.ended(turn, result.status !== undefined, now);
    this.#advance();
  }

  /** Removes a call that makes no more attempts, or need not wait. */
  remove(turn: Turn): void {
    if (turn.state === 'idle') return;
    this.#cancelReservation(turn);
    for (const turns of [this.#admitted, this.#queued])
      if (turns.includes(turn)) turns.splice(turns.indexOf(turn), 1);
    turn.state = 'idle';
    this.#advance();
  }

  #cancelReservation(turn: Turn): void {
    if (turn.state !== 'reserved') return;
    turn.state = 'idle';
    for (const limit of this.#limitsOf(turn)) limit.cancel(turn);
  }

  /** All that wait, in the order in which they are to be sent. */
  #waiting(): readonly Turn[] {
    return [...this.#admitted, ...this.#queued];
  }

  #limitsOf({ key }: Turn): readonly Slots[] {
    return [this.#rate, this.#paceOf(key)].filter((limit) => limit !== undefined);
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

  /** Lets calls go on that may, and checks again when the next one may. */
  #advance(): void {
    this.#cancelTimer();
    if (this.#admitted.length + this.#queued.length === 0) return;
    const ready = this.#admitted.filter(({ state }) => state === 'ready');
    const nextMs = Math.min(
      this.#letGoOn(ready, [], 0, (turn, now) => this.#reserve(turn, now)),
      this.#letGoOn(this.#queued, this.#admitted, prepareMs, (turn) => this.#admit(turn)),
    );
    if (nextMs < Number.POSITIVE_INFINITY)
      this.#cancelTimer = this.clock.setTimer(() => this.#advance(), Math.min(nextMs, longestTimerMs));
  }

  /** Lets calls go on whose slot, behind those ahead, is at most `leadMs` away; returns how long until the next may. */
  #letGoOn(
    turns: readonly Turn[],
    ahead: readonly Turn[],
    leadMs: number,
    goOn: (turn: Turn, now: number) => void,
  ): number {
    const now = this.clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    const held = new Set<string | Credentials>();
    for (const turn of [...turns]) {
      if (held.has(turn.key)) continue;
      const { rateMs, paceMs } = this.#delaysOf(turn, ahead, now);
      const waitMs = Math.max(rateMs, paceMs) - leadMs;
      if (waitMs > 0) {
        nextMs = Math.min(nextMs, waitMs);
        // The rate holds back all calls behind it, and a pause or a pace those with its key.
        if (rateMs >= paceMs) break;
        held.add(turn.key);
      } else {
        goOn(turn, now);
        turn.wake();
      }
    }
    return nextMs;
  }

  /** From `queued` to `preparing`. */
  #admit(turn: Turn): void {
    this.#queued.splice(this.#queued.indexOf(turn), 1);
    this.#admitted.push(turn);
    turn.state = 'preparing';
  }

  /** From `ready` to `reserved`. */
  #reserve(turn: Turn, now: number): void {
    this.#admitted.splice(this.#admitted.indexOf(turn), 1);
    turn.state = 'reserved';
    for (const limit of this.#limitsOf(turn)) limit.reserve(now, turn);
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
      paceMs: pace?.delayMs(now, same) ?? 0,
    };
  }

  /** Why a call fails at once: it would wait for longer than it has time. */
  #outlastedFailure(turn: Turn): AttemptFailure | undefined {
    const waiting = this.#waiting();
    const remainingMs = turn.call.deadline.remainingMs();
    const ahead = waiting.slice(0, waiting.indexOf(turn));
    const { rateMs, paceMs } = this.#delaysOf(turn, ahead, this.clock.now());
    // The probe after a long pause may end at any time, so it is waited for.
    const isPaused = paceMs >= remainingMs && paceMs < Number.POSITIVE_INFINITY;
    const retryAfterMs = Math.ceil(isPaused ? paceMs : rateMs);
    if (!isPaused && rateMs < remainingMs) return undefined;
    const why = isPaused ? 'a 429 pauses this key' : 'rateLimit delays it';
    const what = `${why} for ${retryAfterMs} ms, longer than timeouts.total allows`;
    return { ...timeoutFailure(turn.call, ''), what, retryAfterMs };
  }
}

/** How long something waits, in milliseconds. */
interface Delays {
  readonly rateMs: number;
  readonly paceMs: number;
}

function keyOf(credentials: Credentials): string | Credentials {
  return typeof credentials === 'function' ? credentials : credentials.reveal();
}
