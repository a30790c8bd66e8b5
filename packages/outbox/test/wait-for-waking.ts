import type { OutboxStore } from '../src/store.ts';

/** A store whose worker finds nothing when it looks at the queue by itself: only what it is woken for is taken up. */
export function waitForWaking(store: OutboxStore): OutboxStore {
  let isWoken = false;
  return {
    ...store,
    listen: (channel, onMessage) =>
      store.listen(channel, () => {
        isWoken = true;
        onMessage();
      }),
    async executeSql(text, values) {
      const isLooking = /update of j skip locked/i.test(text);
      if (isLooking && !isWoken) return { rows: [] };
      if (isLooking) isWoken = false;
      return store.executeSql(text, values);
    },
  };
}
