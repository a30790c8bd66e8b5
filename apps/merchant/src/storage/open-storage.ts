import { describePlace } from './describe-place.ts';
import type { DeskStorage } from './desk-storage.ts';
import { createEventStore } from './event-store.ts';
import { migrate } from './migrate.ts';
import { openPglite } from './open-pglite.ts';
import { openPostgres } from './open-postgres.ts';
import type { OpenedDatabase } from './opened-database.ts';
import { createOrderStore } from './order-store.ts';
import { createOutboxMirror } from './outbox-mirror.ts';
import { createRunChange } from './run-change.ts';
import { createUpdateStore } from './update-store.ts';

export interface StorageOptions {
  /**
   * The address of a PostgreSQL database, which one desk at a time may use: `postgresql://user:password@host:5432/name`.
   *
   * @default the folder
   */
  readonly databaseUrl?: string;
  /** The folder of a PGlite database, which is made where there is none. @default memory: all is lost at the end */
  readonly folder?: string;
  /** The clock that events and updates are stamped with. @default () => new Date() */
  readonly now?: () => Date;
}

/**
 * Opens all that the desk keeps, and brings its tables up to date. What the last process left open stays as it is until
 * `updates.recover()`.
 *
 * @throws StorageProblem when it cannot be opened, in one line that says what to do.
 */
export async function openStorage(options: StorageOptions = {}): Promise<DeskStorage> {
  const { databaseUrl, folder } = options;
  const opened = await (databaseUrl === undefined ? openPglite(folder) : openPostgres(databaseUrl));
  return storeIn(opened, options);
}

/** Opens all that the desk keeps in a database that is open already; it closes with it. */
export async function storeIn(opened: OpenedDatabase, options: StorageOptions = {}): Promise<DeskStorage> {
  const { now = () => new Date() } = options;
  const place = describePlace(options);
  const { database } = opened;
  try {
    await migrate(database, place);
  } catch (error) {
    await opened.close();
    throw error;
  }
  const parts = { database, change: createRunChange(opened), now };
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= opened.close());
  return {
    database,
    orders: createOrderStore(parts),
    updates: createUpdateStore(parts),
    events: createEventStore(parts),
    mirror: createOutboxMirror(parts),
    openOutboxStore: () => opened.openOutboxStore(),
    place,
    close,
    [Symbol.asyncDispose]: close,
  };
}
