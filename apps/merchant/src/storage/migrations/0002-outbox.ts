import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which updates an outbox sends, how often each was sent off anew, and how far the outbox was followed. */
export const outbox: Migration = {
  async up(database: Kysely<unknown>) {
    const { schema } = database;
    await schema
      .alterTable('updates')
      .addColumn('in_outbox', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('round', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`create index updates_refused on updates (token, position)
      where state in ('rejected', 'not_sent') and in_outbox and decision is null`.execute(database);
    await schema
      .createTable('outbox_mirror')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .execute();
  },
};
