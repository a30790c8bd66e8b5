import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { hostname, uptime } from 'node:os';
import { basename, resolve } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type FileLock, lockFile } from '@orders/outbox/file-lock';
import { CommandError, describeError } from './terminal.ts';

/**
 * What became of a row. `ready` is noted before it waits for its turn, and `sending` before a byte of it leaves; found
 * after a crash, `sending` becomes `unknown`. `queued` was not applied for certain: it is sent again.
 */
export type RowState =
  | 'ready'
  | 'sending'
  | 'queued'
  | 'applied'
  | 'rejected'
  | 'unknown'
  | 'discarded'
  | 'invalid';

/** A row of the journal. Rows that nothing was done with are not in it. */
export interface JournalRow {
  readonly row: number;
  readonly token: string;
  /** Your own id of the order, if the update has it. */
  readonly orderId: string | null;
  readonly state: RowState;
  /** What a person decided about it, if anything. */
  readonly decided: Decision | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly requestId: string | null;
  /** How often a byte of it may have left, over all runs. */
  readonly attempts: number;
  /** When it was sent last, in UTC; a retry of the client counts to the same. */
  readonly sentAt: string | null;
  /** When it was noted last, in UTC. */
  readonly at: string;
  readonly message: string | null;
}

/** What is noted of a row; of its outcome, all but the state is optional. */
export type Settled = Pick<JournalRow, 'row' | 'token' | 'state'> & Partial<JournalRow>;

/** What a journal belongs to: a file that was sent somewhere, and how it was read. */
export interface JournalKey {
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
  readonly decimals: number;
  /** What rows of one order next to each other are, if somebody said. */
  readonly rowsAre?: 'group' | 'each' | undefined;
  /** The format of the file, if somebody said. */
  readonly format?: 'json' | 'ndjson' | 'csv' | undefined;
  /** Whether warnings were issues. */
  readonly strict?: boolean | undefined;
  readonly baseUrl: string;
  /** The start of the machine on which the last run was. */
  readonly boot?: string;
}

/** A row that is to be sent. */
export type MarkedRow = Pick<JournalRow, 'row' | 'token' | 'orderId'>;

/** The journal of one file, in SQLite. Only one process has it open. */
export interface Journal {
  readonly key: JournalKey;
  /** Notes that a row waits to be sent; resolves once that would survive a power failure. */
  markReady(marked: MarkedRow): Promise<void>;
  /** Notes that a byte of a row may leave now, so that it survives the end of this process. @throws CommandError */
  markSending(row: number): void;
  /** Notes that a row, which was not applied for certain, waits to be sent again. @throws CommandError */
  unmark(row: number): void;
  /** Notes what became of a row, with the next rows. What cannot be written is kept, and is in `unwritten`. */
  settle(settled: Settled): void;
  /** Writes what is not written. @throws CommandError, also when the next run would not find this journal */
  flush(): void;
  /** Whether the file of this journal is where it was made. */
  isInPlace(): boolean;
  /** What could not be written. */
  readonly unwritten: readonly Settled[];
  /** The states of a range of rows. */
  states(from: number, to: number): ReadonlyMap<number, RowState>;
  count(): Readonly<Partial<Record<RowState, number>>>;
  /** The tokens of rows in some states. */
  tokensIn(states: readonly RowState[]): ReadonlySet<string>;
  list(states?: readonly RowState[]): IterableIterator<JournalRow>;
  /** Keeps all that is decided meanwhile, or, if it throws, none of it. @throws CommandError */
  allOrNone<T>(decideAll: () => Promise<T>): Promise<T>;
  /** Notes what a person decides about a row; the reason why that cannot be. */
  decide(row: number, decision: Decision): string | undefined;
  /** The next run sends a rejected row again, unless a later one of its order was sent. */
  requeue(row: number): void;
  close(): Promise<void>;
}

export type Decision = 'resolve' | 'retry' | 'discard';

const decidedStates = { resolve: 'applied', retry: 'queued', discard: 'discarded' } as const;

/** Marks a file as ours: "ORDJ". */
const applicationId = 0x4f52444a;

const tables = `
create table key (name text primary key, value text not null) strict;
create table rows (
  row integer primary key, token text not null, order_id text, state text not null, decided text,
  status integer, code text, request_id text, attempts integer not null default 0, sent_at integer,
  at integer not null, message text
) strict;
create index rows_open on rows (state) where state <> 'applied';
`;

/** Opens the journal of a file, if there is one. @throws CommandError, also for one of which a part is missing */
export async function openJournal(name: string): Promise<Journal | undefined> {
  const path = followLink(name);
  return existsSync(path) || existsSync(logOf(path)) ? await open(path) : undefined;
}

/** Makes the journal of a file. Only its owner can read it. @throws CommandError */
export async function createJournal(name: string, key: JournalKey): Promise<Journal> {
  const path = followLink(name);
  const sqlite = await loadSqlite();
  const draft = `${path}.${randomUUID()}`;
  try {
    // SQLite gives its other files the mode of this one.
    closeSync(openSync(draft, 'wx', 0o600));
    try {
      createTables(new sqlite.DatabaseSync(resolve(draft)), key);
      return (await open(path, draft)) as Journal;
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      `Cannot write the journal: ${describeError(error)}. Nothing was sent; --journal names another place.`,
    );
  }
}

/** The file that a name stands for: what SQLite writes beside it, and its lock, have the name of that. @throws CommandError */
function followLink(name: string): string {
  if (existsSync(name)) return realpathSync(name);
  if (isLink(name)) throw lacking(`${name} is a link to a file that is missing`);
  return name;
}

function isLink(name: string): boolean {
  try {
    return lstatSync(name).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Opens a journal, which may be a draft that has its tables and is not in its place yet. */
async function open(path: string, draft?: string): Promise<Journal | undefined> {
  const sqlite = await loadSqlite();
  let db: DatabaseSync | undefined;
  let lock: FileLock | undefined;
  try {
    // SQLite's own lock on the journal would be gone once anything in this process had read the file.
    lock = await lockFile(`${resolve(path)}.lock`);
    if (!lock) throw new CommandError(`Another process is sending this file: it has ${path} open.`);
    const isThere = existsSync(path);
    const hasLog = (statSync(logOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (isThere && draft !== undefined)
      throw new CommandError(`Another process has begun to send this file: ${path} is its journal.`);
    if (!isThere && hasLog)
      throw lacking(`${path} is missing, and ${basename(logOf(path))}, which belongs to it, is not`);
    if (draft !== undefined) renameSync(draft, path);
    else if (!isThere) {
      await lock.release();
      return undefined;
    }
    // A name such as file:x would be a URI to SQLite, and that of another file.
    db = new sqlite.DatabaseSync(resolve(path));
    // With its lock held, the write-ahead log needs no shared memory and one flush for each commit: the fastest of
    // SQLite's modes that survive a power failure.
    db.exec(`pragma trusted_schema = off; pragma locking_mode = exclusive; ${durably}`);
    const { id, tables: found, version } = db.prepare(contents).get() ?? {};
    if (id === 0 && found === 0) throw lacking(`${path} is empty`);
    if (id !== applicationId) throw new CommandError(`${path} is no journal of orders send.`);
    if (version === withoutLog && !hasLog)
      throw lacking(`${path} is not whole: its ${basename(logOf(path))} is missing, with what was sent last`);
    db.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0');
    checkpoint(db);
    return useTables({ path, db, lock, key: readKey(db) });
  } catch (error) {
    db?.close();
    await lock?.release();
    if (error instanceof CommandError) throw error;
    throw new CommandError(
      isBusy(error)
        ? `Another process is sending this file: it has ${path} open.`
        : `Cannot use the journal ${path}: ${describeError(error)}.`,
    );
  }
}

/** On macOS a plain flush leaves what is written in the cache of the drive. */
const durably = 'pragma synchronous = full; pragma fullfsync = 1; pragma checkpoint_fullfsync = 1';

/** Where SQLite writes first; what is in there comes into the journal itself now and then, and when that is closed. */
const logOf = (path: string): string => `${path}-wal`;

/** The `user_version` of a file alone while it has a log, and of both together: what SQLite leaves once it merges them. */
const withoutLog = 1;
const withLog = 2;

/** Brings what is in the log into the file, which by itself says that it lacks what comes into the log from now on. */
function checkpoint(db: DatabaseSync): void {
  // On a full disk it fails here: after it, the rest needs no more room.
  db.exec('pragma wal_checkpoint');
  try {
    db.exec(`pragma user_version = ${withoutLog}; pragma wal_checkpoint`);
  } finally {
    db.exec(`pragma user_version = ${withLog}`);
  }
}

/** After how many changes the log is brought into the file: it has some megabytes by then. */
const checkpointEvery = 2_000;

/** To go on with a part of a journal would repeat what the other part has. */
function lacking(what: string): CommandError {
  return new CommandError(`${what}. Nothing was sent`, 3, {
    hint: 'Restore the journal and its -wal. Remove both only if no row was sent: else find out at the service what was applied, and send the other rows from a file of their own.',
  });
}

const contents =
  'select application_id as id, (select count(*) from sqlite_schema) as tables, user_version as version from pragma_application_id, pragma_user_version';

/** Node 22 warns that SQLite is an experiment; the journal's tests run on it too. */
async function loadSqlite(): Promise<typeof import('node:sqlite')> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await import('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Names the time since this machine started. Elsewhere than on Linux, a clock that was set looks like another start. */
function currentBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `${hostname()} ${Math.round((Date.now() / 1_000 - uptime()) / 10)}`;
  }
}

function isBusy(error: unknown): boolean {
  return (error as { readonly errcode?: number }).errcode === 5;
}

/** Makes the tables of a journal, and closes it: all of it is in its file then. */
function createTables(db: DatabaseSync, key: JournalKey): void {
  try {
    db.exec(`${durably}; begin; pragma application_id = ${applicationId}; ${tables}`);
    const insert = db.prepare('insert into key values (?, ?)');
    const given = Object.entries(key).filter(([, value]) => value !== undefined);
    for (const [name, value] of given) insert.run(name, JSON.stringify(value));
    db.exec('commit');
  } finally {
    db.close();
  }
}

function readKey(db: DatabaseSync): JournalKey {
  const entries = db.prepare('select name, value from key').all();
  return Object.fromEntries(
    entries.map(({ name, value }) => [name, JSON.parse(String(value))]),
  ) as unknown as JournalKey;
}

/** One change that waits for the next commit. */
interface Change {
  readonly statement: StatementSync;
  readonly values: readonly SQLInputValue[];
  /** Of a row that has been sent: it is kept if it cannot be written. */
  readonly settled?: Settled;
}

const toDate = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
const columns = `row, token, order_id as orderId, state, decided, status, code, request_id as requestId, attempts, ${toDate('sent_at')} as sentAt, ${toDate('at')} as at, message`;

interface OpenFiles {
  readonly path: string;
  readonly db: DatabaseSync;
  readonly lock: FileLock;
  readonly key: JournalKey;
}

function useTables({ path, db, lock, key }: OpenFiles): Journal {
  const mark = db.prepare(
    `insert into rows (row, token, order_id, state, at) values (?, ?, ?, 'ready', ?)
     on conflict (row) do update set state = 'ready', at = excluded.at, status = null, code = null, request_id = null, message = null`,
  );
  const setState = db.prepare(
    'update rows set state = ?, attempts = attempts + (? is not null), sent_at = coalesce(?, sent_at), at = ? where row = ?',
  );
  const store = db.prepare(
    `insert into rows (row, token, state, status, code, request_id, at, message) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (row) do update set state = excluded.state, status = excluded.status, code = excluded.code,
       request_id = excluded.request_id, at = excluded.at, message = excluded.message`,
  );
  const range = db.prepare('select row, state from rows where row between ? and ?');
  const one = db.prepare('select token, state from rows where row = ?');
  // What is known of an attempt says nothing of a row that was applied, as a person found out, or that a person sends again.
  const kept = (column: string): string =>
    `${column} = iif($state = 'applied' or $decided = 'retry', null, ${column})`;
  const change = db.prepare(
    `update rows set state = $state, decided = coalesce($decided, decided), at = $at, ${kept('status')}, ${kept('code')}, ${kept('message')} where row = $row`,
  );
  const marks = (states: readonly RowState[]): string => states.map(() => '?').join(', ');

  // Only a process that ended while it sent leaves such rows: this one has none yet. What `markSending` wrote is there
  // unless the machine stopped, too: then a row that was noted as ready may have left.
  const boot = currentBoot();
  db.exec('begin immediate');
  db.prepare(
    `update rows set state = 'unknown', code = 'interrupted', message = ? where state = 'sending' or (state = 'ready' and ?)`,
  ).run(
    'The run ended before a response came. Whether the update was applied is unknown.',
    Number(key.boot !== boot),
  );
  db.exec(`update rows set state = 'queued' where state = 'ready'`);
  db.prepare(`insert or replace into key values ('boot', ?)`).run(JSON.stringify(boot));
  db.exec('commit');

  let waiting: Change[] = [];
  let written = Promise.withResolvers<void>();
  let isScheduled = false;
  /** How many changes came into the log since it was brought into the file. */
  let logged = 0;

  // SQLite has the file open, so no other gets its number meanwhile.
  const { dev, ino } = statSync(path);
  function isInPlace(): boolean {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === ino && found.dev === dev;
  }

  /** @throws when another process may have the journal by now, or the next run would not find it */
  function checkFiles(): void {
    if (!isInPlace()) throw new Error(`${path} was removed or replaced`);
    if (lock.lostBecause !== undefined) throw new Error(lock.lostBecause);
  }

  /** Writes all that waits in one commit. */
  function commit(): void {
    if (waiting.length === 0) return;
    checkFiles();
    db.exec('begin immediate');
    try {
      for (const { statement, values } of waiting) statement.run(...values);
      db.exec('commit');
      logged += waiting.length;
      waiting = [];
    } catch (error) {
      // On a full disk SQLite may have rolled back by itself.
      if (db.isTransaction) db.exec('rollback');
      throw error;
    }
    if (logged < checkpointEvery) return;
    logged = 0;
    try {
      checkpoint(db);
    } catch {
      // All is in the log, which grows until there is room for it in the file.
    }
  }

  /** Changes of the same turn of the event loop, and of the time that a commit takes, share a commit. */
  function add(added: Change): Promise<void> {
    waiting.push(added);
    if (isScheduled) return written.promise;
    isScheduled = true;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // It may have no reader.
    promise.catch(() => {});
    written = { promise, resolve, reject };
    setImmediate(() => {
      isScheduled = false;
      try {
        commit();
        resolve();
      } catch (error) {
        // What was not written must not be sent; what was sent is written with the next commit.
        waiting = waiting.filter(({ settled }) => settled);
        reject(unwritable(error));
      }
    });
    return promise;
  }

  /**
   * Writes a state at once. A commit that is not flushed survives the end of this process, though not of the machine: so
   * it takes some microseconds, of which there are some between the slot of the rate limit and the first byte.
   */
  function writeState(state: RowState, row: number, sentAt: number | null): void {
    try {
      checkFiles();
      db.exec('pragma synchronous = normal');
      setState.run(state, sentAt, sentAt, Date.now(), row);
      logged++;
    } catch (error) {
      throw unwritable(error);
    } finally {
      db.exec('pragma synchronous = full');
    }
  }

  function findLater(row: number, token: SQLInputValue): number | undefined {
    // Made when it is needed: it would double what sending writes.
    db.exec('create index if not exists rows_token on rows (token, row)');
    const later = `select row from rows where token = ? and row > ? and state in ('applied', 'unknown') limit 1`;
    return db.prepare(later).get(token, row)?.['row'] as number | undefined;
  }

  /** Settles a row that waits for a decision; the reason why that cannot be. */
  function settleWaiting(row: number, decision: Decision, decidedBy: 'person' | 'run'): string | undefined {
    const found = one.get(row);
    const state = found?.['state'];
    if (state === undefined)
      return `Row ${row} waits for no decision: it was not sent, or is not the first of the rows that are one update.`;
    if (state !== 'unknown' && state !== 'rejected')
      return `Row ${row} waits for no decision: it is ${state}.`;
    const after = decision === 'retry' ? findLater(row, found?.['token'] ?? '') : undefined;
    if (after !== undefined)
      return `Row ${row} cannot be sent again: row ${after}, a later one of its order, was sent.`;
    const decided = decidedBy === 'person' ? decision : null;
    change.run({ state: decidedStates[decision], decided, at: Date.now(), row });
    return undefined;
  }

  return {
    key,
    markReady: ({ row, token, orderId }) =>
      add({ statement: mark, values: [row, token, orderId, Date.now()] }),
    markSending: (row) => writeState('sending', row, Date.now()),
    unmark: (row) => writeState('ready', row, null),
    settle(settled) {
      const { row, token, state, status = null, code = null, requestId = null, message = null } = settled;
      const values = [row, token, state, status, code, requestId, Date.now(), message];
      void add({ statement: store, values, settled }).catch(() => {});
    },
    flush() {
      try {
        checkFiles();
        commit();
      } catch (error) {
        throw unwritable(error);
      }
    },
    isInPlace,
    get unwritten() {
      return waiting.flatMap(({ settled }) => settled ?? []);
    },
    states: (from, to) =>
      new Map(range.all(from, to).map(({ row, state }) => [Number(row), state as RowState])),
    count: () =>
      Object.fromEntries(
        db
          .prepare('select state, count(*) as count from rows group by state')
          .all()
          .map(({ state, count }) => [state, count]),
      ),
    tokensIn: (states) =>
      new Set(
        db
          .prepare(`select distinct token from rows where state in (${marks(states)})`)
          .all(...states)
          .map(({ token }) => String(token)),
      ),
    list(states) {
      const where = states ? `where state in (${marks(states)})` : '';
      return db
        .prepare(`select ${columns} from rows ${where} order by row`)
        .iterate(...(states ?? [])) as unknown as IterableIterator<JournalRow>;
    },
    async allOrNone(decideAll) {
      try {
        db.exec('begin immediate');
        const result = await decideAll();
        checkFiles();
        db.exec('commit');
        return result;
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error instanceof CommandError ? error : unwritable(error);
      }
    },
    decide: (row, decision) => settleWaiting(row, decision, 'person'),
    requeue: (row) => void settleWaiting(row, 'retry', 'run'),
    async close() {
      try {
        commit();
      } catch {
        // `flush` reports it.
      }
      try {
        // A checkpoint may have failed half-way.
        db.exec(`pragma user_version = ${withLog}`);
      } catch {
        // The log stays beside the file then.
      }
      db.close();
      await lock.release();
    },
  };
}

function unwritable(error: unknown): CommandError {
  return new CommandError(`The journal could not be written: ${describeError(error)}.`);
}
