import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createOrdersClient } from '@orders/client';
import {
  createOutbox,
  type Outbox,
  type OutboxClient,
  OutboxError,
  type OutboxOptions,
  type OutboxStore,
} from '../index.ts';
import type { Environment, GivenCommand, Options, Place } from './arguments.ts';
import { toJson } from './draw.ts';
import { CommandError, describeError, kindOfError } from './errors.ts';
import { createMetrics, serveMetrics } from './metrics.ts';
import { findWorkerOr, namingFlags, openStore, serveOperations } from './operations.ts';

/** One event that `start` logs, with its facts. */
export interface LogEntry {
  readonly event: 'started' | 'info' | 'warning' | 'needs_review' | 'rejected' | 'stopping' | 'stopped';
  readonly [fact: string]: string | number | undefined;
}

/** How long the database may take to respond to a probe and to a scrape, in milliseconds. */
const timeoutMs = { probe: 2_000, scrape: 5_000 };

/**
 * Starts a worker on an outbox, with health and metrics, and, on a folder, for the commands of other processes. Resolves
 * with what stops it.
 *
 * @throws CommandError or OutboxError
 */
export async function startWorker(
  { place, options }: GivenCommand,
  env: Environment,
  log: (entry: LogEntry) => void,
): Promise<(signal: string) => Promise<void>> {
  const { client, target } = await loadClient(options, env);
  const { grace: graceMs = 10_000 } = options;
  const totals = { applied: 0, rejected: 0, needs_review: 0, discarded: 0, queued: 0 };
  const store = await takeStore(place);
  let stopServing = async (): Promise<void> => {};
  let isStopping = false;
  const metrics = createMetrics(shared(() => outbox.status(), timeoutMs.scrape));
  const outbox: Outbox = await createOutbox({
    ...workerOptions(options),
    client,
    databaseSchema: place.databaseSchema,
    // Who finds the folder free finds no address in it.
    store: { ...store, close: () => stopServing().finally(() => store.close()) },
    warn: (message) => log({ event: 'warning', message }),
    log: (message) => log({ event: 'info', message }),
    onSettled(settled) {
      metrics.record(settled);
      const { id, token, state, code = 'none', status } = settled;
      totals[state]++;
      if (state === 'needs_review' || state === 'rejected') log({ event: state, id, token, code, status });
    },
  }).catch(namingFlags);
  const probe = shared(() => store.query('select 1'), timeoutMs.probe);
  const findProblem = async (): Promise<string | undefined> => {
    if (isStopping) return 'stopping';
    return probe().then(
      () => undefined,
      (error: unknown) => `the database does not respond: ${describeError(error)}`,
    );
  };
  try {
    const { metrics: isServed, metricsHost: host, metricsPort: port } = options;
    const url = isServed ? await serveMetrics({ host, port }, metrics, findProblem) : undefined;
    if ('folder' in place) stopServing = await serveOperations(place, outbox);
    await outbox.start();
    log({ event: 'started', store: store.place, target, metrics: url });
  } catch (error) {
    await outbox.close({ graceMs: 0 });
    throw error;
  }
  return async (signal) => {
    isStopping = true;
    log({ event: 'stopping', signal, graceMs });
    await outbox.close({ graceMs });
    log({ event: 'stopped', ...totals });
  };
}

/** Opens the store for a process that keeps it. @throws OutboxError `folder_locked` or `folder_unusable`; CommandError */
async function takeStore(place: Place): Promise<OutboxStore> {
  if (!('folder' in place)) return openStore(place);
  const found = await findWorkerOr(place, () => openStore(place));
  if ('opened' in found) return found.opened;
  const message = `${place.folder} is in use by another "orders-outbox start": stop it, or choose another folder; for several processes use PostgreSQL.`;
  throw new OutboxError('folder_locked', message);
}

function workerOptions(options: Options): Partial<OutboxOptions> {
  const { concurrency, localConcurrency, onUnknown, onRejected, rate, burst } = options;
  const {
    maxRetryDelay: maxRetryDelayMs,
    keepSettled: keepSettledMs,
    keepRejected: keepRejectedMs,
  } = options;
  const given = {
    ...{
      concurrency,
      localConcurrency,
      onUnknown,
      onRejected,
      maxRetryDelayMs,
      keepSettledMs,
      keepRejectedMs,
    },
    rate: rate && { perSecond: rate, ...(burst && { burst }) },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Creates the client, or imports it. @throws CommandError in one line that shows no key. */
export async function loadClient(
  options: Pick<Options, 'client' | 'baseUrl' | 'allowInsecureHttp'>,
  env: Environment,
): Promise<{ readonly client: OutboxClient; readonly target: string }> {
  const { client: file, allowInsecureHttp = false } = options;
  if (file !== undefined) return { client: await importClient(file), target: file };
  const baseUrl = options.baseUrl ?? env['ORDERS_BASE_URL'] ?? '';
  const apiKey = env['ORDERS_API_KEY'] ?? '';
  try {
    return { client: createOrdersClient({ baseUrl, apiKey, allowInsecureHttp }), target: baseUrl };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const flags = {
      baseUrl: '--base-url',
      apiKey: 'ORDERS_API_KEY',
      allowInsecureHttp: '--allow-insecure-http',
    };
    const message = error.message.replace(
      /\b(baseUrl|apiKey|allowInsecureHttp)\b/g,
      (name) => flags[name as 'apiKey'],
    );
    throw new CommandError(message, 2);
  }
}

async function importClient(file: string): Promise<OutboxClient> {
  let isClient = false;
  let client: OutboxClient;
  try {
    ({ client } = await import(pathToFileURL(resolve(file)).href));
    isClient = (['prepareUpdateOrder', 'safeUpdateOrder', 'echo'] as const).every(
      (method) => typeof client?.[method] === 'function',
    );
  } catch (error) {
    throw new CommandError(
      `--client ${file} cannot be loaded: it threw ${kindOfError(error)}. Its message may contain the key and is left out: "node ${file}" prints it.`,
    );
  }
  if (isClient) return client;
  throw new CommandError(`--client ${file}: export what createOrdersClient returns by the name "client".`);
}

/**
 * Makes a call that its callers at one time share, and that rejects for them after some milliseconds. A call that hangs
 * is not followed by another, so that none pile up.
 */
export function shared<T>(call: () => Promise<T>, ms: number): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= call().finally(() => {
      running = undefined;
    });
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no response within ${ms / 1_000} s`)), ms);
    return Promise.race([running, late]).finally(() => clearTimeout(timer));
  };
}

/** An entry as one line: as JSON, or with its facts as name=value. */
export function formatLogEntry({ event, ...facts }: LogEntry, at: Date, asJson: boolean): string {
  const time = at.toISOString();
  const level = ['warning', 'needs_review', 'rejected'].includes(event) ? 'warn' : 'info';
  if (asJson) return toJson({ time, level, event, ...facts });
  const texts = Object.entries(facts).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return `${name}=${/[\s"]/.test(String(value)) ? JSON.stringify(value) : value}`;
  });
  return [time, event, ...texts].join(' ');
}
