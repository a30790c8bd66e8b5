import type { OutboxStore } from '@orders/outbox';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A database that is open, and held against other desks. */
export interface OpenedDatabase {
  readonly database: Kysely<Tables>;
  /**
   * Makes sure that it is still held, before a change; takes hold of it again where the hold was lost.
   *
   * @throws StorageProblem when another desk took it in the meantime, or it cannot be reached.
   */
  hold(): Promise<void>;
  /** The same database as an outbox takes it; to be closed before this. */
  openOutboxStore(): Promise<OutboxStore>;
  /** Closes it after what has begun, and frees it for others. */
  close(): Promise<void>;
}
