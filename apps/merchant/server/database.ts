import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { migrate, type OutboxStore, postgresStore, type Sql } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';

/** Where everything is stored; a store of your own closes with the app. */
export type DataPlace =
  | 'memory'
  | { readonly folder: string }
  | { readonly databaseUrl: string }
  | OutboxStore;

/** An error that the person who starts the app can fix; the message is one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const tables = `
  create schema if not exists merchant;
  create table if not exists merchant.settings (name text primary key, value text not null);
  create table if not exists merchant.orders (
    token text primary key,
    position bigint generated always as identity unique,
    -- What was applied last, or what the app first knew, and the update that it came with.
    body text not null,
    version text not null default 'first',
    -- What lists show of the body, which may be large.
    order_id text,
    currency text,
    lines integer not null
  );
  alter table merchant.orders add column if not exists total double precision;
  -- A search finds how an order number begins or ends, and how a token begins.
  create index if not exists orders_token on merchant.orders (token text_pattern_ops);
  create index if not exists orders_number on merchant.orders (lower(order_id) text_pattern_ops);
  create index if not exists orders_number_end on merchant.orders (reverse(lower(order_id)) text_pattern_ops);
  -- A copy of the outbox for lists, which follows it. The outbox deletes a body once it was applied, and the editor starts
  -- from it: it is kept here until it is in orders.
  create table if not exists merchant.updates (
    id uuid primary key,
    number bigint generated always as identity,
    token text not null,
    source text not null,
    body text,
    -- Of the body: the same id with another one is another update.
    digest text,
    state text not null default 'queued',
    -- When it took this state; while it is queued or being sent, when it was accepted.
    at timestamptz not null default clock_timestamp()
  );
  create index if not exists updates_of_order on merchant.updates (token, number);
  create index if not exists updates_open on merchant.updates (token, state) where state in ('queued', 'sending', 'needs_review');
  create table if not exists merchant.bulks (
    id uuid primary key,
    number bigint generated always as identity unique,
    name text not null,
    created_at timestamptz not null default clock_timestamp(),
    state text not null default 'ready',
    rows integer not null default 0,
    invalid integer not null default 0
  );
  create table if not exists merchant.bulk_rows (
    bulk_id uuid not null references merchant.bulks on delete cascade,
    row integer not null,
    token text,
    body text,
    issues text,
    update_id uuid unique,
    state text not null,
    outcome text,
    primary key (bulk_id, row)
  );
  create index if not exists bulk_rows_state on merchant.bulk_rows (bulk_id, state, row);`;

/**
 * Opens the database, and makes the tables of the outbox and of the app where there are none. Bodies are stored as JSON
 * text, so that they come back as they were given.
 *
 * @throws StartError or OutboxError when it cannot be used, with what to do.
 */
export async function openDatabase(place: DataPlace): Promise<OutboxStore> {
  if (typeof place === 'object' && 'folder' in place) await checkFolder(resolve(place.folder));
  const store = await openStore(place);
  try {
    await migrate(store);
    // Two processes may start at once on one database.
    await store.executeSql(`select pg_advisory_xact_lock(hashtext('merchant')); ${tables}`);
    await store.query(
      `insert into merchant.settings values ('webhook_key', $1), ('cursor', '') on conflict do nothing`,
      [randomBytes(32).toString('base64url')],
    );
    return store;
  } catch (error) {
    await store.close().catch(() => {});
    throw error;
  }
}

async function openStore(place: DataPlace): Promise<OutboxStore> {
  if (place === 'memory') return pgliteStore();
  if ('transaction' in place) return place;
  if ('folder' in place) return pgliteStore(resolve(place.folder));
  return postgresStore({ connectionString: place.databaseUrl });
}

/** Refuses a folder that holds something else, before anything is written to it. */
async function checkFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[];
    throw new StartError(`${folder} cannot be read (${error.code}): choose another folder with --data.`);
  });
  // A fresh volume or a folder kept in git is empty to a person, though not to the file system.
  const isEmpty = names.every((name) => name.startsWith('.') || name === 'lost+found');
  if (!isEmpty && !names.includes('lock.sqlite'))
    throw new StartError(`${folder} holds other files: choose an empty folder, or a new one, with --data.`);
}

/** A moment as JSON has it. The store reads as text what is no number, boolean or JSON, in the format of the database. */
export function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Runs a statement whose rows have a type that is known where it is written. */
export async function rowsOf<Row>(sql: Sql, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const { rows } = await sql.query(text, [...values]);
  return rows as Row[];
}
