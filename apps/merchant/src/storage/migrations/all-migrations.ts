import type { Migration } from 'kysely/migration';
import { desk } from './0001-desk.ts';
import { outbox } from './0002-outbox.ts';
import { outboxCursor } from './0003-outbox-cursor.ts';

/** Every migration by its name, in the order of the names; one that was released is never changed, only followed. */
export const allMigrations: Readonly<Record<string, Migration>> = {
  '0001-desk': desk,
  '0002-outbox': outbox,
  '0003-outbox-cursor': outboxCursor,
};
