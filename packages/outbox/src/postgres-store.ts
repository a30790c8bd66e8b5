import { checkOptions } from '@orders/schema/check-options';
import pg from 'pg';
import { OutboxError, sqlState } from './errors.ts';
import { pgTypes, withOwnParsers } from './parsers.ts';
import type { OutboxStore, Sql, Subscription, TransactionOptions } from './store.ts';

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/name`; a transaction pooler such as PgBouncer may stand in between. */
  readonly connectionString?: string | undefined;
  /** A pool of your own instead, which stays open when the outbox closes. Two more connections are opened like it. */
  readonly pool?: pg.Pool | undefined;
  /**
   * Connections of this process, at least 3: two are kept for the worker. One more listens for notifications.
   * @default 6
   */
  readonly maxConnections?: number | undefined;
  /**
   * Whether a worker of this process listens for notifications; otherwise it polls every second. While any worker listens,
   * each `enqueue` notifies, and PostgreSQL lets transactions that notify commit one at a time.
   * @default true
   */
  readonly listen?: boolean | undefined;
}

/** Connections that only the worker uses: one for its turns, one for what it looks after beside them. */
const workerConnections = 2;
/**
 * Nothing that was accepted is lost by a crash, and no process that stalls holds a lock for long, whatever a role or a database
 * sets for its sessions. PostgreSQL before 17 has no `transaction_timeout`; where it is set, no row says so.
 */
const begin = (lockMs: number): string =>
  `begin isolation level read committed; set local synchronous_commit = on; set local statement_timeout = 50000;
   set local lock_timeout = ${lockMs}; set local idle_in_transaction_session_timeout = 10000;
   select where case when current_setting('transaction_timeout', true) <> '0' then set_config('transaction_timeout', '0', true) = '' end`;
/** The transactions of pg-boss. */
const beginsItself = /^\s*begin;/i;
/** Its indexes: no transaction can build one, and it may take any time, after which PostgreSQL would go on with it alone. */
const buildsIndex = /\bconcurrently\b/i;
/** The longest that a timer can wait, in milliseconds. */
const longestMs = 2 ** 31 - 1;
/** How long a transaction waits for a lock: one that waits keeps a connection from other calls. */
const lockMs = { worker: 10_000, caller: 3_000, repeated: 100 };
/** The SQLSTATE of a transaction that PostgreSQL ended, since nothing came from its process for too long. */
const idleState = '25P03';
/** The SQLSTATEs of a connection that was ended by an operator, or by itself. */
const endedStates = /^(?:57P0[1-3]|08...)$/;
/** The same, or ended for its transaction or session. Of another server, an extension reports them, too. */
const lastStates = /^(?:25P0[34]|57P0[1-5]|08...)$/;
/** How often a transaction is run that PostgreSQL ended, since nothing came from its process. */
const maxRuns = 3;
/** Without an end, a worker would wait forever for a network that has lost its connection. */
const bounds = {
  connectionTimeoutMillis: 10_000,
  query_timeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const;
/** What `pg` reports, without a code, of a response that has not come, and of a connection that no call has released. */
const readTimeout = 'Query read timeout';
const poolTimeout = 'timeout exceeded when trying to connect';
/** How soon a listener connects again, in milliseconds. */
const reconnectMs = 1_000;

/**
 * Keeps an outbox in PostgreSQL, which any number of processes may share. It keeps no session state, so it works behind a
 * transaction pooler too: no named statements, no session locks, no startup parameters.
 *
 * @throws TypeError when an option is wrong; the password is not in it.
 */
export function postgresStore(options: PostgresStoreOptions): OutboxStore {
  checkOptions('postgresStore', options, ['connectionString', 'pool', 'maxConnections', 'listen']);
  const {
    connectionString,
    pool: given,
    maxConnections = 6,
    listen: listens = true,
  }: PostgresStoreOptions = options ?? {};
  if ((connectionString === undefined) === (given === undefined))
    throw new TypeError('postgresStore: pass either connectionString or pool.');
  if (!(Number.isSafeInteger(maxConnections) && maxConnections >= workerConnections + 1))
    throw new TypeError(
      `postgresStore: maxConnections must be a whole number from ${workerConnections + 1}.`,
    );
  if (typeof listens !== 'boolean') throw new TypeError('postgresStore: listen: write true or false.');
  // The password of a pool is not enumerable.
  const own = given ? { ...given.options, password: given.options.password } : { connectionString };
  const base = { ...bounds, ...own };
  // A pool may set them to 0, which is no bound.
  const query_timeout = base.query_timeout || bounds.query_timeout;
  const connectionTimeoutMillis = base.connectionTimeoutMillis || bounds.connectionTimeoutMillis;
  Object.assign(base, { query_timeout, connectionTimeoutMillis });
  const silence = new Error(`it did not respond to a statement within ${query_timeout / 1_000} s`);
  const place = describePlace(base);
  const callers = given ?? new pg.Pool({ ...base, max: maxConnections - workerConnections });
  const workers = new pg.Pool({ ...base, types: pgTypes, max: workerConnections });
  // The pool replaces an idle connection that breaks; without a listener it would end the process.
  const ignore = (): void => {};
  callers.on('error', ignore);
  workers.on('error', ignore);
  const callersQueue = createQueue(callers.options.max, connectionTimeoutMillis);
  const workersQueue = createQueue(workerConnections, connectionTimeoutMillis);

  async function attempt<T>(
    run: (tx: Sql) => Promise<T>,
    { worker = false, isRepeated = false, settings = '', isSingle = false }: TransactionOptions,
    waitMs: number,
  ): Promise<T> {
    let broken: Error | undefined;
    /** The reason that came with a statement. */
    let reason: Error | undefined;
    const onError = (error: Error): void => {
      broken ??= error;
    };
    const client = await takeClient(worker ? workers : callers, onError, waitMs);
    /** Runs a statement, unless the network has lost an earlier one: `pg` would let it wait behind that. */
    const query = async (text: string, values?: unknown[], queryMode?: 'extended') => {
      if (broken) throw broken;
      const own = withOwnParsers(client, { query_timeout, ...(queryMode && { queryMode }) });
      return own.query(text, values).catch((error: Error) => {
        if (lastStates.test(sqlState(error) ?? '')) reason ??= error;
        if (error.message !== readTimeout) throw error;
        broken ??= silence;
        throw silence;
      });
    };
    try {
      const kind = worker ? 'worker' : isRepeated ? 'repeated' : 'caller';
      await query(`${begin(lockMs[kind])}; ${settings}`);
      const result = await run({
        query: (text, values) => query(text, values, isSingle ? 'extended' : undefined),
      });
      await query('commit');
      return result;
    } catch (error) {
      const ended = broken;
      await query('rollback').catch(onError);
      if (sqlState(error) !== undefined || error instanceof OutboxError) throw error;
      // pg reports only that the connection cannot be used; why came before, with a statement or between two.
      throw (broken ? reason : undefined) ?? ended ?? error;
    } finally {
      // The pool closes a broken one without listening to it, and its last message may still be an error.
      if (!broken) client.off('error', onError);
      client.release(broken);
    }
  }

  const transaction: OutboxStore['transaction'] = (run, options = {}) =>
    (options.worker ? workersQueue : callersQueue)(async (waitMs) => {
      for (let runs = 1; ; runs++)
        try {
          return await attempt(run, options, waitMs);
        } catch (error) {
          // This process stood still for longer than its transaction may, and nothing of that is stored. A worker looks anew.
          if (options.worker || sqlState(error) !== idleState || runs === maxRuns) throw error;
        }
    });

  return {
    backend: 'postgres',
    place,
    query: async (text, values) => {
      let hasBegun = false;
      const run = (): Promise<{ rows: unknown[] }> =>
        transaction((tx) => {
          hasBegun = true;
          return tx.query(text, values);
        });
      return run().catch((error: unknown) => {
        const state = sqlState(error);
        const hasEnded = state === undefined ? error !== silence : endedStates.test(state);
        if (hasBegun && hasEnded) return run();
        throw error;
      });
    },
    transaction,
    async executeSql(text, values) {
      const own = text.replace(beginsItself, `${begin(lockMs.worker)};`);
      const isIndex = buildsIndex.test(text);
      const statement = {
        text: own,
        values: values ?? [],
        query_timeout: isIndex ? longestMs : query_timeout,
      };
      const result =
        isIndex || beginsItself.test(text)
          ? await workersQueue(() => workers.query(statement))
          : await transaction((tx) => tx.query(text, values), { worker: true });
      // Several statements in one text have a result each.
      return { rows: [result].flat().flatMap(({ rows }) => rows ?? []) };
    },
    listen: async (channel, onMessage) =>
      listens
        ? listen(base, channel, onMessage)
        : { isListening: false, reason: 'listen is false', async close() {} },
    async close() {
      if (workers.ending) return;
      await workers.end();
      if (given) callers.off('error', ignore);
      else await callers.end();
    },
  };
}

/**
 * Lets as many work at once as there are connections. The pool counts a wait for a connection as one for connecting, so a
 * burst would fail there. While nothing responds, those that have waited as long as connecting may take fail with it. `work` gets
 * how much of that time is left, in milliseconds.
 */
function createQueue(
  places: number,
  longestMs: number,
): <T>(work: (leftMs: number) => Promise<T>) => Promise<T> {
  const waiting = new Set<{ readonly since: number; resolve(): void; reject(error: unknown): void }>();
  let free = places;
  let respondedAt = Number.NEGATIVE_INFINITY;

  const leftMs = (since: number): number => longestMs - (performance.now() - Math.max(since, respondedAt));

  return async (work) => {
    const since = performance.now();
    if (free > 0) free--;
    else
      await new Promise<void>((resolve, reject) => {
        waiting.add({ since, resolve, reject });
      });
    try {
      const result = await work(leftMs(since));
      respondedAt = performance.now();
      return result;
    } catch (error) {
      if (error instanceof OutboxError || sqlState(error) !== undefined) respondedAt = performance.now();
      for (const each of waiting) {
        if (leftMs(each.since) > 0) continue;
        waiting.delete(each);
        each.reject(error);
      }
      throw error;
    } finally {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next.resolve();
      } else free++;
    }
  };
}

/**
 * Takes a connection with a listener from its first message on: without one, its last could end the process. A pool of the caller
 * may let it wait for any time, for a connection that comes back or for a new one.
 */
function takeClient(pool: pg.Pool, onError: (error: Error) => void, waitMs: number): Promise<pg.PoolClient> {
  const { max } = pool.options;
  const usedUp = `all ${max} connections of its pool are in use, and none was released in time: release them sooner, or raise its max`;
  const late = pool.idleCount === 0 && pool.totalCount >= max ? usedUp : 'connecting took too long';
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new Error(late));
    }, waitMs);
    pool.connect((error, client) => {
      clearTimeout(timer);
      if (!client) return reject(error?.message === poolTimeout ? new Error(usedUp) : error);
      if (isLate) return client.release();
      client.on('error', onError);
      resolve(client);
    });
  });
}

async function listen(base: pg.PoolConfig, channel: string, onMessage: () => void): Promise<Subscription> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let reason: string | undefined;

  async function connect(): Promise<void> {
    // Its first two statements belong to connecting; later ones it has none.
    const fresh = new pg.Client({ ...base, query_timeout: bounds.connectionTimeoutMillis, types: pgTypes });
    let isLost = false;
    const lose = (): void => {
      if (isLost) return;
      isLost = true;
      if (client === fresh) client = undefined;
      fresh.end().catch(() => {});
      if (!isClosed && !reason) timer = setTimeout(() => void connect(), reconnectMs);
    };
    // Without a listener an error would end the process.
    fresh.on('error', lose);
    fresh.on('end', lose);
    try {
      await fresh.connect();
      const { rows } = await fresh.query<{ pid: number }>('select pg_backend_pid() as pid');
      // A pooler reports a number of its own; behind it, LISTEN would stay on a connection that others use.
      const { processID } = fresh as unknown as { readonly processID: number | null };
      if (processID !== rows[0]?.pid) reason = 'a pooler stands in between';
      else await fresh.query(`listen "${channel}"`);
    } catch {
      return lose();
    }
    if (isClosed || reason) return lose();
    fresh.on('notification', onMessage);
    client = fresh;
    onMessage();
  }

  await connect();
  return {
    get isListening() {
      return client !== undefined;
    },
    get reason() {
      return reason ?? '';
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

/** What pg takes for an address: a URL, or the path of a socket. It would complete anything else with a host of its own. */
const address = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/;

function describePlace(config: pg.PoolConfig): string {
  try {
    if (!address.test(config.connectionString ?? '/')) throw new TypeError('no address');
    const { host, port, database = '' } = new pg.Client(config);
    // Of a password with a slash in it, a part is taken for the name of the database.
    return `PostgreSQL at ${host}:${port}, database ${/^[\w.-]+$/.test(database) ? database : '…'}`;
  } catch {
    // Whatever it says may hold the password.
    throw new TypeError(
      'postgresStore: write connectionString as postgres://user:password@host:port/name, with special characters percent-encoded.',
    );
  }
}
