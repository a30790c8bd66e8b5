import type pg from 'pg';
import type { Sql } from './store.ts';

type Parser = (text: string) => unknown;

/** How values are read, by the number of their type. Not PGlite's own type, whose declarations need those of a browser. */
export type Parsers = Readonly<Record<number, Parser>>;

const elements: Parser = (text) =>
  [...text.matchAll(/"((?:[^"\\]|\\.)*)"|([^,{}]+)/g)].map(
    ([, quoted, plain]) => quoted?.replace(/\\(.)/g, '$1') ?? plain,
  );
const asText: Parser = (text) => text;

/**
 * How the values of a database are read, by the number of their type; any other is its text. `pg.types` is shared by the
 * process and a pool or a PGlite may have parsers of its own, so statements of the outbox and of its queue bring these.
 */
const parsers: Parsers = {
  // boolean
  16: (text) => text === 't',
  // smallint, integer, real, double precision
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  // json, jsonb
  114: JSON.parse,
  3802: JSON.parse,
  // text[], uuid[]
  1009: elements,
  2951: elements,
};

/** The same for `pg`. */
export const pgTypes = {
  getTypeParser: (type: number): Parser => parsers[type] ?? asText,
} as pg.CustomTypesConfig;

/** Every type that a statement of ours, or of pg-boss, resolves with, so that no parser of a PGlite's owner is left. */
const textTypes = [
  18, 19, 20, 25, 26, 28, 705, 1042, 1043, 1082, 1114, 1184, 1186, 1700, 2205, 2278, 2950, 5069,
];

/** The same for PGlite. */
export const pgliteParsers: Parsers = {
  ...Object.fromEntries(textTypes.map((type) => [type, asText])),
  ...parsers,
};

/** As much of a client of `pg` as shows that it is one. */
interface PgClient {
  readonly binary?: boolean;
  query(config: {
    text: string;
    values: unknown[];
    types: pg.CustomTypesConfig;
    query_timeout?: number;
    queryMode?: string;
  }): Promise<{ rows: unknown[] }>;
}

/** How a statement of `pg` runs, where that is not as its client has it. */
type StatementOptions = Pick<Parameters<PgClient['query']>[0], 'query_timeout' | 'queryMode'>;

/** As much of a transaction of PGlite as shows that it is one. */
interface PgliteTransaction {
  query(text: string, values: unknown[], options: { parsers: Parsers }): Promise<{ rows: unknown[] }>;
}

/** A client or transaction whose rows are read by our parsers; that of a query builder as it is. @throws TypeError */
export function withOwnParsers(sql: Sql, options: StatementOptions = {}): Sql {
  if ('getTypeParser' in sql) {
    const client = sql as unknown as PgClient;
    if (client.binary)
      throw new TypeError(
        'pg reads binary results, which the outbox does not: leave pg.defaults.binary, or binary, false.',
      );
    return { query: (text, values = []) => client.query({ ...options, text, values, types: pgTypes }) };
  }
  if ('exec' in sql) {
    const transaction = sql as unknown as PgliteTransaction;
    return { query: (text, values = []) => transaction.query(text, values, { parsers: pgliteParsers }) };
  }
  return sql;
}
