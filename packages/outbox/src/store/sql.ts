/**
 * Something that runs one SQL statement with `$1` parameters: a client or a transaction of `pg`, a PGlite or its
 * transaction, or what `fromKysely` and `fromDrizzle` make of theirs.
 */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs a statement and gives its rows as one type: what a statement of ours selects is known where it is written. */
export async function rowsOf<T>(sql: Sql, text: string, values: readonly unknown[] = []): Promise<T[]> {
  const { rows } = await sql.query(text, [...values]);
  return rows as T[];
}
