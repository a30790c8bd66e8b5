import type { OutboxStore } from '../src/store.ts';

/** A store whose worker finds nothing when it looks at the queue by itself: only what it is woken for is taken up. */
export function waitForWaking(store: OutboxStore): OutboxStore {
  return {
    ...store,
    async executeSql(text, values) {
      // A worker that was woken looks within a transaction.
      if (/update of j skip locked/i.test(text)) return { rows: [] };
      return store.executeSql(text, values);
    },
  };
}
