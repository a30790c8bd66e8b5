import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How far the outbox was followed is a cursor: text, no longer the number of an event. */
export const outboxCursor: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema.dropTable('outbox_mirror').execute();
    await database.schema
      .createTable('outbox_mirror')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('cursor', 'text', (column) => column.notNull())
      .execute();
  },
};
