import type { OrderUpdate } from '@orders/schema';
import type { AttemptFailure } from './errors.ts';
import type { Operation } from './operation.ts';
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
   * @example 32
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
   * @example ({ index, attempt, outcome }) => log.info({ row: index + 1, attempt, outcome })
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
  // A string is iterable, too, but its characters are no items.
  const isObject = Object(source) === source;
  check(
    isObject &&
      typeof (Object(source)[Symbol.asyncIterator] ?? Object(source)[Symbol.iterator]) === 'function',
    'updateOrders: pass an iterable of { token, update }; call a generator function, await a promise.',
  );
  checkCount('updateOrders: concurrency', options.concurrency ?? defaultConcurrency);
  const resolved = core.resolve({
    method: 'updateOrders',
    options: options as CallOptions,
    names: optionNames,
  });
  return startRun(core, source, options, resolved);
}

/** An item that was read, with its request: whatever happens to the item later, that is what is sent. */
interface Entry<Item> extends ItemEvent<Item> {
  readonly token: unknown;
  /** @throws ValidationError when the item is invalid. */
  readonly getOperation: () => Operation;
}

/**
 * Items read per update in flight: enough to look past a run of items of one busy order, which would leave the others idle,
 * and few enough to bound memory.
 */
const readAhead = 4;

/**
 * Items go from the source to a queue, from there to the client, and as results to the iteration; after a 429 they go back
 * to the queue. At each change, `advance` starts whatever may start.
 */
function startRun<Item, Data>(
  core: ClientCore,
  source: Iterable<Item> | AsyncIterable<Item>,
  options: UpdateOrdersOptions<Data, Item>,
  resolved: ResolvedCallOptions,
): UpdateOrdersRun<Item, Data> {
  const { concurrency = defaultConcurrency, retry, timeouts } = options;
  const { closed, isOrdered, rateLimit } = core;
  const items: Iterator<Item> | AsyncIterator<Item> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  /** Signals each of which fires when nothing more is to be read. */
  const endings = resolved.signal ? [resolved.signal, closed] : [closed];
  /** Whether a 429 uses up an attempt and time of its item. */
  const countsRefusals = retry?.maxAttempts !== undefined || timeouts?.total !== undefined;
  /** Items that were read and are not in flight, in the order of the source. */
  const queue: Entry<Item>[] = [];
  const tokensInFlight = new Set<unknown>();
  const results: UpdateOrdersItemResult<Item, Data>[] = [];
  const errors: unknown[] = [];
  /** Why what has not left ends when the run is stopped or gives up. */
  const halt = new Error('The run sends nothing more.');
  let inFlight = 0;
  let nextIndex = 0;
  let isReading = false;
  let hasSourceEnded = false;
  let isStopped = false;
  /** Whether the caller no longer takes errors. */
  let isOver = false;
  /** Since when every response was a 429, while there was something to send. */
  let refusedSince: number | undefined;
  /** The 429 after which it gave up. */
  let refusal: AttemptFailure | undefined;
  let changed = Promise.withResolvers<void>();

  const run: UpdateOrdersRun<Item, Data> = {
    [Symbol.asyncIterator]: () => ({
      next,
      // The consumer left the loop: the results that it did not take are kept for `stop`.
      return: async () => {
        end();
        return { done: true, value: undefined };
      },
    }),
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
  return run;

  /** Waits for a result, or for the end of the run. */
  async function next(): Promise<IteratorResult<UpdateOrdersItemResult<Item, Data>, undefined>> {
    for (advance(); !isStopped; advance()) {
      const value = results.shift();
      if (value) return { done: false, value };
      if (isDone()) {
        end();
        isOver = true;
        if (errors.length > 0) throw errors.shift();
      } else await changed.promise;
    }
    return { done: true, value: undefined };
  }

  function isDone(): boolean {
    return hasSourceEnded && (!isReading || isEnding()) && held() === 0;
  }

  /** How many items and results it holds. */
  function held(): number {
    return queue.length + inFlight + results.length;
  }

  /** Whether the signal has fired, or the client was closed. */
  function isEnding(): boolean {
    return endings.some((signal) => signal.aborted);
  }

  /** Sends what may be sent, and reads the next item if it may. */
  function advance(): void {
    if (isStopped) return;
    if (isEnding()) endSource();
    // Adding it again changes nothing.
    for (const signal of endings) signal.addEventListener('abort', onEnding);
    for (const entry of [...queue]) {
      // A run that ends or gave up lets each item fail.
      if (inFlight >= concurrency && !isEnding() && !refusal) return;
      // Items of one order go in sequence.
      if (!isOrdered || !tokensInFlight.has(entry.token)) void send(entry);
    }
    const mayRead = inFlight < concurrency && held() < concurrency * readAhead;
    if (mayRead && !hasSourceEnded && !isReading) void read();
  }

  /** Wakes the iteration and `stop`. A consumer that is busy with a result does not hold up what is sent meanwhile. */
  function change(): void {
    changed.resolve();
    changed = Promise.withResolvers();
    advance();
  }

  async function read(): Promise<void> {
    isReading = true;
    try {
      const step = await items.next();
      if (step.done) hasSourceEnded = true;
      else if (!isStopped)
        queue.push({ index: nextIndex++, item: step.value, ...prepareItem(core, step.value) });
    } catch (error) {
      keepError(error);
      hasSourceEnded = true;
    }
    isReading = false;
    change();
  }

  async function send(entry: Entry<Item>): Promise<void> {
    queue.splice(queue.indexOf(entry), 1);
    tokensInFlight.add(entry.token);
    inFlight++;
    let isPutBack = false;
    const putsBack = (failure: AttemptFailure): boolean => {
      isPutBack = mayPutBack(failure);
      return isPutBack;
    };
    const bulk: BulkRules = {
      run,
      refusal: () => refusal,
      putsBack: countsRefusals ? undefined : putsBack,
    };
    try {
      const result = await toResult(update(entry, bulk));
      const isUnsent = result.error?.cause === halt && result.outcome !== 'unknown';
      if (isPutBack || isUnsent) {
        queue.push(entry);
        queue.sort((a, b) => a.index - b.index);
      } else results.push({ ...result, index: entry.index, item: entry.item });
    } catch (error) {
      keepError(error);
      endSource();
    }
    inFlight--;
    if (queue.length + inFlight === 0) refusedSince = undefined;
    tokensInFlight.delete(entry.token);
    change();
  }

  async function update(
    { getOperation, index, item }: Entry<Item>,
    bulk: BulkRules,
  ): Promise<UpdateOrderResponse<Data>> {
    const { beforeAttempt, beforeSend, afterAttempt } = options;
    const response = await core.execute(getOperation(), {
      ...resolved,
      bulk,
      ...(beforeAttempt && { beforeAttempt: (event) => beforeAttempt({ ...event, item, index }) }),
      ...(beforeSend && { beforeSend: (event) => beforeSend({ ...event, item, index }) }),
      afterAttempt(event) {
        const isRefused = event.status === 429 && event.outcome === 'rejected';
        if (!isRefused && event.outcome !== 'not_sent') refusedSince = undefined;
        return afterAttempt ? afterAttempt({ ...event, item, index }) : resolved.afterAttempt?.(event);
      },
    });
    return response as UpdateOrderResponse<Data>;
  }

  /** Whether an item that got this 429 is queued again; not when every response has been one for `maxPauseMs`. */
  function mayPutBack(failure: AttemptFailure): boolean {
    if (!failure.retryable || failure.outcome !== 'rejected' || isEnding()) return false;
    const now = rateLimit.clock.now();
    refusedSince ??= now;
    const isProbing = rateLimit.pausedMs(resolved.credentials) === Number.POSITIVE_INFINITY;
    if (now - refusedSince < rateLimit.maxPauseMs || isProbing) return true;
    refusal = failure;
    core.stopRun(run, halt);
    return false;
  }

  /** Keeps what the source threw for the iteration or for `stop`; once both are over, it would be lost. */
  function keepError(error: unknown): void {
    if (!isOver) errors.push(error);
    else {
      const { message } = sanitizeCause(error, (text) => text) ?? {};
      warn(`The source of updateOrders threw after its run: ${message}`);
    }
  }

  async function stop(): Promise<UnfinishedItems<Item, Data>> {
    end();
    while (inFlight > 0) await changed.promise;
    isOver = true;
    const unsent = queue.splice(0).map(({ index, item }) => ({ index, item }));
    return { results: results.splice(0), unsent, errors: errors.splice(0) };
  }

  /** Reads and sends nothing more. */
  function end(): void {
    if (isStopped) return;
    isStopped = true;
    for (const signal of endings) signal.removeEventListener('abort', onEnding);
    core.stopRun(run, halt);
    endSource();
    change();
  }

  /** The client is closed, so what has not left fails, or the signal has fired, which each call sees by itself. */
  function onEnding(): void {
    if (closed.aborted) core.stopRun(run, new Error('The client was closed.'));
    change();
  }

  /** Lets the source free its resources: nothing more will be read. */
  function endSource(): void {
    if (hasSourceEnded) return;
    hasSourceEnded = true;
    // Not at once: the source itself may have fired the signal, and be running.
    const returning = Promise.resolve().then(() => items.return?.());
    returning.catch(keepError);
  }
}

/** Validates and encodes an item; one that cannot be read holds nothing, and so is invalid. */
function prepareItem(core: ClientCore, item: unknown): Pick<Entry<unknown>, 'token' | 'getOperation'> {
  const { token, update } = readItem(item);
  try {
    const operation = core.validate(token, update);
    return { token, getOperation: () => operation };
  } catch (error) {
    const fail = (): never => {
      throw error;
    };
    return { token, getOperation: fail };
  }
}

function readItem(item: unknown): { readonly token?: unknown; readonly update?: unknown } {
  try {
    const { token, update } = item as { readonly token: unknown; readonly update: unknown };
    return { token, update };
  } catch {
    return {};
  }
}
