import { once } from 'node:events';
import { createOutbox, type Outbox, OutboxError, type OutboxOptions, type OutboxStore } from '@orders/outbox';
import { eventsOf } from '@orders/outbox/inbox';
import { type ConnectionOptions, connect } from '../connection.ts';
import { CommandError, type CommandInput, describeError, type ExitCode, toJson } from '../terminal.ts';
import { createMetrics, serveMetrics } from './metrics.ts';
import {
  findWorkerOr,
  type LocationOptions,
  naming,
  type OutboxLocation,
  openStore,
  readLocation,
  serveOperations,
} from './operations.ts';

interface StartOptions extends LocationOptions, ConnectionOptions {
  readonly concurrency?: number;
  readonly localConcurrency?: number;
  readonly rate?: number;
  readonly burst?: number;
  readonly onUnknown?: 'review' | 'resend';
  readonly onRejected?: 'continue' | 'hold';
  readonly maxRetryDelay?: number;
  readonly keepSettled?: number;
  readonly keepRejected?: number;
  readonly grace?: number;
  readonly metrics: boolean;
  readonly metricsHost: string;
  readonly metricsPort: number;
}

/** One event that `start` logs, with its facts. */
export interface LogEntry {
  readonly event: 'started' | 'info' | 'warning' | 'needs_review' | 'rejected' | 'stopping' | 'stopped';
  readonly [fact: string]: string | number | undefined;
}

/** How long the database may take to respond to a probe and to a scrape, in milliseconds. */
const timeoutMs = { probe: 2_000, scrape: 5_000 };

/**
 * Sends the updates of an outbox until a signal comes, with health and metrics, and, on a folder, for the commands of
 * other processes.
 *
 * @throws CommandError
 */
export async function runStart({ options, terminal, env }: CommandInput<StartOptions>): Promise<ExitCode> {
  const { grace: graceMs = 10_000, burst, rate } = options;
  if (burst !== undefined && rate === undefined) throw new CommandError('--burst needs --rate.', 2);
  const location = readLocation(options, env);
  const { client, baseUrl } = await connect(options, { terminal, env });
  const interrupt = terminal.catchInterrupt();
  const log = (entry: LogEntry): void => terminal.print(formatLogEntry(entry, new Date(), terminal.json));
  const totals = { applied: 0, rejected: 0, needs_review: 0, discarded: 0, queued: 0 };
  return naming<ExitCode>(options, async () => {
    const store = await takeStore(location);
    let stopServing = async (): Promise<void> => {};
    const metrics = createMetrics(shared(() => outbox.status(), timeoutMs.scrape));
    const outbox: Outbox = await createOutbox({
      ...workerOptions(options),
      client,
      databaseSchema: location.databaseSchema,
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
    });
    const probe = shared(() => store.query('select 1'), timeoutMs.probe);
    const findProblem = async (): Promise<string | undefined> => {
      if (interrupt.aborted) return 'stopping';
      return probe().then(
        () => undefined,
        (error: unknown) => `the database does not respond: ${describeError(error)}`,
      );
    };
    try {
      const { metrics: isServed, metricsHost: host, metricsPort: port } = options;
      const url = isServed ? await serveMetrics({ host, port }, metrics, findProblem) : undefined;
      if ('folder' in location)
        stopServing = await serveOperations(location, {
          outbox,
          events: eventsOf(store, location.databaseSchema),
        });
      await outbox.start();
      log({ event: 'started', store: store.place, target: baseUrl, metrics: url });
      if (!interrupt.aborted) await once(interrupt, 'abort');
      log({ event: 'stopping', signal: String(interrupt.reason), graceMs });
      await outbox.close({ graceMs });
      log({ event: 'stopped', ...totals });
      return 0;
    } catch (error) {
      await outbox.close({ graceMs: 0 });
      throw error;
    } finally {
      await client.close();
    }
  });
}

/** Opens the store for a process that keeps it. @throws OutboxError `folder_locked` or `folder_unusable`; CommandError */
async function takeStore(location: OutboxLocation): Promise<OutboxStore> {
  if (!('folder' in location)) return openStore(location);
  const found = await findWorkerOr(location, () => openStore(location));
  if ('opened' in found) return found.opened;
  const message = `${location.folder} is in use by another "orders outbox start": stop it, or choose another folder; for several processes use PostgreSQL.`;
  throw new OutboxError('folder_locked', message);
}

function workerOptions(options: StartOptions): Partial<OutboxOptions> {
  const { concurrency, localConcurrency, onUnknown, onRejected, rate, burst } = options;
  const given = {
    concurrency,
    localConcurrency,
    onUnknown,
    onRejected,
    maxRetryDelayMs: options.maxRetryDelay,
    keepSettledMs: options.keepSettled,
    keepRejectedMs: options.keepRejected,
    rate: rate && { perSecond: rate, ...(burst && { burst }) },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
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
