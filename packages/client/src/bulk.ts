import type { BulkRest, BulkResult } from './bulk-result.ts';
import type { UpdateOrderResult } from './update-order.ts';

interface BulkLimits<Item> {
  readonly concurrency: number;
  /** Items of one lane are sent one after another; `undefined` is no lane. */
  readonly laneOf: (item: Item) => string | undefined;
  readonly pausedMs: () => number;
  readonly signal: AbortSignal | undefined;
}

/** An item and its place in the source. */
export interface Entry<Item> {
  readonly index: number;
  readonly item: Item;
}

/**
 * Items read per update on their way: enough to look past a run of items of one busy order, so that it cannot fill
 * all places, and few enough to bound memory.
 */
const readAhead = 4;

/** A timer of more milliseconds would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The engine of a bulk: reads, sends and hands out, never more than its limits hold. */
export class Bulk<Item, Data> {
  readonly #limits: BulkLimits<Item>;
  readonly #send: (entry: Entry<Item>) => Promise<UpdateOrderResult<Data>>;
  readonly #iterator: Iterator<Item> | AsyncIterator<Item>;
  readonly #waiting: Entry<Item>[] = [];
  readonly #busyLanes = new Set<string>();
  readonly #results: BulkResult<Item, Data>[] = [];
  #active = 0;
  #nextIndex = 0;
  #reading = false;
  #sourceEnded = false;
  #stopped = false;
  #failure: { readonly error: unknown } | undefined;
  #resuming: NodeJS.Timeout | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(
    source: Iterable<Item> | AsyncIterable<Item>,
    send: (entry: Entry<Item>) => Promise<UpdateOrderResult<Data>>,
    limits: BulkLimits<Item>,
  ) {
    this.#iterator =
      Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#send = send;
    this.#limits = limits;
  }

  async next(): Promise<IteratorResult<BulkResult<Item, Data>, undefined>> {
    for (;;) {
      this.#drive();
      const value = this.#stopped ? undefined : this.#results.shift();
      if (value) return { done: false, value };
      if (this.#isOver()) {
        this.#limits.signal?.removeEventListener('abort', this.#onAbort);
        const failure = this.#failure;
        this.#failure = undefined;
        if (failure) throw failure.error;
        return { done: true, value: undefined };
      }
      await this.#changed.promise;
    }
  }

  /** The consumer left the loop: what it did not take is kept for `stop`. */
  async return(): Promise<IteratorResult<BulkResult<Item, Data>, undefined>> {
    this.#halt();
    return { done: true, value: undefined };
  }

  async stop(): Promise<BulkRest<Item, Data>> {
    this.#halt();
    while (this.#active > 0 || this.#reading) await this.#changed.promise;
    return { results: this.#results.splice(0), unsent: this.#waiting.splice(0) };
  }

  /** Sends what may be sent and reads what may be read. */
  #drive(): void {
    const { signal, concurrency } = this.#limits;
    if (this.#nextIndex === 0 && !this.#reading)
      signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (this.#stopped) return;
    if (signal?.aborted) this.#endSource();
    else if (this.#waitOutPause()) return;
    for (let place = 0; place < this.#waiting.length && (this.#active < concurrency || signal?.aborted); ) {
      if (!this.#start(place)) place++;
    }
    const held = this.#waiting.length + this.#active + this.#results.length;
    if (
      this.#active < concurrency &&
      held < concurrency * readAhead &&
      !this.#sourceEnded &&
      !this.#reading
    ) {
      void this.#read();
    }
  }

  /** Starts the item at a place of the queue, unless its lane is busy; items before it in the queue go first. */
  #start(place: number): boolean {
    const entry = this.#waiting[place] as Entry<Item>;
    const lane = this.#limits.laneOf(entry.item);
    if (lane !== undefined) {
      if (this.#busyLanes.has(lane)) return false;
      this.#busyLanes.add(lane);
    }
    this.#waiting.splice(place, 1);
    this.#active++;
    void this.#run(entry, lane);
    return true;
  }

  async #run(entry: Entry<Item>, lane: string | undefined): Promise<void> {
    try {
      const result = await this.#send(entry);
      const heldBack = !result.ok && result.error.outcome === 'not_sent' && this.#limits.pausedMs() > 0;
      // The service asked for a pause that the call could not outlast; the bulk can.
      if (heldBack && result.error.retryAfterMs !== undefined) this.#waiting.unshift(entry);
      else this.#results.push({ ...result, ...entry });
    } catch (error) {
      this.#failure ??= { error };
      this.#endSource();
    }
    this.#active--;
    if (lane !== undefined) this.#busyLanes.delete(lane);
    this.#notify();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      const step = await this.#iterator.next();
      if (step.done) this.#sourceEnded = true;
      else this.#waiting.push({ index: this.#nextIndex++, item: step.value });
    } catch (error) {
      this.#failure ??= { error };
      this.#sourceEnded = true;
    }
    this.#reading = false;
    this.#notify();
  }

  /** While the service asks for a pause nothing is started or read; says whether it does. */
  #waitOutPause(): boolean {
    const ms = this.#limits.pausedMs();
    if (ms === 0) return false;
    this.#resuming ??= setTimeout(
      () => {
        this.#resuming = undefined;
        this.#notify();
      },
      Math.min(ms, longestTimer),
    );
    return true;
  }

  readonly #onAbort = (): void => this.#notify();

  #isOver(): boolean {
    if (this.#stopped) return true;
    const sourceDone = this.#sourceEnded && (!this.#reading || this.#limits.signal?.aborted);
    return (
      Boolean(sourceDone) && this.#active === 0 && this.#waiting.length === 0 && this.#results.length === 0
    );
  }

  #halt(): void {
    this.#stopped = true;
    clearTimeout(this.#resuming);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    this.#endSource();
    this.#notify();
  }

  /** Tells the source that nothing more will be read; it may free what it holds. */
  #endSource(): void {
    if (this.#sourceEnded) return;
    this.#sourceEnded = true;
    const returning = Promise.resolve().then(() => this.#iterator.return?.());
    returning.catch((error: unknown) => {
      this.#failure ??= { error };
    });
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
    // A consumer that is busy with a result does not hold up what is sent meanwhile.
    this.#drive();
  }
}
