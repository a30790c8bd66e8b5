import { setTimeout as delay } from 'node:timers/promises';
import { isLockedState, OutboxError, sqlState } from './errors.ts';

/** The calls of this process that concern one order. */
interface CallsOfOrder {
  /** Settles with the call that came last. */
  last: Promise<unknown>;
  /**
   * Since when calls in a row have found the order locked by somebody else, or no response, and how: those behind need not wait
   * as long each.
   */
  blocked: { readonly since: number; readonly error: unknown } | undefined;
}

/** How long a call waits for an order that is locked, and the pause between two attempts, in milliseconds. */
const lockWait = { withinMs: 3_000, pauseMs: 100 } as const;

/**
 * Runs the transactions of one order in sequence: at once, they would wait for its lock, each with a connection. A
 * transaction that cannot have the lock soon fails and is run again, so it keeps no connection meanwhile. Each call fails
 * 3 s after it was made, but time in which the calls before it went on does not count.
 */
export class OrderCalls {
  readonly #orders = new Map<string, CallsOfOrder>();
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<unknown>;

  constructor({
    now = () => performance.now(),
    sleep = delay,
  }: { readonly now?: () => number; readonly sleep?: (ms: number) => Promise<unknown> } = {}) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /** Runs a transaction after those before it that concern any of its orders. */
  async run<T>(tokens: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
    const calledAt = this.#now();
    const orders = [...tokens].map((token) => this.#callsOf(token));
    const before = orders.map(({ last }) => last);
    const mine = (async () => {
      await Promise.all(before);
      return this.#attempt(orders, calledAt, work);
    })();
    const settled = mine.then(
      () => {},
      () => {},
    );
    for (const order of orders) order.last = settled;
    try {
      return await mine;
    } finally {
      for (const token of tokens) if (this.#orders.get(token)?.last === settled) this.#orders.delete(token);
    }
  }

  /** Resolves once all calls made so far have settled. */
  async whenSettled(): Promise<void> {
    await Promise.all([...this.#orders.values()].map(({ last }) => last));
  }

  #callsOf(token: string): CallsOfOrder {
    const calls = this.#orders.get(token) ?? { last: Promise.resolve(), blocked: undefined };
    this.#orders.set(token, calls);
    return calls;
  }

  async #attempt<T>(orders: readonly CallsOfOrder[], calledAt: number, work: () => Promise<T>): Promise<T> {
    for (;;) {
      for (const { blocked } of orders)
        if (blocked && this.#now() - Math.max(calledAt, blocked.since) >= lockWait.withinMs)
          throw blocked.error;
      const since = this.#now();
      try {
        const result = await work();
        for (const order of orders) order.blocked = undefined;
        return result;
      } catch (error) {
        const state = sqlState(error);
        const isLocked = isLockedState(state);
        const hasNoResponse = state === undefined && !(error instanceof OutboxError);
        for (const order of orders)
          order.blocked = isLocked || hasNoResponse ? (order.blocked ?? { since, error }) : undefined;
        if (!isLocked) throw error;
        await this.#sleep(lockWait.pauseMs);
      }
    }
  }
}
