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
  readonly key: Key;
  /**
   * Each attempt goes from one to the next; without a limit it stays `idle`.
   *
   * - `queued`: waits until its slot is less than `prepareMs` away.
   * - `preparing`: runs `beforeAttempt` and reads credentials.
   * - `ready`: waits for its slot.
   * - `reserved`: has a slot reserved, and may be connecting.
   * - `idle`: was sent, failed before it could be, or has not begun; without a limit it prepares in this state, too.
   */
  state: 'queued' | 'preparing' | 'ready' | 'reserved' | 'idle';
  /** When the first byte of its last attempt was sent. */
  sentAt: number;
  /** Lets it go on in its new state, or end with a failure. */
  wake: (failure?: AttemptFailure) => void;
}

/** What a pause and a pace belong to: a value of the header, or the function that returns credentials. */
type Key = string | Credentials;

/** Calls that wait, first come, first served. */
class Line {
  readonly #turns = new Set<Turn>();
  readonly #counts = new Map<Key, number>();

  get size(): number {
    return this.#turns.size;
  }

  countOf(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  has(turn: Turn): boolean {
    return this.#turns.has(turn);
  }

  add(turn: Turn): void {
    this.#turns.add(turn);
    this.#counts.set(turn.key, this.countOf(turn.key) + 1);
  }

  delete(turn: Turn): void {
    if (!this.#turns.delete(turn)) return;
    const left = this.countOf(turn.key) - 1;
    if (left > 0) this.#counts.set(turn.key, left);
    else this.#counts.delete(turn.key);
  }

  [Symbol.iterator](): IterableIterator<Turn> {
    return this.#turns.values();
  }
}

/** How many calls wait ahead of one: those that take slots of the rate before it, and those with its key. */
interface Ahead {
  readonly before: number;
  readonly sameKey: number;
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
  readonly #paces = new Map<Key, KeyPace>();
  /** Calls that lost their slot, or whose first limit began while they prepared: they are `ready`, and go first. */
  readonly #returned = new Line();
  /** Calls that are `preparing` or `ready`, which go before those that are queued. */
  readonly #admitted = new Line();
  /** Calls that are `queued`. */
  readonly #queued = new Line();
  readonly #pastQueue = [this.#returned, this.#admitted];
  /** All that wait, in the order in which they are to be sent. */
  readonly #waiting = [...this.#pastQueue, this.#queued];
  /** Those of them that are `ready`. */
  readonly #ready = new Set<Turn>();
  #cancelTimer: () => void = () => {};
  #willAdvance = false;

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
    const { rateMs, paceMs } = this.#delaysOf(turn, this.#countAll(turn, this.#waiting), this.clock.now());
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
    // It may still be `preparing`: its credentials failed.
    this.remove(turn);
    const ended = endedFailure(turn.call, 'before the next attempt');
    if (ended || this.#limitsOf(turn).length === 0) return ended;
    const isBehindItsKey = this.#queued.countOf(turn.key) > 0;
    this.#queued.add(turn);
    turn.state = 'queued';
    // Behind a call with its key, it waits as that one does.
    if (!isBehindItsKey) this.#advance();
    if (turn.state !== 'queued') return undefined;
    const failure = this.#outlastedFailure(turn, this.#countAll(turn, this.#waiting));
    return failure ?? (await this.#waitWhile('queued', turn));
  }

  /** Waits for the slot of an attempt that is prepared, or that connected too slowly for the slot it had reserved. */
  async waitForSlot(turn: Turn): Promise<AttemptFailure | undefined> {
    this.#cancelReservation(turn);
    if (this.#limitsOf(turn).length === 0) {
      // A pause that was lifted may have let it prepare.
      this.remove(turn);
      return undefined;
    }
    if (!this.#admitted.has(turn)) this.#returned.add(turn);
    turn.state = 'ready';
    this.#ready.add(turn);
    this.#advance();
    if (turn.state !== 'ready') return undefined;
    // As if all were ahead, which is quick to count; only where that is too long, those that are.
    const failure =
      this.#outlastedFailure(turn, this.#countAll(turn, this.#pastQueue)) &&
      this.#outlastedFailure(turn, this.#countAhead(turn));
    return failure ?? (await this.#waitWhile('ready', turn));
  }

  async #waitWhile(state: 'queued' | 'ready', turn: Turn): Promise<AttemptFailure | undefined> {
    const { deadline } = turn.call;
    const isCounted = isTimed(turn);
    let failure: AttemptFailure | undefined;
    while (turn.state === state && !failure) {
      failure = endedFailure(turn.call, 'waiting for a slot');
      if (failure) break;
      const from = this.clock.now();
      const end = await deadline.wait(isCounted ? deadline.remainingMs() : longestTimerMs, (ready) => {
        turn.wake = (given) => {
          failure ??= given;
          ready();
        };
      });
      if (!isCounted) deadline.extend(this.clock.now() - from);
      else if (end === 'timeout') failure = timeoutFailure(turn.call, 'waiting for a slot');
    }
    return failure;
  }

  /**
   * Takes the slot right before the first byte is sent, unless what runs before throws; `false` when connecting took so long
   * that it is lost.
   */
  takeSlot(turn: Turn, run: () => void): boolean {
    const now = this.clock.now();
    const limits = this.#limitsOf(turn);
    if (!limits.every((limit) => limit.isFree(now, turn))) return false;
    run();
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
      this.#endOutlasted(turn.key);
    } else this.#paceOf(turn.key)?.ended(turn, result.status !== undefined, now);
    this.#advance();
  }

  /** Removes a call that makes no more attempts, or need not wait. */
  remove(turn: Turn): void {
    if (turn.state === 'idle') return;
    this.#cancelReservation(turn);
    for (const line of this.#waiting) line.delete(turn);
    this.#ready.delete(turn);
    turn.state = 'idle';
    if (this.#willAdvance) return;
    this.#willAdvance = true;
    // Once for all calls that a signal ends together.
    queueMicrotask(() => this.#advance());
  }

  #cancelReservation(turn: Turn): void {
    if (turn.state !== 'reserved') return;
    turn.state = 'idle';
    for (const limit of this.#limitsOf(turn)) limit.cancel(turn);
  }

  #limitsOf({ key }: Turn): readonly Slots[] {
    return [this.#rate, this.#paceOf(key)].filter((limit) => limit !== undefined);
  }

  #paceOf(key: Key): KeyPace | undefined {
    if (this.#paces.size === 0) return undefined;
    const pace = this.#paces.get(key);
    if (!pace?.isOver(this.clock.now())) return pace;
    this.#paces.delete(key);
    return undefined;
  }

  #createPace(key: Key, now: number): KeyPace {
    for (const each of [...this.#paces.keys()]) this.#paceOf(each);
    const pace = new KeyPace(this.maxPauseMs, now);
    this.#paces.set(key, pace);
    return pace;
  }

  /** Lets calls go on that may, and checks again when the next one may. */
  #advance(): void {
    this.#willAdvance = false;
    this.#cancelTimer();
    if (this.#waiting.every(({ size }) => size === 0)) return;
    const nextMs = Math.min(
      this.#ready.size > 0
        ? this.#letGoOn(this.#pastQueue, [], 0, (turn, now) => this.#reserve(turn, now))
        : Number.POSITIVE_INFINITY,
      this.#letGoOn([this.#queued], this.#pastQueue, prepareMs, (turn) => this.#admit(turn)),
    );
    if (nextMs < Number.POSITIVE_INFINITY)
      this.#cancelTimer = this.clock.setTimer(() => this.#advance(), Math.min(nextMs, longestTimerMs));
  }

  /** Lets calls go on whose slot, behind those ahead, is at most `leadMs` away; returns how long until the next may. */
  #letGoOn(
    lines: readonly Line[],
    ahead: readonly Line[],
    leadMs: number,
    goOn: (turn: Turn, now: number) => void,
  ): number {
    const now = this.clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    const held = new Set<Key>();
    let heldCount = 0;
    let paced = this.#countPaced(ahead);
    for (const turn of turnsOf(lines)) {
      if (turn.state === 'preparing') continue;
      if (held.has(turn.key)) {
        if (sizeOf(lines) === heldCount) break;
        continue;
      }
      const { rateMs, paceMs } = this.#delaysOf(turn, this.#countAll(turn, ahead, paced), now);
      const waitMs = Math.max(rateMs, paceMs) - leadMs;
      if (waitMs > 0) {
        nextMs = Math.min(nextMs, waitMs);
        // The rate holds back all calls behind it, and a pause or a pace those with its key.
        if (rateMs >= paceMs) break;
        held.add(turn.key);
        heldCount += countOf(lines, [turn.key]);
      } else {
        goOn(turn, now);
        turn.wake();
        paced = this.#countPaced(ahead);
      }
    }
    return nextMs;
  }

  /** From `queued` to `preparing`. */
  #admit(turn: Turn): void {
    this.#queued.delete(turn);
    this.#admitted.add(turn);
    turn.state = 'preparing';
  }

  /** From `ready` to `reserved`. */
  #reserve(turn: Turn, now: number): void {
    for (const line of this.#pastQueue) line.delete(turn);
    this.#ready.delete(turn);
    turn.state = 'reserved';
    for (const limit of this.#limitsOf(turn)) limit.reserve(now, turn);
  }

  /** Counts these lines as if the call stood last in them, without calls of other keys that got a 429: they may stay long. */
  #countAll(turn: Turn, lines: readonly Line[], paced = this.#countPaced(lines)): Ahead {
    const own = lines.some((line) => line.has(turn)) ? 1 : 0;
    const sameKey = countOf(lines, [turn.key]);
    return {
      before: sizeOf(lines) - paced + (this.#paceOf(turn.key) ? sameKey : 0) - own,
      sameKey: sameKey - own,
    };
  }

  /** Counts the calls whose keys got a 429. */
  #countPaced(lines: readonly Line[]): number {
    if (sizeOf(lines) === 0) return 0;
    return countOf(
      lines,
      [...this.#paces.keys()].filter((key) => this.#paceOf(key)),
    );
  }

  /** Counts what is ahead of a call that waits. */
  #countAhead(turn: Turn): Ahead {
    const ahead = { before: 0, sameKey: 0 };
    for (const each of turnsOf(this.#waiting)) {
      if (each === turn) break;
      this.#count(each, turn.key, ahead);
    }
    return ahead;
  }

  /** Counts one more call ahead of one with a key. */
  #count(turn: Turn, key: Key, ahead: { before: number; sameKey: number }): void {
    if (turn.key === key) ahead.sameKey++;
    if (turn.key === key || !this.#paceOf(turn.key)) ahead.before++;
  }

  /** How long a call waits behind others: by the rate of the client, and by the pause and the pace of its key. */
  #delaysOf({ key }: Turn, { before, sameKey }: Ahead, now: number): Delays {
    return {
      rateMs: this.#rate?.delayMs(now, before) ?? 0,
      paceMs: this.#paceOf(key)?.delayMs(now, sameKey) ?? 0,
    };
  }

  /** Ends the calls with a key that now have less time than they would wait. */
  #endOutlasted(key: Key): void {
    const ahead = { before: 0, sameKey: 0 };
    for (const turn of turnsOf(this.#waiting)) {
      const isWaiting = turn.key === key && turn.state !== 'preparing';
      const failure = isWaiting ? this.#outlastedFailure(turn, ahead) : undefined;
      if (failure) turn.wake(failure);
      else this.#count(turn, key, ahead);
    }
  }

  /** Why a call fails at once: it would wait for longer than it has time. */
  #outlastedFailure(turn: Turn, ahead: Ahead): AttemptFailure | undefined {
    if (!isTimed(turn)) return undefined;
    const remainingMs = turn.call.deadline.remainingMs();
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

function* turnsOf(lines: readonly Line[]): Generator<Turn, void> {
  for (const line of lines) yield* line;
}

function sizeOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { size }) => sum + size, 0);
}

function countOf(lines: readonly Line[], keys: Iterable<Key>): number {
  let sum = 0;
  for (const key of keys) for (const line of lines) sum += line.countOf(key);
  return sum;
}

/** Whether the wait of a call counts as its time: that of an item of a bulk run begins when it may be sent. */
function isTimed({ call: { attempts, options } }: Turn): boolean {
  return !options.bulk || attempts.length > 0;
}

/** How long something waits, in milliseconds. */
interface Delays {
  readonly rateMs: number;
  readonly paceMs: number;
}

function keyOf(credentials: Credentials): Key {
  return typeof credentials === 'function' ? credentials : credentials.reveal();
}
