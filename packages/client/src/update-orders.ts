import type { OrderUpdate } from '@orders/schema';
import type { AttemptFailure } from './errors.ts';
import {
  type AfterAttemptEvent,
  type BeforeAttemptEvent,
  type BulkRules,
  type CallOptions,
  callOptionNames,
  check,
  checkCount,
  type ResolvedCallOptions,
  type SharedOptions,
} from './options.ts';
import { sanitizeCause } from './redact.ts';
import {
  type ClientCore,
  toResult,
  type UpdateOrderResponse,
  type UpdateOrderResult,
} from './update-order.ts';
import { warn } from './warning.ts';

/** One update of many. Fields of your own come back with its result. */
export interface UpdateOrdersItem<Update extends OrderUpdate = OrderUpdate> {
  readonly token: string;
  readonly update: Update;
}

/** Options of `updateOrders`; the others apply to each of its calls. */
export interface UpdateOrdersOptions<Data = unknown, Item = unknown> extends SharedOptions<Data> {
  /** Aborts what is in flight and reads nothing more: the iteration ends after the results of what was read. */
  readonly signal?: AbortSignal | null | undefined;
  /**
   * Updates in flight at the same time.
   * @default 16
   */
  readonly concurrency?: number | undefined;
  /**
   * Called before each attempt of each update, and awaited, as that of a single call. An item that was put back starts
   * anew, with attempt 1. When it throws, the result of that item is an `AbortError`, and the
   * run goes on.
   * @default nothing is called
   */
  readonly beforeAttempt?: ((event: BeforeAttemptEvent & ItemEvent<Item>) => unknown) | undefined;
  /**
   * Called right before the first byte of each attempt of each update leaves, as that of a single call.
   * @default nothing is called
   */
  readonly beforeSend?: ((event: BeforeAttemptEvent & ItemEvent<Item>) => void) | undefined;
  /**
   * Called once each attempt of each update has ended, as that of a single call. After a 429 that puts the item back,
   * `retryDelayMs` is there, and the next attempt has number 1.
   * @default nothing is called
   */
  readonly afterAttempt?: ((event: AfterAttemptEvent & ItemEvent<Item>) => void) | undefined;
}

interface ItemEvent<Item> {
  readonly item: Item;
  readonly index: number;
}

/** Many updates: iterate it once to run them. `await using` stops it when its block is left. */
export interface UpdateOrdersRun<Item, Data = unknown>
  extends AsyncIterable<UpdateOrdersItemResult<Item, Data>>,
    AsyncDisposable {
  /**
   * Stops reading and sending, waits for the responses to what has left, and returns what the iteration did not: call it
   * after leaving the loop early, so that nothing is lost. It does not wait for the source: an item that arrives later is
   * neither sent nor returned.
   */
  stop(): Promise<UnfinishedItems<Item, Data>>;
}

/** What became of one update of many. */
export type UpdateOrdersItemResult<Item, Data = unknown> = UpdateOrderResult<Data> & {
  /** Its index in the source, from 0. */
  readonly index: number;
  readonly item: Item;
};

/** What was left when a run was stopped. */
export interface UnfinishedItems<Item, Data = unknown> {
  /** Results that the iteration did not take, those of updates in flight when it stopped included. */
  readonly results: readonly UpdateOrdersItemResult<Item, Data>[];
  /** Items that were read from the source and not sent, or put back after a 429. */
  readonly unsent: readonly ItemEvent<Item>[];
  /** What the source threw and the iteration did not. What it throws after this is a warning of the process. */
  readonly errors: readonly unknown[];
}

const defaultConcurrency = 16;

const optionNames = [...callOptionNames, 'concurrency'];

/** Starts a run of updates; documented in client.ts. */
export function updateOrders<Item, Data>(
  core: ClientCore,
  source: Iterable<Item> | AsyncIterable<Item>,
  options: UpdateOrdersOptions<Data, Item>,
): UpdateOrdersRun<Item, Data> {
  check(
    typeof Object(Object(source)[Symbol.asyncIterator] ?? Object(source)[Symbol.iterator]) === 'function',
    'updateOrders: pass an iterable of { token, update }; call a generator function, await a promise.',
  );
  checkCount('updateOrders: concurrency', options.concurrency ?? defaultConcurrency);
  const resolved = core.resolve({
    method: 'updateOrders',
    options: options as CallOptions,
    names: optionNames,
  });
  return new BulkRun(core, source, options, resolved);
}

/** An item that was read, with what it holds, read once. */
interface Entry<Item> extends ItemEvent<Item> {
  readonly token: unknown;
  readonly update: unknown;
}

/**
 * Items read per update in flight: enough to look past a run of items of one busy order, which would leave the others idle,
 * and few enough to bound memory.
 */
const readAhead = 4;

/**
 * Items go from the source to a queue, from there to the client, and as results to the iteration; after a 429 they go back
 * to the queue. At each change, `#advance` starts whatever may start.
 */
class BulkRun<Item, Data> implements UpdateOrdersRun<Item, Data> {
  readonly #core: ClientCore;
  readonly #options: UpdateOrdersOptions<Data, Item>;
  readonly #resolved: ResolvedCallOptions;
  readonly #source: Iterator<Item> | AsyncIterator<Item>;
  readonly #concurrency: number;
  /** Signals each of which fires when nothing more is to be read. */
  readonly #endings: readonly AbortSignal[];
  /** Whether a 429 uses up an attempt and time of its item. */
  readonly #countsRefusals: boolean;
  /** Items that were read and are not in flight, in the order of the source. */
  readonly #queue: Entry<Item>[] = [];
  readonly #tokensInFlight = new Set<unknown>();
  readonly #results: UpdateOrdersItemResult<Item, Data>[] = [];
  readonly #errors: unknown[] = [];
  readonly #stopReason = Symbol('stopped');
  readonly #onEnding = () => this.#end();
  #inFlight = 0;
  #nextIndex = 0;
  #isReading = false;
  #hasSourceEnded = false;
  #isStopped = false;
  /** Whether the caller no longer takes errors. */
  #isOver = false;
  /** Since when every response was a 429. */
  #refusedSince: number | undefined;
  /** The 429 after which it gave up. */
  #refusal: AttemptFailure | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(
    core: ClientCore,
    source: Iterable<Item> | AsyncIterable<Item>,
    options: UpdateOrdersOptions<Data, Item>,
    resolved: ResolvedCallOptions,
  ) {
    const { concurrency = defaultConcurrency, retry, timeouts } = options;
    this.#core = core;
    this.#options = options;
    this.#resolved = resolved;
    this.#source =
      Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#concurrency = concurrency;
    this.#endings = resolved.signal ? [resolved.signal, core.closed] : [core.closed];
    this.#countsRefusals = retry?.maxAttempts !== undefined || timeouts?.total !== undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<UpdateOrdersItemResult<Item, Data>, undefined> {
    return {
      next: () => this.#next(),
      // The consumer left the loop: the results that it did not take are kept for `stop`.
      return: async () => {
        this.#stop();
        return { done: true, value: undefined };
      },
    };
  }

  /** Waits for a result, or for the end of the run. */
  async #next(): Promise<IteratorResult<UpdateOrdersItemResult<Item, Data>, undefined>> {
    for (this.#advance(); !this.#isStopped; this.#advance()) {
      const value = this.#results.shift();
      if (value) return { done: false, value };
      if (this.#isDone()) {
        this.#stop();
        this.#isOver = true;
        if (this.#errors.length > 0) throw this.#errors.shift();
      } else await this.#changed.promise;
    }
    return { done: true, value: undefined };
  }

  #isDone(): boolean {
    const hasRead = this.#hasSourceEnded && (!this.#isReading || this.#isEnding());
    return hasRead && this.#held() === 0;
  }

  /** How many items and results it holds. */
  #held(): number {
    return this.#queue.length + this.#inFlight + this.#results.length;
  }

  /** Whether the signal has fired, or the client was closed. */
  #isEnding(): boolean {
    return this.#endings.some((signal) => signal.aborted);
  }

  /** Sends what may be sent, and reads the next item if it may. */
  #advance(): void {
    if (this.#isStopped) return;
    if (this.#isEnding()) this.#endSource();
    // Adding it again changes nothing.
    for (const signal of this.#endings) signal.addEventListener('abort', this.#onEnding);
    for (const entry of [...this.#queue]) {
      // A run that ends or gave up lets each item fail.
      const isFailing = this.#isEnding() || this.#refusal;
      if (this.#inFlight >= this.#concurrency && !isFailing) return;
      // Items of one order go in sequence.
      const mustWait = this.#core.isOrdered && this.#tokensInFlight.has(entry.token);
      if (!mustWait) void this.#send(entry);
    }
    const mayRead = this.#inFlight < this.#concurrency && this.#held() < this.#concurrency * readAhead;
    if (mayRead && !this.#hasSourceEnded && !this.#isReading) void this.#read();
  }

  /** Wakes the iteration and `stop`. A consumer that is busy with a result does not hold up what is sent meanwhile. */
  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.#advance();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      const step = await this.#source.next();
      if (step.done) this.#hasSourceEnded = true;
      else if (!this.#isStopped)
        this.#queue.push({ index: this.#nextIndex++, item: step.value, ...readItem(step.value) });
    } catch (error) {
      this.#keepError(error);
      this.#hasSourceEnded = true;
    }
    this.#isReading = false;
    this.#change();
  }

  async #send(entry: Entry<Item>): Promise<void> {
    this.#queue.splice(this.#queue.indexOf(entry), 1);
    this.#tokensInFlight.add(entry.token);
    this.#inFlight++;
    let isPutBack = false;
    const putsBack = (failure: AttemptFailure): boolean => {
      isPutBack = this.#putsBack(failure);
      return isPutBack;
    };
    const bulk: BulkRules = {
      run: this,
      refusal: () => this.#refusal,
      putsBack: this.#countsRefusals ? undefined : putsBack,
    };
    try {
      const result = await toResult(this.#update(entry, bulk));
      const isUnsent = result.error?.cause === this.#stopReason && result.error.outcome !== 'unknown';
      if (isPutBack || isUnsent) {
        this.#queue.push(entry);
        this.#queue.sort((a, b) => a.index - b.index);
      } else this.#keepResult(entry, result);
    } catch (error) {
      this.#keepError(error);
      this.#endSource();
    }
    this.#inFlight--;
    this.#tokensInFlight.delete(entry.token);
    this.#change();
  }

  async #update(
    { token, update, index, item }: Entry<Item>,
    bulk: BulkRules,
  ): Promise<UpdateOrderResponse<Data>> {
    const { beforeAttempt, beforeSend, afterAttempt } = this.#options;
    const response = await this.#core.execute(this.#core.validate(token, update), {
      ...this.#resolved,
      bulk,
      ...(beforeAttempt && { beforeAttempt: (event) => beforeAttempt({ ...event, item, index }) }),
      ...(beforeSend && { beforeSend: (event) => beforeSend({ ...event, item, index }) }),
      ...(afterAttempt && { afterAttempt: (event) => afterAttempt({ ...event, item, index }) }),
    });
    return response as UpdateOrderResponse<Data>;
  }

  /** Whether an item that got this 429 is queued again; not when every response has been one for `maxPauseMs`. */
  #putsBack(failure: AttemptFailure): boolean {
    if (!failure.retryable || failure.outcome !== 'rejected' || this.#isEnding()) return false;
    const { clock, maxPauseMs } = this.#core.rateLimit;
    this.#refusedSince ??= clock.now();
    if (clock.now() - this.#refusedSince < maxPauseMs) return true;
    this.#refusal = failure;
    this.#abortWaiting(undefined);
    return false;
  }

  #keepResult({ index, item }: Entry<Item>, result: UpdateOrderResult<Data>): void {
    const { error } = result;
    if (!error || error.outcome === 'applied' || (error.code === 'http_error' && error.status !== 429))
      this.#refusedSince = undefined;
    this.#results.push({ ...result, index, item });
  }

  /** Keeps what the source threw for the iteration or for `stop`; once both are over, it would be lost. */
  #keepError(error: unknown): void {
    if (!this.#isOver) this.#errors.push(error);
    else {
      const { message } = sanitizeCause(error, (text) => text) ?? {};
      warn(`The source of updateOrders threw after its run: ${message}`);
    }
  }

  async stop(): Promise<UnfinishedItems<Item, Data>> {
    this.#stop();
    while (this.#inFlight > 0) await this.#changed.promise;
    this.#isOver = true;
    const unsent = this.#queue.splice(0).map(({ index, item }) => ({ index, item }));
    return { results: this.#results.splice(0), unsent, errors: this.#errors.splice(0) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const signal of this.#endings) signal.removeEventListener('abort', this.#onEnding);
    this.#abortWaiting(this.#stopReason);
    this.#endSource();
    this.#change();
  }

  /** The client is closed, so what waits fails, or the signal has fired, which each call sees by itself. */
  #end(): void {
    if (this.#core.closed.aborted) this.#abortWaiting(new Error('The client was closed.'));
    this.#change();
  }

  /** Ends the calls of this run that wait for the rate limit. */
  #abortWaiting(reason: unknown): void {
    this.#core.rateLimit.abortWaiting(this, reason);
  }

  /** Lets the source free its resources: nothing more will be read. */
  #endSource(): void {
    if (this.#hasSourceEnded) return;
    this.#hasSourceEnded = true;
    // Not at once: the source itself may have fired the signal, and be running.
    const returning = Promise.resolve().then(() => this.#source.return?.());
    returning.catch((error: unknown) => this.#keepError(error));
  }
}

/** What an item holds; one that cannot be read holds nothing, and so is invalid. */
function readItem(item: unknown): Pick<Entry<unknown>, 'token' | 'update'> {
  try {
    const { token, update } = item as { readonly token: unknown; readonly update: unknown };
    return { token, update };
  } catch {
    return { token: undefined, update: undefined };
  }
}
