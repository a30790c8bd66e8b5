import type { Sql } from './sql.ts';

/** A transaction of Drizzle; what has no `rollback` is none. */
export interface DrizzleExecutor<Query> {
  execute(query: Query): PromiseLike<unknown>;
  rollback(): never;
}

/** The `sql` of `drizzle-orm`, which makes queries. */
export interface DrizzleSql<Query> {
  raw(text: string): Query;
  param(value: unknown): unknown;
  join(parts: (Query | never)[]): Query;
}

/**
 * Makes a transaction of Drizzle one that `enqueue` takes: `{ tx: fromDrizzle(tx, sql) }`, with the `sql` of `drizzle-orm`.
 *
 * @throws TypeError when it is given anything but that.
 */
export function fromDrizzle<Query>(tx: DrizzleExecutor<Query>, sql: DrizzleSql<Query>): Sql {
  if (typeof tx?.execute !== 'function' || typeof tx.rollback !== 'function') {
    throw new TypeError('fromDrizzle: pass the tx that db.transaction() gives, not the database.');
  }
  if (typeof sql?.raw !== 'function') {
    throw new TypeError('fromDrizzle: pass the sql of drizzle-orm as the second argument.');
  }
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
