import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Orders, drafts, updates, events and bulks. JSON is text, so that it comes back as it was given. */
export const desk: Migration = {
  async up(database: Kysely<unknown>) {
    const { schema } = database;
    await schema
      .createTable('orders')
      .addColumn('token', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.generatedAlwaysAsIdentity().notNull().unique())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('webhook_secret', 'text', (column) => column.notNull())
      .addColumn('qr_session_id', 'text')
      .addColumn('qr_session_at', 'timestamptz(3)')
      .execute();

    await schema
      .createTable('drafts')
      .addColumn('token', 'text', (column) => column.primaryKey().references('orders.token'))
      .addColumn('form', 'text', (column) => column.notNull())
      .addColumn('saved_at', 'timestamptz(3)', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('after_position', 'bigint', (column) => column.notNull())
      .execute();

    await schema
      .createTable('updates')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.generatedAlwaysAsIdentity().notNull().unique())
      .addColumn('token', 'text', (column) => column.notNull().references('orders.token'))
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('body_bytes', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz(3)', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('sending_at', 'timestamptz(3)')
      .addColumn('settled_at', 'timestamptz(3)')
      .addColumn('report', 'text')
      .addColumn('decision', 'text')
      .addColumn('repeats', 'text', (column) => column.references('updates.id'))
      .execute();
    await schema.createIndex('updates_of_order').on('updates').columns(['token', 'position']).execute();
    await sql`create index updates_undecided on updates (token, position)
      where state = 'unknown' and decision is null`.execute(database);
    await sql`create index updates_open on updates (position)
      where state in ('queued', 'sending')`.execute(database);

    await schema
      .createTable('events')
      .addColumn('seq', 'bigint', (column) => column.generatedAlwaysAsIdentity().primaryKey())
      .addColumn('at', 'timestamptz(3)', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('token', 'text', (column) => column.notNull())
      .addColumn('update_id', 'text')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('events_of_order').on('events').columns(['token', 'seq']).execute();
    await schema.createIndex('events_of_update').on('events').columns(['update_id', 'seq']).execute();
    await schema.createIndex('events_of_kind').on('events').columns(['kind', 'at', 'seq']).execute();

    await schema
      .createTable('bulks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.generatedAlwaysAsIdentity().notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz(3)', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('problem', 'text')
      .execute();

    await schema
      .createTable('bulk_rows')
      .addColumn('bulk_id', 'text', (column) => column.notNull().references('bulks.id').onDelete('cascade'))
      .addColumn('row', 'integer', (column) => column.notNull())
      .addColumn('line', 'integer', (column) => column.notNull())
      .addColumn('token', 'text', (column) => column.notNull())
      .addColumn('update', 'text', (column) => column.notNull())
      .addColumn('issues', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer')
      .addColumn('status', 'integer')
      .addPrimaryKeyConstraint('bulk_rows_pkey', ['bulk_id', 'row'])
      .execute();
    await schema
      .createIndex('bulk_rows_in_state')
      .on('bulk_rows')
      .columns(['bulk_id', 'state', 'row'])
      .execute();
  },
};
