import { migrate, type OutboxStore } from '@orders/outbox';
import { rowsOf } from '../src/store.ts';

let made = 0;

/** The schemas of one database: making the tables of one takes longer than most tests, so tests take turns with them. */
export class Schemas {
  readonly #store: OutboxStore;
  /** Those that no test has now, longest unused first. */
  readonly #free: string[] = [];
  /** What a migration has put into each table, as JSON, by the part of its name behind that of the schema. */
  #rows: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(store: OutboxStore) {
    this.#store = store;
  }

  /** A name that no schema has yet. */
  name(): string {
    return `scene_${++made}`;
  }

  /** The name of a schema for one test, and when its tables are as a migration makes them. */
  take(): { readonly schema: string; readonly ready: Promise<void> } {
    const schema = this.#free.shift();
    if (schema !== undefined) return { schema, ready: this.#restore(schema) };
    const name = this.name();
    return { schema: name, ready: this.#make(name) };
  }

  /** Lets another test take a schema whose tables are those of a migration. */
  giveBack(schema: string): void {
    this.#free.push(schema);
  }

  async #make(schema: string): Promise<void> {
    await migrate(this.#store, { databaseSchema: schema });
    this.#rows ??= this.#readMade(schema);
    await this.#rows;
  }

  async #readMade(schema: string): Promise<ReadonlyMap<string, string>> {
    const tables = await rowsOf<{ name: string }>(
      this.#store,
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema in ($1, $2)`,
      [schema, `${schema}_queue`],
    );
    const rows = new Map<string, string>();
    for (const { name } of tables) {
      const [table] = await rowsOf<{ rows: string }>(
        this.#store,
        `select coalesce(json_agg(made), '[]')::text as rows from ${name} as made`,
      );
      rows.set(name.slice(schema.length), table?.rows ?? '[]');
    }
    return rows;
  }

  async #restore(schema: string): Promise<void> {
    const rows = (await this.#rows) ?? new Map<string, string>();
    const statements = [...rows].map(([table, json]) => {
      const name = `${schema}${table}`;
      const insert = `insert into ${name} select * from json_populate_recordset(null::${name}, '${json}')`;
      return `delete from ${name}; ${json === '[]' ? '' : `${insert};`}`;
    });
    // As a replica, the database checks no references between tables, whatever the sequence of the statements.
    const asReplica = `perform set_config('session_replication_role', 'replica', true)`;
    await this.#store.query(`do $do$ begin ${asReplica}; ${statements.join('\n')} end $do$`);
  }
}
