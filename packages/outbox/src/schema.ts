import { OutboxError, retryOnDeadlock } from './errors.ts';
import type { LaneQueue } from './queue.ts';
import { type OutboxStore, quoteName, rowsOf, type Sql, type TransactionOptions } from './store.ts';

/** One step of the tables. Once released it never changes: a correction is another step. */
interface Migration {
  /**
   * The oldest version of this code that works with the tables after this step. A step that only adds keeps it, so old
   * processes go on while new ones start; what they still use is removed by a later release.
   */
  readonly readableFrom: number;
  readonly sql: (schema: string) => string;
}

/** Version n is what the first n steps make. */
const migrations: readonly Migration[] = [
  {
    readableFrom: 1,
    // `lanes.last` is the last position of an order. Updates are sent by `position`, which changes when a person sends one
    // again, and listed by `accepted_position`, which never does. What is `open` holds those behind it. `claim` is of the lane
    // that marked an update; it stays with one in review, so that a late response is still stored.
    // No constraint checks states: PostgreSQL would parse it anew in each statement that writes a row. No index has the
    // state in it, and "open" changes once, so marking an update as being sent writes few index entries.
    sql: (schema) => `
      create table ${schema}.lanes (
        token text primary key,
        last bigint not null
      ) with (fillfactor = 80);

      create table ${schema}.updates (
        id uuid primary key,
        token text not null,
        position bigint not null,
        accepted_position bigint not null,
        body text,
        state text not null,
        open boolean not null default true,
        needs_decision boolean not null default false,
        claim text,
        attempts integer not null default 0,
        failures integer not null default 0,
        created_at timestamptz not null default clock_timestamp(),
        sending_at timestamptz,
        settled_at timestamptz,
        code text,
        message text,
        status integer,
        issues text,
        receipt text,
        traceparent text,
        decided_by text,
        decided_at timestamptz,
        note text,
        changed xid8 not null default pg_current_xact_id(),
        unique (token, position)
      ) with (fillfactor = 70);
      create index updates_open on ${schema}.updates (token, position) where open;
      create index updates_to_decide on ${schema}.updates (created_at) where needs_decision;
      create index updates_changed on ${schema}.updates (changed, id);

      create table ${schema}.limits (
        name text primary key,
        until timestamptz not null default '-infinity',
        data text
      ) with (fillfactor = 50);
      insert into ${schema}.limits (name) values ('pause'), ('rate'), ('service');`,
  },
  {
    readableFrom: 1,
    sql: (schema) => `alter table ${schema}.updates add column held_by text, add column due_at timestamptz,
      add constraint open_until_settled check (open or state not in ('queued', 'sending'))`,
  },
  {
    readableFrom: 1,
    sql: (schema) => `
      create table ${schema}.events (
        id text primary key,
        token text not null,
        position bigint not null,
        state text not null default 'queued',
        payload text,
        traceparent text,
        received_at timestamptz not null default clock_timestamp(),
        due_at timestamptz not null default clock_timestamp(),
        failures integer not null default 0,
        message text,
        settled_at timestamptz
      ) with (fillfactor = 70);
      create index events_of_token on ${schema}.events (token, position);
      create index events_due on ${schema}.events (due_at) where state = 'queued';
      create index events_open on ${schema}.events (token, position) where settled_at is null;
      create index events_settled on ${schema}.events (settled_at) where settled_at is not null`,
  },
];

/** The version that this code makes. */
const currentVersion = migrations.length;

/** Checks the name of a database schema: with `_queue` behind it, it stands without quotes in statements of pg-boss. @throws TypeError */
export function checkSchemaName(name: string): string {
  if (/^pg_|^information_schema$/.test(name))
    throw new TypeError('databaseSchema: choose another name: PostgreSQL keeps this one for itself.');
  if (/^[a-z_][a-z0-9_]{0,39}$/.test(name)) return name;
  throw new TypeError(
    'databaseSchema: write at most 40 lower-case letters, digits and underscores, with a letter first.',
  );
}

/** What is in a schema: nothing of ours, or tables of a version. */
export type Installed = 'empty' | { readonly version: number; readonly readableFrom: number };

/** Looks what is in a schema, without a lock. @throws OutboxError `old_database` */
export async function readInstalled(sql: Sql, name: string): Promise<Installed> {
  const [found] = await rowsOf<{ ours: boolean; first: boolean }>(
    sql,
    `select coalesce(bool_or(relname = 'migrations'), false) as ours, count(*) filter (where relname in ('version', 'events', 'updates')) = 3 as first
     from pg_class where relnamespace = to_regnamespace($1) and relkind = 'r'`,
    [name],
  );
  if (found?.first && !found.ours) {
    const message = `The schema ${name} holds an outbox of the first version, which this release does not read: it was left untouched. Settle its updates with that version, and choose another databaseSchema.`;
    throw new OutboxError('old_database', message);
  }
  if (!found?.ours) return 'empty';
  const [row] = await rowsOf<{ version: number; readable_from: number }>(
    sql,
    `select version, readable_from from ${quoteName(name)}.migrations order by version desc limit 1`,
  );
  return row ? { version: row.version, readableFrom: row.readable_from } : 'empty';
}

/**
 * Checks that this code works with what is in the schema. It takes no lock, so any number of processes may start at once.
 *
 * @throws OutboxError `not_migrated`, `database_too_new` or `old_database`
 */
export async function checkInstalled(store: OutboxStore, name: string, queue: LaneQueue): Promise<void> {
  const installed = await readInstalled(store, name);
  checkReadable(installed, name);
  if (installed === 'empty' || installed.version < currentVersion || !(await queue.isReady())) {
    const message = `The schema ${name} has no tables of this release: run the command "migrate", call migrate(), or pass migrate: true.`;
    throw new OutboxError('not_migrated', message);
  }
}

/**
 * Checks that neither row security nor a setting is in the way: a row that is hidden is never sent, and nothing would say so; a
 * setting changes what is read or stored.
 *
 * @throws OutboxError `database_unusable`
 */
export async function checkDatabase(store: OutboxStore, name: string): Promise<void> {
  const [odd] = await rowsOf<{ setting: string }>(
    store,
    `select name || ' = ' || setting as setting from pg_settings
     where name in ('array_nulls', 'standard_conforming_strings') and setting = 'off'
       or name = 'extra_float_digits' and setting::int < 0 limit 1`,
  );
  if (odd) {
    const message = `The setting ${odd.setting} would change what is stored or read, so nothing was done: reset it for this role or database, as in "alter role this_role reset ${odd.setting.split(' ')[0]}", and connect again.`;
    throw new OutboxError('database_unusable', message);
  }
  const [hidden] = await rowsOf<{ table: string }>(
    store,
    `select oid::regclass::text as table from pg_class
     where relnamespace in (to_regnamespace($1), to_regnamespace($2)) and relkind in ('r', 'p') and row_security_active(oid) limit 1`,
    [name, `${name}_queue`],
  );
  if (!hidden) return;
  const message = `Row security may hide rows of ${hidden.table} from this role, and hidden updates are never sent. As the owner: alter table ${hidden.table} disable row level security; or alter role this_role bypassrls.`;
  throw new OutboxError('database_unusable', message);
}

function checkReadable(installed: Installed, name: string): void {
  if (installed === 'empty' || installed.readableFrom <= currentVersion) return;
  const message = `The tables in ${name} have version ${installed.version}, which this release, with version ${currentVersion}, does not read: upgrade @orders/outbox.`;
  throw new OutboxError('database_too_new', message);
}

/** How a migration says for what it waits, and after how many milliseconds. */
export interface Patience {
  readonly warn: (message: string) => void;
  readonly stallMs: number;
}

/**
 * Makes the tables of the outbox and of pg-boss, or brings them up to date. Several processes may do so at once; where
 * nothing is to be done, it takes no lock.
 *
 * @throws OutboxError `database_too_new` or `old_database`
 */
export async function migrateSchema(
  store: OutboxStore,
  name: string,
  queue: LaneQueue,
  { warn, stallMs }: Patience,
): Promise<void> {
  /** Says for what it waits once that takes long, until the function is called that it returns. */
  const wait = (reason: string): (() => void) => {
    const timer = setTimeout(() => warn(`The migration of the schema ${name} waits ${reason}.`), stallMs);
    return () => clearTimeout(timer);
  };
  const at = { store, name, wait };
  const before = await readInstalled(store, name);
  checkReadable(before, name);
  const isCurrent = before !== 'empty' && before.version >= currentVersion;
  if (isCurrent && (await queue.isReady()) && (await queue.isBuilt())) return;
  const schema = quoteName(name);
  await lockMigrations(
    at,
    { worker: true },
    'until transactions that are open let go of its tables',
    async (tx) => {
      const installed = await readInstalled(tx, name);
      checkReadable(installed, name);
      await tx.query(`create schema if not exists ${schema}`);
      await tx.query(
        `create table if not exists ${schema}.migrations (
         version integer primary key, readable_from integer not null, at timestamptz not null default clock_timestamp()
       )`,
      );
      const version = installed === 'empty' ? 0 : installed.version;
      for (const [index, { sql, readableFrom }] of migrations.entries()) {
        if (index < version) continue;
        for (const statement of sql(schema).split(';')) if (statement.trim()) await tx.query(statement);
        await tx.query(`insert into ${schema}.migrations (version, readable_from) values ($1, $2)`, [
          index + 1,
          readableFrom,
        ]);
      }
    },
  );
  const migrateQueue = (): Promise<void> => retryOnDeadlock(maxDeadlocks, () => queue.migrate());
  // pg-boss migrates in transactions of its own; on PGlite they would wait for this one, and no other process is there.
  if (store.backend === 'pglite') return migrateQueue().finally(wait(building));
  // Not on a connection of the worker: pg-boss needs one to build an index, and one to look how far it is.
  await lockMigrations(at, {}, building, migrateQueue);
}

/**
 * Runs work in a transaction with the lock of migrations, since "create ... if not exists" races between processes. The lock
 * ends with the transaction, behind a pooler too. Who does not get it waits outside of any transaction, and looks again: an index
 * that pg-boss builds waits for each transaction with a snapshot to end, and one that waited for the lock here would have a snapshot,
 * as would one whose statement has parameters.
 */
async function lockMigrations(
  { store, name, wait }: { store: OutboxStore; name: string; wait: (reason: string) => () => void },
  options: TransactionOptions,
  reason: string,
  run: (tx: Sql) => Promise<void>,
): Promise<void> {
  const lock = `select pg_try_advisory_xact_lock(hashtext('orders-outbox:${name}')) as taken`;
  let end = wait('for another migration of it');
  const tryOnce = async (tx: Sql): Promise<boolean> => {
    const [row] = await rowsOf<{ taken: boolean }>(tx, lock);
    if (!row?.taken) return false;
    end();
    end = wait(reason);
    await run(tx);
    return true;
  };
  try {
    while (!(await store.transaction(tryOnce, { ...options, settings: patiently })))
      await new Promise((resolve) => setTimeout(resolve, lookMs));
  } finally {
    end();
  }
}

/** How often a migration looks whether another one is over, in milliseconds. */
const lookMs = 100;
const building =
  'for pg-boss, which changes its tables and builds indexes: that takes until the transactions have ended that were open before, and begins 5 minutes after a migration that was killed';
/** How often a migration of pg-boss may be in the way of callers. */
const maxDeadlocks = 10;
/** Shorter than the store waits for a statement, so that the error names the lock. */
const patiently =
  'set local lock_timeout = 50000; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0';
