/** Checks the name of a database schema, which stands in statements as it is. @throws TypeError when it may not. */
export function checkSchemaName(name: string): string {
  if (/^pg_|^information_schema$/.test(name)) {
    throw new TypeError('schema: write another name: this is one that PostgreSQL keeps for itself.');
  }
  if (/^[a-z_][a-z0-9_]{0,39}$/.test(name)) return name;
  throw new TypeError(
    'schema: write at most 40 lower-case letters, digits and underscores, with a letter first.',
  );
}
