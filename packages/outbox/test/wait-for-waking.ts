import { expect } from 'vitest';
import type { OutboxStore } from '../src/store.ts';

/** A store whose worker finds nothing when it looks at the queue by itself: only what it is woken for is taken up. */
export function waitForWaking(store: OutboxStore): OutboxStore {
  let looks = 0;
  return {
    ...store,
    async executeSql(text, values) {
      // A worker that was woken looks within a transaction.
      if (!/update of j skip locked/i.test(text)) return store.executeSql(text, values);
      looks += 1;
      return { rows: [] };
    },
    async close() {
      await store.close();
      // Another version of pg-boss may look by another statement.
      expect(looks).toBeGreaterThan(0);
    },
  };
}
