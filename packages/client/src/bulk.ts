import type { Credentials } from '@orders/auth';
import type { BulkRest, BulkResult } from './bulk-result.ts';
import { longest } from './check.ts';
import type { RateLimit } from './rate-limit.ts';
import type { UpdateOrderResult } from './update-order.ts';

interface BulkLimits {
  readonly concurrency: number;
  /** Whether items with the same token are sent one after another. */
  readonly ordered: boolean;
  readonly rate: RateLimit;
  readonly credentials: Credentials;
  readonly signal: AbortSignal | undefined;
}

/** An item, its place in the source, and what it holds, read once. */
export interface Entry<Item> {
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

/** The engine of a bulk: reads, sends and hands out, never more than its limits hold. */
export function startBulk<Item, Data>(
  source: Iterable<Item> | AsyncIterable<Item>,
  send: (entry: Entry<Item>) => Promise<UpdateOrderResult<Data>>,
  { concurrency, ordered, rate, credentials, signal }: BulkLimits,
) {
  type Result = BulkResult<Item, Data>;
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
    if (signal?.aborted) endSource();
    // Adding it again changes nothing.
    else signal?.addEventListener('abort', notify);
    for (const entry of [...waiting]) {
      if ((active >= concurrency && !signal?.aborted) || mustWait()) return;
      // Items before it in the queue go first.
      if (!ordered || !busyTokens.has(entry.token)) void run(entry);
    }
    const mayRead = active < concurrency && held() < concurrency * readAhead && !sourceEnded && !reading;
    if (mayRead && !mustWait()) void read();
  }

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

  /** Whether a call gave up only because a pause or the rate limit outlasts it, which the bulk can wait for. */
  function isHeldBack({ error }: UpdateOrderResult<Data>): boolean {
    if (error?.code !== 'timeout' || error.phase !== 'queue' || error.outcome !== 'not_sent') return false;
    const paused = rate.pausedMs(credentials) > 0;
    return paused || (error.retryAfterMs !== undefined && error.attempts === 0);
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
    if (signal?.aborted) return false;
    const ms = rate.reserve(credentials, 0) - headStartMs;
    if (ms <= 0) return false;
    if (stopWaiting) return true;
    const wake = (): void => {
      stopWaiting?.();
      notify();
    };
    const unsubscribe = rate.onChange(wake);
    const timer = setTimeout(wake, Math.min(ms, longest));
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
    signal?.removeEventListener('abort', notify);
  }

  /** Lets the source free what it holds: nothing more will be read. */
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
        if (stopped || (held() === 0 && sourceEnded && (!reading || signal?.aborted))) {
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

    async stop(): Promise<BulkRest<Item, Data>> {
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
