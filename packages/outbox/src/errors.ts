import { setTimeout as sleep } from 'node:timers/promises';
import { quoteName } from './store.ts';

/** What is wrong with a call to the outbox, or with its database. A code never changes its meaning. */
export type OutboxErrorCode =
  | 'unknown_update'
  | 'nothing_to_decide'
  | 'duplicate_id'
  | 'not_a_transaction'
  | 'order_locked'
  | 'closed'
  | 'database_unusable'
  | 'not_migrated'
  | 'database_too_new'
  | 'old_database'
  | 'folder_unusable'
  | 'folder_locked';

/** A call that the outbox cannot carry out. Its message says why and what to do, and holds no password and no key. */
export class OutboxError extends Error {
  override readonly name = 'OutboxError';
  readonly code: OutboxErrorCode;
  /** The ids that the outbox has already (`duplicate_id`), or that a commit without a response may have stored; else none. */
  readonly ids: readonly string[];

  constructor(
    code: OutboxErrorCode,
    message: string,
    { ids = [], ...options }: ErrorOptions & { readonly ids?: readonly string[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.ids = ids;
  }
}

/** What an error says, in one line; of what cannot be shown, its kind. */
export function describeError(error: unknown): string {
  try {
    return describe(error);
  } catch {
    return kindOfError(error);
  }
}

function describe(error: unknown): string {
  // Node reports several addresses that failed by an error without a message of its own.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(describeError).join('; ');
  if (error instanceof Error) {
    const message = String(error.message);
    if (/^SASL: .*password must be a (non-empty )?string$/.test(message)) return noPassword;
    return (message || String('code' in error ? error.code : error.name)).split('\n', 1)[0] ?? '';
  }
  if (typeof error !== 'object' || error === null) return String(error);
  return 'message' in error ? String(error.message) : String(JSON.stringify(error)).slice(0, 200);
}

const noPassword =
  'the server wants a password: write it into the connection string, or set PGPASSWORD or a passfile';

/** What kind of error it is, without its own words, which may hold a key; 80 characters at most. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'a value that is not an Error';
  const kind = 'code' in error ? `${error.name} (${String(error.code)})` : error.name;
  return kind.replace(/[^\w ().-]+/g, '?').slice(0, 80);
}

/** An error and its causes: ten at most, since one may be its own. */
export function* causesOf(error: unknown): Generator<Error, void> {
  let at = error;
  for (let depth = 0; depth < 10 && at instanceof Error; depth++) {
    yield at;
    at = at.cause;
  }
}

/** The SQLSTATE of a database error, or that of its cause, where a library wraps it. Each has a digit, and `EPIPE` has none. */
export function sqlState(error: unknown): string | undefined {
  for (const each of causesOf(error))
    if ('code' in each && typeof each.code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(each.code))
      return each.code;
  return undefined;
}

/** Whether a SQLSTATE says that a lock could not be had: not soon, or not without a deadlock. */
export const isLockedState = (state: string | undefined): boolean => state === '55P03' || state === '40P01';

/**
 * Runs again what PostgreSQL rolled back because of a deadlock, at most `maxRetries` times: a migration of pg-boss takes its locks
 * in another order than callers. At once, it could take the lock that the other one waits for, and they would deadlock again.
 */
export async function retryOnDeadlock<T>(maxRetries: number, run: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries++)
    try {
      return await run();
    } catch (error) {
      if (sqlState(error) !== '40P01' || retries === maxRetries) throw error;
      await sleep(50 + 200 * Math.random());
    }
}

/** The error of a database that cannot be used, with its cause and the remedy where the cause is known. */
export function databaseError(place: string, schema: string, error: unknown): OutboxError {
  if (error instanceof OutboxError) return error;
  if (isLockedState(sqlState(error))) {
    const message = `A transaction of another session holds the order, or a table of ${place}, for long: nothing was changed. Repeat the call; pg_stat_activity and pg_locks show who holds it.`;
    return new OutboxError('order_locked', message, { cause: error });
  }
  const what = describeError(error).replace(/\.$/, '');
  const message = `${place} cannot be used: ${what}.${remedyFor(error, schema)}`;
  return new OutboxError('database_unusable', message, { cause: error });
}

function remedyFor(error: unknown, schema: string): string {
  const state = sqlState(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (state === '42501')
    return ` As the owner, run the command "migrate", and then: ${requiredGrants(schema, 'this_role').join('; ')}.`;
  if (state === '28P01' || state === '28000') return ' Check the user and the password.';
  if (state === '3D000') return ' Create the database, or check its name.';
  if (state === '57014') return ' Another session holds a lock for long: see pg_stat_activity and pg_locks.';
  if (state === '22P05')
    return ' Its encoding does not hold this text: use a database with the encoding UTF8.';
  if (state === '25006')
    return ' It takes no writes: connect to the primary, or reset default_transaction_read_only for this role and database.';
  if (state === '53100') return ' Free some disk space.';
  if (state === '53300') return ' Raise max_connections, or lower maxConnections.';
  return /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST)/.test(code) ? ' Check its host and port.' : '';
}

/**
 * The statements that give a role all it needs to enqueue and to work, but not to migrate.
 *
 * @throws TypeError when the schema or the role is missing.
 */
export function requiredGrants(schema: string, role: string): readonly string[] {
  if (!schema || !role) throw new TypeError('requiredGrants: pass the database schema and the role.');
  const grantee = quoteName(role);
  const ofQueue = quoteName(`${schema}_queue`);
  const schemas = `${quoteName(schema)}, ${ofQueue}`;
  return [
    `grant usage on schema ${schemas} to ${grantee}`,
    `grant select, insert, update, delete on all tables in schema ${schemas} to ${grantee}`,
    `grant execute on all functions in schema ${ofQueue} to ${grantee}`,
  ];
}
