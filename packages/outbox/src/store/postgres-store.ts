import { checkOptions } from '@orders/schema/check-options';
import pg from 'pg';
import { attendPostgres } from './attend-postgres.ts';
import type { OutboxStore } from './outbox-store.ts';
import { runAlone } from './run-alone.ts';
import type { Sql } from './sql.ts';

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** Where the database is: `postgres://user:password@host:port/name`. Not through a pooler of transactions: it listens. */
  readonly connectionString?: string;
  /** A pool of your own instead; it stays open when the outbox closes. */
  readonly pool?: pg.Pool;
  /**
   * Connections of this process, besides the one that listens; two at least.
   * @default 6
   */
  readonly maxConnections?: number;
}

/** How long a transaction of ours may stand still between two statements, in milliseconds. */
const idleMs = 10_000;
/** Times out before `query_timeout` does, so that the server itself ends the statement wherever it can be reached. */
const timeouts = { connectionTimeoutMillis: 10_000, statement_timeout: 50_000, query_timeout: 60_000 };

/**
 * Keeps an outbox in PostgreSQL, which any number of processes may share.
 *
 * @throws TypeError when an option is wrong; the password is not in it.
 */
export function postgresStore(options: PostgresStoreOptions): OutboxStore {
  checkOptions('postgresStore', options, ['connectionString', 'pool', 'maxConnections']);
  const { connectionString, pool: given, maxConnections = 6 }: PostgresStoreOptions = options ?? {};
  if ((connectionString === undefined) === (given === undefined)) {
    throw new TypeError('postgresStore: give either connectionString or pool.');
  }
  const pool = given ?? makePool(connectionString, maxConnections);
  if (!(pool.options.max >= 2)) throw new TypeError('postgresStore: allow two connections at least.');
  const place = placeOf(pool);
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process, and one may
  // still break while the pool ends.
  const ignore = (): void => {};
  pool.on('error', ignore);

  async function transaction<T>(run: (tx: Sql) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    // A connection that breaks between two statements says so by an event, which nobody else hears.
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      // What is read after a lock must be what stands there then, whatever the default of the database is; and whoever is
      // stopped between two statements must not keep the others from what it has locked.
      await client.query(
        `begin isolation level read committed; set local idle_in_transaction_session_timeout = ${idleMs}`,
      );
      const result = await run(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((lost: Error) => {
        broken ??= lost;
      });
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  async function executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    const result: pg.QueryResult | pg.QueryResult[] = await pool.query(text, values);
    return { rows: [result].flat().flatMap(({ rows }) => rows ?? []) };
  }

  const nameOf = nameTexts();
  return {
    exclusive: false,
    place,
    maxWaiting: Math.floor(pool.options.max / 2),
    query: (text, values) => pool.query(text, values),
    run: given
      ? (text, values) => transaction((tx) => tx.query(text, values))
      : (text, values) => pool.query({ name: nameOf(text), text, values }),
    transaction,
    alone: (name, run) => runAlone(pool, { name, run }),
    attend: (attendance) => attendPostgres(pool, attendance),
    queue: { backend: 'postgres', db: { executeSql } },
    close: async () => {
      if (given) pool.off('error', ignore);
      else await pool.end();
    },
  };
}

/** Names statements, so that a connection parses each once; there are few. */
function nameTexts(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) => {
    const name = names.get(text) ?? `orders_outbox_${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** What pg takes for an address: a URL, or the path of a socket. Anything else it would complete with a host of its own. */
const address = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/;

function makePool(connectionString: string | undefined, max: number): pg.Pool {
  return new pg.Pool({
    connectionString,
    max,
    application_name: 'orders-outbox',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    onConnect: async (client) => {
      await client.query('set session characteristics as transaction isolation level read committed');
    },
    ...timeouts,
  });
}

function placeOf(pool: pg.Pool): string {
  try {
    if (!address.test(pool.options.connectionString ?? '/')) throw new TypeError('It is no address.');
    const { host, port, database = '' } = new pg.Client(pool.options);
    // Of a password with a slash in it, a part is taken for the name of the database.
    return `PostgreSQL at ${host}:${port}, database ${/^[\w.-]+$/.test(database) ? database : '…'}`;
  } catch {
    // Whatever it says may hold the password.
    throw new TypeError(
      'postgresStore: write connectionString as postgres://user:password@host:port/name, with special characters percent-encoded.',
    );
  }
}
