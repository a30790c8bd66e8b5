/**
 * Something that runs one SQL statement with `$1` parameters: a client or a transaction of `pg`, a PGlite or its
 * transaction, or what `fromKysely` and `fromDrizzle` return.
 */
export interface Sql {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs a statement whose rows have a type that is known where it is written. */
export async function rowsOf<T>(sql: Sql, text: string, values: readonly unknown[] = []): Promise<T[]> {
  const { rows } = await sql.query(text, [...values]);
  return rows as T[];
}

/** A name as it stands in a statement: without quotes, PostgreSQL would read `user` or `order` as something else. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A listener for notifications of one channel. */
export interface Subscription {
  /** Whether notifications arrive now; otherwise the worker polls more often. */
  readonly isListening: boolean;
  /** Why they do not arrive, where that will not change. */
  readonly reason?: string;
  close(): Promise<void>;
}

/** Where a folder is, and which files hold it: those of a copy are others. */
export interface FolderIdentity {
  readonly path: string;
  readonly device: number;
  /** The numbers that the file system gives to what nothing replaces while the folder is used. */
  readonly files: readonly number[];
  /** When the last of them was made, in nanoseconds; '0' where the file system does not say. */
  readonly bornAt: string;
}

/** How a transaction of ours runs. */
export interface TransactionOptions {
  /** Uses the connections of the worker, which callers that wait for locks cannot take up. */
  readonly worker?: boolean;
  /** Gives up a lock that it cannot have soon, because its caller runs it again: it keeps no connection meanwhile. */
  readonly isRepeated?: boolean;
  /** `set local ...` statements that run right after `begin`. */
  readonly settings?: string;
  /** Refuses several statements in one text, as PGlite does in any transaction. */
  readonly isSingle?: boolean;
}

/**
 * A database that holds an outbox: made by `postgresStore`, or by `pgliteStore` of `@orders/outbox/pglite`. Whatever parsers
 * `pg` has in this process, its rows hold numbers, booleans, JSON, and lists of text; any other value, such as a time or a
 * `bigint`, is its text. A statement of `query` may run twice, where its connection ends meanwhile.
 */
export interface OutboxStore extends Sql {
  readonly backend: 'postgres' | 'pglite';
  /** Where it is, for people; never a password. */
  readonly place: string;
  /** What distinguishes its folder from a copy of it, where it has one. */
  readonly identity?: FolderIdentity | undefined;
  /**
   * Runs one transaction, READ COMMITTED and flushed to disk, and rolls it back when `run` rejects. On PostgreSQL it waits 3 s
   * for a lock, and 10 s for the next statement.
   */
  transaction<T>(run: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs statements of the worker, by default in a transaction of its own; without values, several in one text, which may begin
   * and commit their own.
   */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** Listens on a channel, on a connection of its own, until closed. `onMessage` is also called after each reconnect. */
  listen(channel: string, onMessage: () => void): Promise<Subscription>;
  /** Frees what it holds; a pool or a database of the caller stays open. */
  close(): Promise<void>;
}
