import type { Sql } from './sql.ts';

/** What runs statements in Drizzle: a transaction, or a database. */
export interface DrizzleExecutor<Query> {
  execute(query: Query): PromiseLike<unknown>;
}

/** The `sql` of `drizzle-orm`, which makes queries. */
export interface DrizzleSql<Query> {
  raw(text: string): Query;
  param(value: unknown): unknown;
  join(parts: (Query | never)[]): Query;
}

/** Makes a transaction of Drizzle one that `enqueue` takes: `{ tx: fromDrizzle(tx, sql) }`, with the `sql` of `drizzle-orm`. */
export function fromDrizzle<Query>(tx: DrizzleExecutor<Query>, sql: DrizzleSql<Query>): Sql {
  return {
    async query(text, values = []) {
      // Every second part is the number of a parameter.
      const parts = text
        .split(/\$(\d+)/)
        .map((part, place) =>
          place % 2 === 0 ? sql.raw(part) : (sql.param(values[Number(part) - 1]) as Query),
        );
      const result = await tx.execute(sql.join(parts));
      return { rows: Array.isArray(result) ? result : (result as { rows: unknown[] }).rows };
    },
  };
}
