import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { OutboxStatus, SettledUpdate } from '@orders/outbox';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { CommandError, describeError } from '../terminal.ts';

/** The metrics of one process that works on an outbox. */
export interface Metrics {
  readonly contentType: string;
  /** Counts an outcome. */
  record(settled: SettledUpdate): void;
  /** All metrics in the text format of Prometheus, also while the database is away. */
  read(): Promise<string>;
}

/** A label must not take whatever a client may return. */
const codes = [
  ...['none', 'http_error', 'validation_error', 'invalid_response', 'connection_error', 'timeout', 'aborted'],
  ...['worker_lost', 'client_failed', 'claim_expired', 'unreadable'],
];
const settledStates = ['applied', 'rejected', 'needs_review', 'queued', 'discarded'] as const;

/** From the time of one response to that of a long outage, in seconds. */
const ageBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 14_400];

/** Creates the metrics; `readStatus` is called at each scrape. */
export function createMetrics(
  readStatus: () => Promise<OutboxStatus>,
  now: () => number = Date.now,
): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const gauge = (name: string, help: string, ...labelNames: string[]): Gauge =>
    new Gauge({ name: `orders_outbox_${name}`, help, labelNames, registers });
  const updates = gauge(
    'updates',
    'Updates that are not settled, by state. Alert when needs_review or rejected stays above 0: each waits for a decision.',
    'state',
  );
  const oldest = gauge(
    'oldest_queued_age_seconds',
    'Age of the oldest queued update; 0 when none is queued. Alert when it exceeds what orders can wait.',
  );
  const oldestDue = gauge(
    'oldest_due_age_seconds',
    'Age of the oldest update that could be sent now; 0 when none could. Alert when it exceeds a minute: status says what holds it.',
  );
  const orders = gauge(
    'orders',
    'Orders with something to send, by state. Alert when held stays above 0: these orders wait for a decision.',
    'state',
  );
  const pause = gauge(
    'pause_seconds',
    'How much longer a 429 pauses everything. Alert when it is above 0 most of the time: lower the rate.',
  );
  const service = gauge(
    'service_up',
    'Whether the order service is reached and accepts the key: 1 or 0. Alert when it is 0 for some minutes.',
  );
  const database = gauge(
    'database_up',
    'Whether the database responded to this scrape: 1 or 0. Alert when it is 0 for a minute: the other gauges are absent then.',
  );
  const results = new Counter({
    name: 'orders_outbox_results_total',
    help: 'Outcomes in this process, by state (queued: sent again later) and code. Alert on a rising rate of needs_review or rejected.',
    labelNames: ['state', 'code'],
    registers,
  });
  const ages = new Histogram({
    name: 'orders_outbox_time_to_apply_seconds',
    help: 'Time from the acceptance of updates until they were applied. Alert on a high quantile.',
    buckets: ageBuckets,
    registers,
  });
  // A series that begins at 1 shows no increase.
  for (const state of settledStates) for (const code of codes) results.inc({ state, code }, 0);

  function set(status: OutboxStatus): void {
    const { queued, sending, needsReview, rejected, oldestQueuedAt, oldestDueAt } = status.updates;
    for (const [state, count] of Object.entries({ queued, sending, needs_review: needsReview, rejected }))
      updates.set({ state }, count);
    for (const [state, count] of Object.entries(status.orders)) orders.set({ state }, count);
    oldest.set(oldestQueuedAt ? Math.max(0, now() - oldestQueuedAt.getTime()) / 1_000 : 0);
    oldestDue.set(oldestDueAt ? Math.max(0, now() - oldestDueAt.getTime()) / 1_000 : 0);
    pause.set(status.pausedUntil ? Math.max(0, status.pausedUntil.getTime() - now()) / 1_000 : 0);
    const isUp =
      status.service.state === 'ok' && !status.workers.some(({ problem }) => problem !== undefined);
    service.set(isUp ? 1 : 0);
    database.set(1);
  }

  /** An old figure would look like a true one. */
  function clear(): void {
    for (const gauge of [updates, orders]) gauge.reset();
    for (const gauge of [oldest, oldestDue, pause, service]) gauge.remove();
    database.set(0);
  }

  return {
    contentType: register.contentType,
    record({ state, code = 'none', ageMs }) {
      results.inc({ state, code: codes.includes(code) ? code : 'other' });
      if (state === 'applied') ages.observe(ageMs / 1_000);
    },
    async read() {
      await readStatus().then(set, clear);
      return register.metrics();
    },
  };
}

interface Response {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string;
  /** 0 chooses a free one. */
  readonly port: number;
}

/**
 * Serves health and metrics; `findProblem` resolves with why updates are not sent. Resolves with the URL.
 *
 * @throws CommandError when it cannot listen.
 */
export async function serveMetrics(
  { host, port }: ListenOptions,
  metrics: Metrics,
  findProblem: () => Promise<string | undefined>,
): Promise<string> {
  const server = createServer({
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    requireHostHeader: false,
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use: choose another with --metrics-port.`
        : `Cannot listen on port ${port} of ${host}: ${message}`,
    );
  }
  const { address, port: bound } = server.address() as AddressInfo;
  const routes: Readonly<Record<string, () => Promise<Response> | Response>> = {
    '/livez': () => ({ status: 200, text: 'alive\n' }),
    async '/readyz'() {
      const problem = await findProblem();
      if (problem === undefined) return { status: 200, text: 'ready\n' };
      return { status: 503, text: `${problem.replace(/\s+/g, ' ')}\n` };
    },
    '/metrics': async () => ({ status: 200, text: await metrics.read(), type: metrics.contentType }),
  };
  const respond = async ({ method, url = '', headers }: IncomingMessage): Promise<Response> => {
    // A page in a browser can reach loopback by a name of its own; who binds elsewhere chose to be reached by any. Some
    // probes send no Host.
    if (isLoopback(address) && !isLoopback(headers.host?.replace(/:\d+$/, '') ?? address))
      return { status: 403, text: 'Call this by its loopback address, or set --metrics-host.\n' };
    const [path = ''] = url.split('?', 1);
    const isRead = method === 'GET' || method === 'HEAD';
    const route = isRead && Object.hasOwn(routes, path) ? routes[path] : undefined;
    return route?.() ?? { status: 404, text: 'Call /livez, /readyz or /metrics.\n' };
  };
  server.on('request', async (incoming, response) => {
    const failed = (error: unknown): Response => ({ status: 500, text: `${describeError(error)}\n` });
    const { status, text, type = 'text/plain; charset=utf-8' } = await respond(incoming).catch(failed);
    response.writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(text);
  });
  // An unspecified address is one to listen on, not one to call.
  const shown = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${isIPv6(shown) ? `[${shown}]` : shown}:${bound}`;
}

function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|\[?::1\]?|localhost)$/.test(host);
}
