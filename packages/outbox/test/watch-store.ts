import type { OutboxStore, Sql } from '../src/store.ts';
import type { TurnResult } from '../src/turn.ts';

/** What a test does at the steps of transactions. What it throws fails the transaction there. */
export interface Steps {
  /** Before a transaction begins. */
  begin?(isTurn: boolean): Promise<void> | void;
  /** After each statement. */
  afterStatement?(text: string): Promise<void> | void;
  /** Before a commit; of a turn, with what it did. */
  beforeCommit?(turn: TurnResult | undefined): Promise<void> | void;
  /** After a commit; of a turn, with what it did. */
  afterCommit?(turn: TurnResult | undefined): Promise<void> | void;
}

/** A store whose transactions a test holds up, fails or counts. */
export function watchStore(store: OutboxStore, steps: Steps): OutboxStore {
  const watchSql = (tx: Sql): Sql => ({
    async query(text, values) {
      const result = await tx.query(text, values);
      await steps.afterStatement?.(text);
      return result;
    },
  });
  return {
    ...store,
    async transaction(run, options) {
      const turnOf = (made: unknown): TurnResult | undefined =>
        (made as Partial<TurnResult> | undefined)?.heads && (made as TurnResult);
      // Of all transactions of a worker, turns alone have settings.
      await steps.begin?.(options?.settings !== undefined);
      const result = await store.transaction(async (tx) => {
        const made = await run(watchSql(tx));
        await steps.beforeCommit?.(turnOf(made));
        return made;
      }, options);
      await steps.afterCommit?.(turnOf(result));
      return result;
    },
  };
}
