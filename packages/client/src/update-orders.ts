import type { OrderUpdate } from '@orders/schema';
import { type AttemptEnd, type AttemptStart, checkAttemptEvents } from './attempt-events.ts';
import { type Entry, startBulk } from './bulk.ts';
import type { BulkRest, BulkResult } from './bulk-result.ts';
import { checkWhole } from './check.ts';
import type { OrdersConnection } from './connection.ts';
import type { CallOptions } from './settings.ts';
import { safeUpdateOrder, type UpdateOrderResult } from './update-order.ts';

/** One update of many. More fields of your own come back with its result. */
export interface BulkItem<Update extends OrderUpdate = OrderUpdate> {
  readonly token: string;
  readonly update: Update;
}

/** Options of a bulk; the others hold for each of its calls. */
export interface BulkOptions<Data = unknown, Item = unknown>
  extends Omit<CallOptions<Data>, 'beforeAttempt' | 'afterAttempt'> {
  /**
   * Updates in flight at the same time.
   * @default 16
   */
  readonly concurrency?: number;
  /**
   * Called before each attempt of each update, and waited for, as `beforeAttempt` of a single call is. An item that a
   * pause of the service held back before anything of it left starts anew, with attempt 1. When it throws, the result of
   * that item is an `AbortError`, and the bulk goes on.
   * @default nothing is called
   */
  readonly beforeAttempt?: (start: AttemptStart & { readonly item: Item; readonly index: number }) => unknown;
  /**
   * Called once each attempt of each update has ended, as `afterAttempt` of a single call is.
   * @default nothing is called
   */
  readonly afterAttempt?: (end: AttemptEnd & { readonly item: Item; readonly index: number }) => void;
}

/** A bulk of updates: iterate it once to drive it. */
export interface BulkUpdate<Item, Data = unknown> extends AsyncIterable<BulkResult<Item, Data>> {
  /**
   * Stops reading and sending, waits for what is on its way, and gives what the iteration did not: call it after
   * leaving the loop early, so that nothing is lost.
   */
  stop(): Promise<BulkRest<Item, Data>>;
}

/**
 * Updates many orders from an iterable, as it comes: reads no further than it can send, holds a bounded number of items
 * and results, sends updates to one order in the order given, and yields results in the order of completion.
 *
 * A failed update is a result, not an exception. Nothing is read or sent while a 429 pauses the key, or faster than `rateLimit`
 * allows, so an item's timeouts begin when it may leave. When `signal` fires, what is in flight is aborted, nothing more is read, and the iteration ends after their results.
 *
 * @throws TypeError when `concurrency` is no whole number from 1 on, or what is to be called no function. The iteration
 * rejects with what the source throws, after the results of what had been read.
 */
export function updateOrders<Update extends OrderUpdate, Item extends BulkItem<Update>, Data = unknown>(
  connection: OrdersConnection<Update>,
  source: Iterable<Item> | AsyncIterable<Item>,
  { concurrency = 16, beforeAttempt, afterAttempt, ...options }: BulkOptions<Data, NoInfer<Item>> = {},
): BulkUpdate<Item, Data> {
  checkWhole('concurrency', concurrency);
  checkAttemptEvents({ beforeAttempt, afterAttempt });
  const optionsOf = ({ item, index }: Entry<Item>): CallOptions<Data> => ({
    ...options,
    ...(beforeAttempt && { beforeAttempt: (start) => beforeAttempt({ ...start, item, index }) }),
    ...(afterAttempt && { afterAttempt: (end) => afterAttempt({ ...end, item, index }) }),
  });
  // An item that is none is found invalid like any wrong update.
  const send = (entry: Entry<Item>): Promise<UpdateOrderResult<Data>> =>
    safeUpdateOrder(connection, entry.token as string, entry.update as Update, optionsOf(entry));
  return startBulk(source, send, {
    concurrency,
    ordered: connection.ordered,
    credentials: options.credentials ?? connection.credentials,
    rate: connection.limit,
    signal: options.signal,
  });
}
