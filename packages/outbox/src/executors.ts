import { randomUUID } from 'node:crypto';
import type { Sql } from './store.ts';

/** A query as Kysely runs it. */
interface CompiledQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: {
    readonly kind: 'RawNode';
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly never[];
  };
  readonly queryId: { readonly queryId: string };
}

/** A `Transaction` of Kysely. */
export interface KyselyExecutor {
  readonly isTransaction: true;
  executeQuery(query: CompiledQuery): Promise<{ readonly rows: unknown[] }>;
}

/**
 * Makes a transaction of Kysely one that `enqueue` takes: `{ tx: fromKysely(trx) }`.
 *
 * @throws TypeError when it gets anything else.
 */
export function fromKysely(trx: KyselyExecutor): Sql {
  if (typeof trx?.executeQuery !== 'function' || !trx.isTransaction) {
    throw new TypeError('fromKysely: pass the trx that transaction().execute() provides, not the database.');
  }
  return {
    query: (sql, parameters = []) =>
      trx.executeQuery({
        sql,
        parameters,
        query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
        queryId: { queryId: randomUUID() },
      }),
  };
}

/** A transaction of Drizzle; a database has no `rollback`. */
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
 * @throws TypeError when it gets anything else.
 */
export function fromDrizzle<Query>(tx: DrizzleExecutor<Query>, sql: DrizzleSql<Query>): Sql {
  if (typeof tx?.execute !== 'function' || typeof tx.rollback !== 'function') {
    throw new TypeError('fromDrizzle: pass the tx that db.transaction() provides, not the database.');
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
