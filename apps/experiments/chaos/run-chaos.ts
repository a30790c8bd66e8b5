import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { MockOrderService } from '@orders/testing';
import { makeItFail } from './faults.ts';
import type { Engine } from './protocol.ts';
import { seededRandom } from './random.ts';
import { type OpenTransaction, SlowCaller } from './slow-caller.ts';
import { Workers } from './workers.ts';

/** How much a chaos run does. */
export interface ChaosSize {
  readonly seed: number;
  readonly updates: number;
  readonly orders: number;
  /** Worker processes at once; one on PGlite. */
  readonly workers: number;
  /** How often a worker is killed, in milliseconds. */
  readonly killEveryMs: number;
  /** How long a worker is stopped at most, in milliseconds. */
  readonly stopMs: number;
  /** How long a caller's transaction stays open, in milliseconds. */
  readonly transactionMs: number;
  /** How long after the first accepted update only the service goes on failing, in milliseconds. @default never */
  readonly calmAfterMs?: number;
  /** Called every few seconds with how far it is. */
  readonly progress?: (text: string) => void;
  /** Gives up after this time, in milliseconds. */
  readonly withinMs: number;
}

/** What a chaos run works with. */
export interface ChaosPlace {
  readonly engine: Engine;
  readonly service: MockOrderService;
  /** Where workers find the service, in turns. */
  readonly baseUrls: readonly string[];
  /** Connection strings of the same database, or a folder: workers share them out. */
  readonly places: readonly string[];
  /** Ends the run early. */
  readonly interrupted: AbortSignal;
  /** Restarts the database; not on PGlite. */
  readonly restartDatabase?: () => Promise<void>;
}

/** What a chaos run found. */
export interface ChaosReport {
  /** Accepted updates that the order service never applied. */
  readonly lost: readonly string[];
  /** Updates that it applied more than once. */
  readonly repeated: readonly string[];
  /** Orders whose updates were not applied in the sequence in which they were accepted. */
  readonly outOfOrder: readonly string[];
  /** Updates that it applied though they were rolled back. */
  readonly unaccepted: readonly string[];
  /** Workers that exited though they were not killed. */
  readonly crashes: number;
  readonly kills: number;
  readonly stops: number;
  /** How many transactions of a caller stayed open. */
  readonly transactions: number;
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

/** How long after an update needed review a person looks at its order, in milliseconds. */
const lookAfterMs = 700;
/** How often somebody looks what needs review, and what is not settled, in milliseconds: each look is a statement. */
const lookEveryMs = 400;
/** Callers that enqueue at once, at most. */
const maxCallers = 8;
/** How long after the last one a worker is stopped, in milliseconds. */
const stopEveryMs = 5_000;
/** How many kills may follow each other without a request between them. */
const maxIdleKills = 3;
/** How often the progress is reported, in milliseconds. */
const progressEveryMs = 5_000;

/**
 * Sends updates through an outbox while everything fails: the service, the worker processes, the database. What needs
 * review is decided as a careful person would: by what the order service holds. Then each update must have been applied
 * once, in sequence.
 */
export async function runChaos(size: ChaosSize, place: ChaosPlace): Promise<ChaosReport> {
  const { seed, updates, withinMs, progress = () => {} } = size;
  const { engine, service, baseUrls, places } = place;
  const random = seededRandom(seed);
  makeItFail(service, seed);
  const startedAt = performance.now();
  const did = { kills: 0, stops: 0, transactions: 0, restarts: 0, decisions: 0 };
  /** Ends everything that disturbs. */
  const calm = new AbortController();
  const over = new AbortController();
  let calming: Promise<void> | undefined;
  const hasDisturbed = (): boolean => did.kills > 0 && did.stops > 0;
  const workers = new Workers(engine === 'pglite' ? 1 : size.workers, {
    settings: (slot, started) => ({
      baseUrl: baseUrls[started % baseUrls.length] ?? '',
      apiKey: service.key,
      engine,
      place: places[slot % places.length] ?? '',
    }),
    random,
  });
  const slowCaller = new SlowCaller(places.at(-1) ?? '');

  /** Does something now and then, until it is calm. */
  async function disturb(everyMs: number, act: () => Promise<unknown>): Promise<void> {
    while (!calm.signal.aborted) {
      await delay(everyMs * (0.5 + random()), undefined, { signal: calm.signal }).catch(() => {});
      if (!calm.signal.aborted) await act();
    }
  }

  /** Ends what disturbs after its time, however slow the machine: not before each of it has happened. */
  async function calmDown(): Promise<void> {
    const options = { signal: over.signal, ref: false };
    await delay(size.calmAfterMs ?? withinMs, undefined, options).catch(() => {});
    while (!hasDisturbed() && !over.signal.aborted) await delay(50);
    calm.abort();
  }

  /** Requests at the last look, and kills since there were more. */
  const sending = { requests: 0, kills: 0 };
  async function kill(): Promise<void> {
    const requests = service.ledger.length;
    if (requests > sending.requests) Object.assign(sending, { requests, kills: 0 });
    // Where a machine starts workers more slowly than they are killed, nothing would ever be sent.
    if (sending.kills >= maxIdleKills || !(await workers.kill())) return;
    did.kills++;
    sending.kills++;
  }

  async function stop(): Promise<void> {
    // A worker that is alone is often just starting.
    while (!(await workers.stall(1_000 + random() * (size.stopMs - 1_000), calm.signal))) {
      await delay(100);
      if (calm.signal.aborted) return;
    }
    did.stops++;
  }

  async function restartTwice(): Promise<void> {
    for (const share of [1 / 3, 2 / 3]) {
      while (service.ledger.length < updates * share && !over.signal.aborted) await delay(50);
      if (over.signal.aborted || !place.restartDatabase) return;
      await place.restartDatabase();
      did.restarts++;
    }
  }

  async function decide(): Promise<void> {
    while (!over.signal.aborted) {
      await delay(lookEveryMs);
      const listed = (await workers.run({ kind: 'list' }).catch(() => [])) as readonly Listed[];
      const ripe = listed.filter(({ settledAt }) => Date.now() - Date.parse(settledAt) >= lookAfterMs);
      if (ripe.length === 0) continue;
      // On a busy machine the service is still at what was in flight: what is sent after it shows when that has arrived.
      for (const url of [...baseUrls, ...baseUrls]) await passThrough(url);
      const applied = new Set(service.ledger.map(skuOf));
      const retry = ripe.flatMap(({ id }) => (applied.has(id) ? [] : [id]));
      const resolve = ripe.flatMap(({ id }) => (applied.has(id) ? [id] : []));
      // Run again, it would decide by what was known before: another look comes first.
      const made = await workers.runOnce({ kind: 'decide', retry, resolve }).catch(() => undefined);
      if (made) did.decisions += ripe.length;
    }
  }

  const accepted = new Map<string, string[]>();
  const acceptedOf = (token: string): string[] => accepted.get(token) ?? [];
  const open = new Set<Promise<unknown>>();
  /** Whether the next caller opens a transaction. */
  let opensNext = engine === 'postgres';

  async function enqueue(token: string): Promise<void> {
    const id = randomUUID();
    await workers.run({ kind: 'enqueue', id, token, step: acceptedOf(token).length });
    accepted.set(token, [...acceptedOf(token), id]);
    calming ??= calmDown();
  }

  /** Enqueues in a transaction that stays open while its caller goes on with other updates. */
  async function enqueueSlowly(token: string): Promise<void> {
    if (!opensNext) return;
    opensNext = false;
    const id = randomUUID();
    let transaction: OpenTransaction;
    try {
      transaction = await slowCaller.begin(token, id);
    } catch {
      // The database is down.
      return;
    }
    did.transactions++;
    accepted.set(token, [...acceptedOf(token), id]);
    const ending: Promise<unknown> = delay(size.transactionMs, undefined, { signal: over.signal })
      .catch(() => {})
      .then(() => transaction.end(random() < 0.7))
      .then((isAccepted) => {
        if (isAccepted) return;
        accepted.set(
          token,
          acceptedOf(token).filter((each) => each !== id),
        );
      })
      .finally(() => open.delete(ending));
    open.add(ending);
  }

  /** Enqueues a caller's share of the updates, one after another: each order belongs to one caller. */
  async function enqueueShare(tokens: readonly string[], share: number): Promise<void> {
    for (let number = 0; number < share; number++) {
      const token = tokens[Math.floor(random() * tokens.length)] ?? '';
      await enqueue(token);
      // The order is busy: the update before is only just queued.
      await enqueueSlowly(token);
    }
  }

  async function enqueueAll(): Promise<void> {
    const tokens = service.orders.map(({ token }) => token);
    const callers = Math.min(maxCallers, tokens.length);
    const shares = Array.from({ length: callers }, (_, caller) =>
      enqueueShare(
        tokens.filter((_, index) => index % callers === caller),
        Math.ceil((updates - caller) / callers),
      ),
    );
    await Promise.all(shares);
    while (open.size > 0) await Promise.all(open);
  }

  async function settle(): Promise<void> {
    for (;;) {
      await delay(lookEveryMs);
      const counts = (await workers.run({ kind: 'counts' })) as Record<string, number>;
      const unsettled = ['queued', 'sending', 'needs_review', 'rejected'].reduce(
        (sum, state) => sum + (counts[state] ?? 0),
        0,
      );
      if (unsettled === 0 && hasDisturbed()) return;
    }
  }

  const reporting = setInterval(() => {
    const enqueued = [...accepted.values()].reduce((sum, ids) => sum + ids.length, 0);
    progress(
      `${enqueued} accepted, ${service.ledger.length} applied, ${did.kills} kills, ${did.stops} stops, ${did.decisions} decisions`,
    );
  }, progressEveryMs);
  const background = [
    disturb(size.killEveryMs, kill),
    disturb(stopEveryMs, stop),
    disturb(size.transactionMs / 2, async () => {
      opensNext = engine === 'postgres';
    }),
    restartTwice(),
    decide(),
  ];
  const ended = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`The run did not end within ${withinMs} ms.`)), withinMs).unref();
    place.interrupted.addEventListener('abort', () => reject(new Error('It was interrupted.')));
  });
  try {
    await Promise.race([enqueueAll().then(settle), ended]);
  } finally {
    clearInterval(reporting);
    calm.abort();
    over.abort();
    await calming;
    await workers.close();
    await Promise.allSettled(background);
    await Promise.allSettled(open);
    await slowCaller.close();
  }
  return {
    ...compare(accepted, service),
    ...did,
    crashes: workers.crashes,
    faults: service.faults.played.length,
    tookMs: performance.now() - startedAt,
  };
}

/** Sends a request that changes nothing, on a connection of its own, and waits for its response. */
async function passThrough(url: string): Promise<void> {
  const sent = request(url, { method: 'POST', agent: false, timeout: 30_000 }).end();
  sent.on('timeout', () => sent.destroy()).on('error', () => {});
  try {
    const [response]: IncomingMessage[] = await once(sent, 'response');
    response?.resume();
  } catch {
    // A fault ended it, which came after the others, too.
  }
}

function compare(
  accepted: ReadonlyMap<string, readonly string[]>,
  service: MockOrderService,
): Pick<ChaosReport, 'lost' | 'repeated' | 'outOfOrder' | 'unaccepted'> {
  const times = new Map<string, number>();
  for (const entry of service.ledger) times.set(skuOf(entry), (times.get(skuOf(entry)) ?? 0) + 1);
  const ids = new Set([...accepted.values()].flat());
  const outOfOrder = [...accepted].filter(([token, wanted]) => {
    const applied = service.appliedUpdates(token).map((body) => body.cart.items?.[0]?.sku ?? '');
    const firsts = applied.filter((sku, place) => ids.has(sku) && applied.indexOf(sku) === place);
    return JSON.stringify(firsts) !== JSON.stringify(wanted.filter((id) => times.has(id)));
  });
  return {
    lost: [...ids].filter((id) => !times.has(id)),
    repeated: [...ids].filter((id) => (times.get(id) ?? 0) > 1),
    outOfOrder: outOfOrder.map(([token]) => token),
    unaccepted: [...times.keys()].filter((id) => !ids.has(id)),
  };
}

function skuOf(entry: MockOrderService['ledger'][number]): string {
  return entry.body.cart.items?.[0]?.sku ?? '';
}
