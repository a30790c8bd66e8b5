import { parentPort, workerData } from 'node:worker_threads';
import type { OutboxOptions, UpdateStatus } from '@orders/outbox';
import { makePglite } from '../../../.ci/make-pglite.ts';
import { type Hold, holdAwaits } from './pause-awaits.ts';

/** What the thread shares with the test, which sets its clocks and lets it go on. */
export interface SharedWithWorker {
  /** The first is 1 while the worker is paused, the second while it is to pause. */
  readonly gate: Int32Array<SharedArrayBuffer>;
  /** How far the monotonic and the wall clock are ahead, in milliseconds. */
  readonly clocks: Float64Array<SharedArrayBuffer>;
}

/** Where a worker pauses. */
export interface Pause {
  /** The place of the `await`. */
  readonly site: string;
  /** Once what is awaited was begun, or once it has settled. */
  readonly phase: 'begun' | 'settled';
  /** At which pass since the worker was armed. */
  readonly nth: number;
  /** Whether the whole process stands still, or only what awaits. */
  readonly stops: 'process' | 'flow';
}

/** What the worker works on. */
export interface WorkerTask extends Pick<OutboxOptions, 'rate'> {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly databaseSchema: string;
  /** Of PostgreSQL; without it, the worker has a PGlite of its own. */
  readonly connectionString?: string;
  /** Whether no notification reaches it. */
  readonly isDeaf: boolean;
}

const { gate, clocks } = workerData as SharedWithWorker;
const monotonicNow = performance.now.bind(performance);
const wallNow = Date.now;
performance.now = () => monotonicNow() + (clocks[0] ?? 0);
Date.now = () => wallNow() + Math.round(clocks[1] ?? 0);

let armed: Pause | undefined;
let goOn = (): void => {};
let passes = new Map<string, number>();

/** Counts a pass, and pauses where the worker is to: the process here, or what awaits by the promise returned. */
function pass(site: string, phase: Pause['phase']): Promise<void> | undefined {
  const key = `${site} ${phase}`;
  const nth = (passes.get(key) ?? 0) + 1;
  passes.set(key, nth);
  if (armed?.site !== site || armed.phase !== phase || armed.nth !== nth) return undefined;
  Atomics.store(gate, 0, 1);
  if (Atomics.exchange(gate, 1, 0) === 0) {
    Atomics.store(gate, 0, 0);
    return undefined;
  }
  if (armed.stops === 'flow')
    return new Promise((resolve) => {
      goOn = resolve;
    });
  Atomics.wait(gate, 0, 1);
  return undefined;
}

const hold: Hold = async (site, awaited) => {
  const held = pass(site, 'begun');
  // A failure of what is awaited meanwhile must not go unhandled.
  if (held) await Promise.allSettled([held, awaited]);
  try {
    return await awaited;
  } finally {
    await pass(site, 'settled');
  }
};

const sources = ['../src/', '../../client/src/'].map((folder) => new URL(folder, import.meta.url));
const sites = holdAwaits(sources, hold);
// Modules that are imported now are rewritten.
const { createOrdersClient } = await import('@orders/client');
const { createOutbox, postgresStore } = await import('@orders/outbox');
const { pgliteStore } = await import('@orders/outbox/pglite');
const { PGlite } = await import('@electric-sql/pglite');

let pglite: InstanceType<typeof PGlite> | undefined;
let outbox: Awaited<ReturnType<typeof createOutbox>>;
const warnings: string[] = [];
let end = async (): Promise<void> => {};

/** What the test calls. */
const calls = {
  /** Every `await` found. */
  sites: async () => sites,
  async open({ baseUrl, apiKey, connectionString, isDeaf, ...options }: WorkerTask) {
    const client = createOrdersClient({ baseUrl, apiKey });
    if (connectionString === undefined) {
      pglite ??= await makePglite(PGlite, import.meta.url);
    }
    const store = pglite
      ? await pgliteStore(pglite)
      : postgresStore({ connectionString: connectionString ?? '', maxConnections: 3 });
    const listen = async () => ({ isListening: false, close: async () => {} });
    outbox = await createOutbox({
      ...options,
      client,
      store: isDeaf ? { ...store, listen } : store,
      maxRetryDelayMs: 20,
      // A function, so that what awaits it is paused, too.
      onUnknown: async () => 'review' as const,
      warn: (message) => void warnings.push(message),
    });
    end = async () => {
      await outbox.close();
      await client.close();
    };
    await outbox.start();
  },
  async arm(pause?: Pause) {
    armed = pause;
    passes = new Map();
  },
  /** How often each `await` was passed in each phase since it was armed. */
  passes: async () => [...passes],
  /** Lets what is paused go on, where the process does. */
  goOn: async () => goOn(),
  close: () => end(),
  /** What it warned of. */
  warnings: async () => warnings,
  /** Accepts updates of orders together. */
  async enqueue(tokens: readonly string[], quantities: readonly number[]) {
    const ids: string[] = [];
    await pglite?.transaction(async (tx) => {
      for (const token of tokens)
        for (const quantity of quantities)
          ids.push(await outbox.enqueue(token, { cart: { items: [{ quantity }] } }, { tx }));
    });
    return ids;
  },
  history: (token: string): Promise<readonly UpdateStatus[]> => outbox.history(token),
  discard: async (id: string) => void (await outbox.discard(id)),
  retry: async (id: string) => void (await outbox.retry(id)),
  resolve: async (id: string) => void (await outbox.resolve(id, 'applied')),
};

/** The calls of a worker, as its test makes them. */
export type WorkerCalls = typeof calls;

parentPort?.on('message', async ({ id, name, args }) => {
  try {
    const call: (...args: never[]) => Promise<unknown> = calls[name as keyof WorkerCalls];
    parentPort?.postMessage({ id, result: await call(...(args as never[])) });
  } catch (error) {
    parentPort?.postMessage({ id, error });
  }
});
