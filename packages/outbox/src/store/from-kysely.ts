import { randomUUID } from 'node:crypto';
import type { Sql } from './sql.ts';

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
 * @throws TypeError when it is given anything but that.
 */
export function fromKysely(trx: KyselyExecutor): Sql {
  if (typeof trx?.executeQuery !== 'function' || !trx.isTransaction) {
    throw new TypeError('fromKysely: pass the trx that transaction().execute() gives, not the database.');
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
