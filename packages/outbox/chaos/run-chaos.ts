import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type MockOrderService, startMockOrderService } from '@orders/testing';
import { makeItFail } from './faults.ts';
import type { Engine } from './protocol.ts';
import { seededRandom } from './random.ts';
import { WorkerProcess } from './worker-process.ts';

/** What a chaos run does. */
export interface ChaosOptions {
  readonly engine: Engine;
  readonly seed: number;
  readonly updates: number;
  readonly orders: number;
  /** Worker processes at once; one on PGlite. */
  readonly workers: number;
  /** A connection string, or a folder. */
  readonly place: string;
  /** Restarts the database; not on PGlite. */
  readonly restartDatabase?: () => Promise<void>;
  /** How often a worker is killed, in milliseconds. */
  readonly killEveryMs: number;
  /** Told how far it is. */
  readonly progress?: (text: string) => void;
  /** Gives up after this time, in milliseconds. */
  readonly withinMs: number;
}

/** What a chaos run found. */
export interface ChaosReport {
  /** Accepted updates that the order service never applied. */
  readonly lost: readonly string[];
  /** Updates that it applied more than once. */
  readonly repeated: readonly string[];
  /** Orders whose updates were not applied in the order they were accepted. */
  readonly outOfOrder: readonly string[];
  readonly kills: number;
  readonly restarts: number;
  readonly faults: number;
  /** Decisions that had to be made. */
  readonly decisions: number;
  readonly tookMs: number;
}

interface Listed {
  readonly id: string;
  readonly settledAt: string;
}

/** How long after an update was parked a person looks at the order: what was on its way has arrived by then. */
const lookAfterMs = 700;
/** Callers that enqueue at once, at most. */
const mostCallers = 8;
/** How often it is told how far the run is, in milliseconds. */
const tellEveryMs = 5_000;

/**
 * Sends updates through an outbox while everything fails: the service, the worker processes, the database. Whatever is
 * parked is decided as a careful person would: by what the order service holds. Then each update must have been applied
 * once, in order.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, updates, orders, workers, withinMs, progress = () => {} } = options;
  const random = seededRandom(seed);
  const service = await startMockOrderService({ orders });
  makeItFail(service, seed);
  const startedAt = performance.now();
  const isLate = (): boolean => performance.now() - startedAt > withinMs;
  const settings = {
    baseUrl: service.url,
    apiKey: service.key,
    engine: options.engine,
    place: options.place,
  };
  const crew = new Set<WorkerProcess>();
  const starting = new Set<Promise<unknown>>();
  let kills = 0;
  let restarts = 0;
  let decisions = 0;
  let isOver = false;

  async function begin(): Promise<void> {
    while (!isOver) {
      const worker = new WorkerProcess(settings);
      try {
        await worker.ready;
        if (!isOver) crew.add(worker);
        else await worker.kill();
        return;
      } catch {
        // The database may be away just now.
        await delay(200);
      }
    }
  }

  function start(): void {
    const started: Promise<unknown> = begin().finally(() => starting.delete(started));
    starting.add(started);
  }

  const anyWorker = (): WorkerProcess | undefined => [...crew][Math.floor(random() * crew.size)];

  /** Asks any worker until one answers. */
  async function ask(order: Parameters<WorkerProcess['ask']>[0]): Promise<unknown> {
    for (;;) {
      try {
        const worker = anyWorker();
        if (!worker) throw new Error('No worker is there.');
        return await worker.ask(order);
      } catch (error) {
        if (isOver || isLate()) throw error;
        await delay(50);
      }
    }
  }

  async function killNowAndThen(): Promise<void> {
    while (!isOver) {
      await delay(options.killEveryMs * (0.5 + random()));
      if (isOver) return;
      const worker = anyWorker();
      // Where processes take longer to start than to be killed, nothing would ever happen.
      if (!worker || crew.size < Math.min(2, workers)) continue;
      crew.delete(worker);
      await worker.kill();
      kills++;
      start();
    }
  }

  async function restartTwice(): Promise<void> {
    for (const share of [1 / 3, 2 / 3]) {
      while (service.ledger.length < updates * share && !isOver) await delay(50);
      if (isOver || !options.restartDatabase) return;
      await options.restartDatabase();
      restarts++;
    }
  }

  async function decide(): Promise<void> {
    while (!isOver) {
      await delay(100);
      const listed = (await ask({ kind: 'list' }).catch(() => [])) as readonly Listed[];
      const ripe = listed.filter(({ settledAt }) => Date.now() - Date.parse(settledAt) >= lookAfterMs);
      if (ripe.length === 0) continue;
      const applied = new Set(service.ledger.map(skuOf));
      const retry = ripe.flatMap(({ id }) => (applied.has(id) ? [] : [id]));
      const discard = ripe.flatMap(({ id }) => (applied.has(id) ? [id] : []));
      const made = await ask({ kind: 'decide', retry, discard }).catch(() => undefined);
      if (made) decisions += ripe.length;
    }
  }

  const accepted = new Map<string, string[]>();
  /** Enqueues a caller's share of the updates, one after another: each order belongs to one caller. */
  async function enqueueShare(tokens: readonly string[], share: number): Promise<void> {
    for (let number = 0; number < share; number++) {
      const token = tokens[Math.floor(random() * tokens.length)] ?? '';
      const id = randomUUID();
      const before = accepted.get(token) ?? [];
      await ask({ kind: 'enqueue', id, token, step: before.length });
      accepted.set(token, [...before, id]);
    }
  }

  async function enqueueAll(): Promise<void> {
    const tokens = service.orders.map(({ token }) => token);
    const callers = Math.min(mostCallers, tokens.length);
    const shares = Array.from({ length: callers }, (_, caller) =>
      enqueueShare(
        tokens.filter((_, place) => place % callers === caller),
        Math.ceil((updates - caller) / callers),
      ),
    );
    await Promise.all(shares);
  }

  async function settle(): Promise<void> {
    while (!isLate()) {
      await delay(200);
      const counts = (await ask({ kind: 'counts' })) as Record<string, number>;
      const open = ['queued', 'sending', 'parked', 'rejected'].reduce(
        (sum, state) => sum + (counts[state] ?? 0),
        0,
      );
      if (open === 0) return;
    }
    throw new Error(`The run did not end within ${withinMs} ms.`);
  }

  const tellProgress = (): void => {
    const enqueued = [...accepted.values()].reduce((sum, ids) => sum + ids.length, 0);
    const { length } = service.ledger;
    progress(`${enqueued} accepted, ${length} applied, ${kills} kills, ${decisions} decisions`);
  };
  const telling = setInterval(tellProgress, tellEveryMs);
  for (let number = 0; number < workers; number++) start();
  const background = [killNowAndThen(), restartTwice(), decide()];
  try {
    await enqueueAll();
    await settle();
  } finally {
    isOver = true;
    clearInterval(telling);
    await Promise.allSettled(background);
    await Promise.allSettled(starting);
    await Promise.all([...crew].map((worker) => worker.kill()));
    await service.close();
  }
  return {
    ...compare(accepted, service),
    kills,
    restarts,
    faults: service.faults.played.length,
    decisions,
    tookMs: performance.now() - startedAt,
  };
}

function compare(
  accepted: ReadonlyMap<string, readonly string[]>,
  service: MockOrderService,
): Pick<ChaosReport, 'lost' | 'repeated' | 'outOfOrder'> {
  const times = new Map<string, number>();
  for (const entry of service.ledger) times.set(skuOf(entry), (times.get(skuOf(entry)) ?? 0) + 1);
  const ids = [...accepted.values()].flat();
  const outOfOrder = [...accepted].filter(([token, wanted]) => {
    const applied = service.appliedUpdates(token).map((body) => body.cart.items?.[0]?.sku);
    const firsts = applied.filter((sku, place) => applied.indexOf(sku) === place);
    return JSON.stringify(firsts) !== JSON.stringify(wanted.filter((id) => times.has(id)));
  });
  return {
    lost: ids.filter((id) => !times.has(id)),
    repeated: ids.filter((id) => (times.get(id) ?? 0) > 1),
    outOfOrder: outOfOrder.map(([token]) => token),
  };
}

function skuOf(entry: MockOrderService['ledger'][number]): string {
  return entry.body.cart.items?.[0]?.sku ?? '';
}
