/** What an error says in one line: Node tells of several failed addresses by an error without a message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.message || String('code' in error ? error.code : error.name);
}

/** Whether the database refused a statement for what it says: it will refuse it again, unlike one that could not be run. */
export function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(22|23|42)[0-9A-Z]{3}$/.test(code);
}
