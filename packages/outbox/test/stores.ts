import { type OutboxStore, postgresStore } from '@orders/outbox';
import type pg from 'pg';

/**
 * The stores of one pool: most of what a short test costs PostgreSQL is new connections and what each reads first, so tests
 * take turns with them.
 */
export class Stores {
  readonly #pool: pg.Pool;
  /** Those that no test has now. */
  readonly #free: OutboxStore[] = [];

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** A store whose `close` lets another test take it, unless something still runs in it: then it closes. */
  open(): OutboxStore {
    const store = this.#free.pop() ?? postgresStore({ pool: this.#pool });
    let running = 0;
    let isOpen = true;
    const count = async <Result>(work: Promise<Result>): Promise<Result> => {
      running++;
      return work.finally(() => running--);
    };
    return {
      ...store,
      query: (text, values) => count(store.query(text, values)),
      executeSql: (text, values) => count(store.executeSql(text, values)),
      transaction: (run, options) => count(store.transaction(run, options)),
      close: async () => {
        if (!isOpen) return;
        isOpen = false;
        if (running > 0) await store.close();
        else this.#free.push(store);
      },
    };
  }

  async close(): Promise<void> {
    for (const store of this.#free.splice(0)) await store.close();
  }
}
