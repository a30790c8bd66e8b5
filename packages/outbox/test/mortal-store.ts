import type { OutboxStore } from '../src/store/outbox-store.ts';

/** A store that can die, as a process does: from then on nothing is written, and nobody is told anything. */
export function mortalStore(store: OutboxStore): OutboxStore & { kill(): void } {
  let isDead = false;
  const living = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Error('dead');
    return work();
  };
  return {
    ...store,
    kill() {
      isDead = true;
    },
    query: (text, values) => living(() => store.query(text, values)),
    run: (text, values) => living(() => store.run(text, values)),
    transaction: (run) =>
      living(() =>
        store.transaction((tx) =>
          run({
            query: (text, values) => living(() => tx.query(text, values)),
          }),
        ),
      ),
    attend: (attendance) =>
      store.attend({
        ...attendance,
        onMessage: (payload) => {
          if (!isDead) attendance.onMessage(payload);
        },
      }),
    queue: {
      ...store.queue,
      db: { executeSql: (text, values) => living(() => store.queue.db.executeSql(text, values)) },
    },
  };
}
