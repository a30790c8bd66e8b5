import type { OrderUpdate } from '@orders/schema';
import {
  type AfterAttemptEvent,
  type BeforeAttemptEvent,
  type CallOptions,
  callOptionNames,
  check,
  checkCount,
  longestTimerMs,
  type ResolvedCallOptions,
  type SharedOptions,
} from './options.ts';
import { type ClientCore, toResult, type UpdateOrderResult } from './update-order.ts';

/** One update of many. Fields of your own come back with its result. */
export interface UpdateOrdersItem<Update extends OrderUpdate = OrderUpdate> {
  readonly token: string;
  readonly update: Update;
}

/** Options of `updateOrders`; the others apply to each of its calls. */
export interface UpdateOrdersOptions<Data = unknown, Item = unknown> extends SharedOptions<Data> {
  /** Aborts what is in flight and reads nothing more: the iteration ends after the results of what was read. */
  readonly signal?: AbortSignal;
  /**
   * Updates in flight at the same time.
   * @default 16
   */
  readonly concurrency?: number;
  /**
   * Called before each attempt of each update, and awaited, as that of a single call. An item that a pause delayed before
   * anything of it left starts anew, with attempt 1. When it throws, the result of that item is an `AbortError`, and the
   * run goes on.
   * @default nothing is called
   */
  readonly beforeAttempt?: (event: BeforeAttemptEvent & ItemEvent<Item>) => unknown;
  /**
   * Called right before the first byte of each attempt of each update leaves, as that of a single call.
   * @default nothing is called
   */
  readonly beforeSend?: (event: BeforeAttemptEvent & ItemEvent<Item>) => void;
  /**
   * Called once each attempt of each update has ended, as that of a single call.
   * @default nothing is called
   */
  readonly afterAttempt?: (event: AfterAttemptEvent & ItemEvent<Item>) => void;
}

interface ItemEvent<Item> {
  readonly item: Item;
  readonly index: number;
}

/** Many updates: iterate it once to run them. */
export interface UpdateOrdersRun<Item, Data = unknown>
  extends AsyncIterable<UpdateOrdersItemResult<Item, Data>> {
  /**
   * Stops reading and sending, waits for what is in flight, and returns what the iteration did not: call it after
   * leaving the loop early, so that nothing is lost.
   */
  stop(): Promise<UnfinishedItems<Item, Data>>;
}

/** What became of one update of many. */
export type UpdateOrdersItemResult<Item, Data = unknown> = UpdateOrderResult<Data> & {
  /** Its place in the source, from 0. */
  readonly index: number;
  readonly item: Item;
};

/** What was left when a run was stopped. */
export interface UnfinishedItems<Item, Data = unknown> {
  /** Results that the iteration did not take, those of updates in flight when it stopped included. */
  readonly results: readonly UpdateOrdersItemResult<Item, Data>[];
  /** Items that were read from the source and not sent. */
  readonly unsent: readonly ItemEvent<Item>[];
}

/** Starts a run of updates; documented in client.ts. */
export function updateOrders<Item, Data>(
  core: ClientCore,
  source: Iterable<Item> | AsyncIterable<Item>,
  options: UpdateOrdersOptions<Data, Item>,
): UpdateOrdersRun<Item, Data> {
  const { concurrency = 16 } = options;
  check(
    typeof Object(Object(source)[Symbol.asyncIterator] ?? Object(source)[Symbol.iterator]) === 'function',
    'updateOrders: pass an iterable of { token, update }; call a generator function, await a promise.',
  );
  checkCount('concurrency', concurrency);
  const resolved = core.resolve({
    method: 'updateOrders',
    options: options as CallOptions,
    names: optionNames,
  });
  const { beforeAttempt, beforeSend, afterAttempt } = options;
  const update = async ({ token, update, index, item }: Entry<Item>) =>
    core.execute(core.validate(token, update), {
      ...resolved,
      ...(beforeAttempt && { beforeAttempt: (event) => beforeAttempt({ ...event, item, index }) }),
      ...(beforeSend && { beforeSend: (event) => beforeSend({ ...event, item, index }) }),
      ...(afterAttempt && { afterAttempt: (event) => afterAttempt({ ...event, item, index }) }),
    });
  const send = (entry: Entry<Item>) => toResult(update(entry)) as Promise<UpdateOrderResult<Data>>;
  const endings = resolved.signal ? [resolved.signal, core.closed] : [core.closed];
  return startRun(source, send, { ...core, ...resolved, concurrency, endings });
}

const optionNames = [...callOptionNames, 'concurrency'];

interface RunLimits
  extends Pick<ResolvedCallOptions, 'credentials'>,
    Pick<ClientCore, 'isOrdered' | 'rateLimit'> {
  readonly concurrency: number;
  /** Signals each of which fires when nothing more is to be read. */
  readonly endings: readonly AbortSignal[];
}

/** An item, its place in the source, and what it holds, read once. */
interface Entry<Item> {
  readonly index: number;
  readonly item: Item;
  readonly token: unknown;
  readonly update: unknown;
}

/**
 * Items read per update in flight: enough to look past a run of items of one busy order, so that it cannot fill
 * all places, and few enough to bound memory.
 */
const readAhead = 4;

/** An item starts so much before its slot at the rate limit, so that a late timer costs no slot. In milliseconds. */
const headStartMs = 20;

/** Reads, sends and hands out results, never more than its limits hold. */
function startRun<Item, Data>(
  source: Iterable<Item> | AsyncIterable<Item>,
  send: (entry: Entry<Item>) => Promise<UpdateOrderResult<Data>>,
  { concurrency, isOrdered, rateLimit, credentials, endings }: RunLimits,
): UpdateOrdersRun<Item, Data> {
  type Result = UpdateOrdersItemResult<Item, Data>;
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const waiting: Entry<Item>[] = [];
  const busyTokens = new Set<unknown>();
  const results: Result[] = [];
  let active = 0;
  let nextIndex = 0;
  let reading = false;
  let sourceEnded = false;
  let stopped = false;
  const errors: unknown[] = [];
  let changed = Promise.withResolvers<void>();
  /** Ends the wait for the next slot. */
  let stopWaiting: (() => void) | undefined;

  function notify(): void {
    changed.resolve();
    changed = Promise.withResolvers<void>();
    // A consumer that is busy with a result does not hold up what is sent meanwhile.
    drive();
  }

  /** Sends what may be sent and reads what may be read. */
  function drive(): void {
    if (stopped) return;
    if (isEnding()) endSource();
    // Adding it again changes nothing.
    for (const signal of endings) signal.addEventListener('abort', notify);
    for (const entry of [...waiting]) {
      if ((active >= concurrency && !isEnding()) || mustWait()) return;
      // Items before it in the queue go first.
      if (!isOrdered || !busyTokens.has(entry.token)) void run(entry);
    }
    const mayRead = active < concurrency && held() < concurrency * readAhead && !sourceEnded && !reading;
    if (mayRead && !mustWait()) void read();
  }

  const isEnding = (): boolean => endings.some((signal) => signal.aborted);

  const held = (): number => waiting.length + active + results.length;

  async function run(entry: Entry<Item>): Promise<void> {
    waiting.splice(waiting.indexOf(entry), 1);
    busyTokens.add(entry.token);
    active++;
    try {
      const result = await send(entry);
      if (isHeldBack(result)) waiting.unshift(entry);
      else results.push({ ...result, index: entry.index, item: entry.item });
    } catch (error) {
      errors.push(error);
      endSource();
    }
    active--;
    busyTokens.delete(entry.token);
    notify();
  }

  /** Whether a call gave up only because a pause or the rate limit outlasts it, which the run can wait for. */
  function isHeldBack({ error }: UpdateOrderResult<Data>): boolean {
    if (error?.code !== 'timeout' || error.phase !== 'queue' || error.outcome !== 'not_sent') return false;
    const paused = rateLimit.pausedMs(credentials) > 0;
    return paused || (error.retryAfterMs !== undefined && error.attemptCount === 0);
  }

  async function read(): Promise<void> {
    reading = true;
    try {
      const step = await iterator.next();
      if (step.done) sourceEnded = true;
      else waiting.push({ index: nextIndex++, item: step.value, ...readItem(step.value) });
    } catch (error) {
      errors.push(error);
      sourceEnded = true;
    }
    reading = false;
    notify();
  }

  /** Whether nothing may be started or read yet, because of a pause or the rate limit; wakes up when something may. */
  function mustWait(): boolean {
    if (isEnding()) return false;
    const ms = rateLimit.reserveSlot(credentials, 0) - headStartMs;
    if (ms <= 0) return false;
    if (stopWaiting) return true;
    const wake = (): void => {
      stopWaiting?.();
      notify();
    };
    const unsubscribe = rateLimit.onChange(wake);
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs));
    stopWaiting = () => {
      clearTimeout(timer);
      unsubscribe();
      stopWaiting = undefined;
    };
    return true;
  }

  function halt(): void {
    stopped = true;
    cleanUp();
    endSource();
    notify();
  }

  function cleanUp(): void {
    stopWaiting?.();
    for (const signal of endings) signal.removeEventListener('abort', notify);
  }

  /** Lets the source free its resources: nothing more will be read. */
  function endSource(): void {
    if (sourceEnded) return;
    sourceEnded = true;
    // Not at once: the source itself may have fired the signal, and be running.
    const returning = Promise.resolve().then(() => iterator.return?.());
    returning.catch((error: unknown) => errors.push(error));
  }

  const iteration = {
    async next(): Promise<IteratorResult<Result, undefined>> {
      for (;;) {
        drive();
        const value = stopped ? undefined : results.shift();
        if (value) return { done: false, value };
        if (stopped || (held() === 0 && sourceEnded && (!reading || isEnding()))) {
          cleanUp();
          if (errors.length > 0) throw errors.splice(0)[0];
          return { done: true, value };
        }
        await changed.promise;
      }
    },

    /** The consumer left the loop: the results that it did not take are kept for `stop`. */
    async return(): Promise<IteratorResult<Result, undefined>> {
      halt();
      return { done: true, value: undefined };
    },
  };

  return {
    [Symbol.asyncIterator]: () => iteration,

    async stop(): Promise<UnfinishedItems<Item, Data>> {
      halt();
      while (active > 0 || reading) await changed.promise;
      const unsent = waiting.splice(0).map(({ index, item }) => ({ index, item }));
      return { results: results.splice(0), unsent };
    },
  };
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
