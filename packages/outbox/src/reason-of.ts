/** What an error says in one line: Node tells of several failed addresses by an error without a message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  // What pg says where the server asks for a password and none was given.
  if (/^SASL: .*password must be a (non-empty )?string$/.test(error.message)) return noPassword;
  return error.message || String('code' in error ? error.code : error.name);
}

const noPassword =
  'the server asks for a password: write it into the address, or set PGPASSWORD or a passfile';

/** What kind of error it is, without a word of its own; 80 characters at most. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'what is no error';
  const kind = 'code' in error ? `${error.name} (${String(error.code)})` : error.name;
  return kind.replace(/[^\w ().-]+/g, '?').slice(0, 80);
}

/** Whether the database refused a statement for what it says: it will refuse it again, unlike one that could not be run. */
export function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(22|23|42)[0-9A-Z]{3}$/.test(code);
}
