/** What cannot be done, in one line for a person. The exit code is 2 where the arguments are wrong, else 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The message of an error; a host with several addresses fails with an error that has none. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(describeError).join('; ');
  if (!(error instanceof Error)) return 'a value that is not an Error';
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** The name and code of an error whose message may contain a key. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is not an Error';
  const { name, code } = error as NodeJS.ErrnoException;
  const kind = /^[A-Z][A-Za-z]{0,30}$/.test(name) && name.endsWith('Error') ? name : 'Error';
  return typeof code === 'string' && /^ERR_[A-Z_]{1,50}$/.test(code) ? `${kind} (${code})` : kind;
}
