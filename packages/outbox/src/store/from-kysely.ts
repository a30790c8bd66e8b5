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

/** What runs statements in Kysely: a `Transaction`, or a `Kysely`. */
export interface KyselyExecutor {
  executeQuery(query: CompiledQuery): Promise<{ readonly rows: unknown[] }>;
}

/** Makes a transaction of Kysely one that `enqueue` takes: `{ tx: fromKysely(trx) }`. */
export function fromKysely(trx: KyselyExecutor): Sql {
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
