import type { OutboxStore, Sql } from '../src/store.ts';

/** A store that can die, as a process does: from then on nothing is written, and nothing arrives. */
export function mortalStore(store: OutboxStore): OutboxStore & { kill(): void } {
  let isDead = false;
  const living = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Error('dead');
    return work();
  };
  const livingSql = (sql: Sql): Sql => ({ query: (text, values) => living(() => sql.query(text, values)) });
  return {
    ...store,
    ...livingSql(store),
    kill() {
      isDead = true;
    },
    transaction: (run, options) => living(() => store.transaction((tx) => run(livingSql(tx)), options)),
    executeSql: (text, values) => living(() => store.executeSql(text, values)),
    listen: (channel, onMessage) =>
      store.listen(channel, () => {
        if (!isDead) onMessage();
      }),
  };
}
