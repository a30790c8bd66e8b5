import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type AttemptRecord,
  createOrdersClient,
  type OrdersClient,
  type Outcome,
  type Timeouts,
} from '@orders/client';
import { buildOrderUpdate, type FaultRule } from '@orders/testing';
import { freePorts } from '../../../.ci/free-ports.ts';
import type { BackendSettings } from './backend.ts';
import { type Place, ProxyServer, type ProxySetup, Sandbox, writePages } from './proxies.ts';

/** Calls under way at the same time. */
export const concurrency = 24;
const deadlineMs = 40_000;
const key = 'key-of-the-proxy-experiments';
const backendScript = fileURLToPath(new URL('./backend.ts', import.meta.url));

export interface Experiment {
  readonly name: string;
  readonly setup: ProxySetup;
  /** At most so many calls. @default no limit */
  readonly calls?: number;
  /** How long each caller waits before its next call: from, to, in milliseconds. @default [0, 40] */
  readonly pauseMs?: readonly [number, number];
  readonly timeouts?: Timeouts;
  /** How long the back end takes, in milliseconds. @default 0 */
  readonly latencyMs?: number;
  /** Faults of the first back end, and of each one after it. @default none */
  readonly faults?: readonly (readonly FaultRule[])[];
  /** How many back ends are started: 0 leaves the port of the one that is configured closed. @default 1 */
  readonly backends?: 0 | 1 | 2;
  /** Every third body is of 8 kB. @default false */
  readonly largeBodies?: boolean;
  /** How long the body of a request is held back on every fourth connection, in milliseconds. @default 0 */
  readonly slowBodyMs?: number;
  /** Done again and again while the calls are made. */
  readonly disturb?: { readonly everyMs: number; readonly run: (servers: Servers) => Promise<void> };
  /** What must have been seen, or the experiment was not about what its name says. */
  readonly evidence: readonly Evidence[];
  /** Why no client can see what happened, and what to configure instead: the experiment must find lies. */
  readonly exception?: { readonly why: string; readonly instead: string };
}

/** What an experiment may disturb. */
export interface Servers {
  readonly proxy: ProxyServer;
  readonly orders: OrdersClient;
  killBackend(): Promise<void>;
  startBackend(): Promise<void>;
  /** Waits until a call fails that began after this; no longer than calls are made. */
  callFails(): Promise<void>;
}

export interface Call {
  readonly id: string;
  readonly outcome: 'success' | Outcome;
  readonly attempts: readonly AttemptRecord[];
  /** How often the ledger holds the update. */
  readonly applied: number;
  /** How the outcome contradicts the ledger; undefined when it does not. */
  readonly lie: string | undefined;
  /** Whether the update was sent again after it may have been applied, by the client or by the proxy. */
  readonly sentAgain: boolean;
}

export interface Report {
  readonly calls: readonly Call[];
  /** How many connections the client opened. */
  readonly connections: number;
  readonly disturbances: number;
  readonly tookMs: number;
}

/** Something that must have been seen. */
export interface Evidence {
  readonly missing: string;
  readonly holds: (report: Report) => boolean;
}

export async function runExperiment(experiment: Experiment, callCount: number): Promise<Report> {
  const { setup, disturb, slowBodyMs = 0, backends = 1, timeouts } = experiment;
  const startedAt = performance.now();
  await using sandbox = new Sandbox();
  const { dir } = sandbox;
  const [port = 0, relayPort = 0, ...backendPorts] = await freePorts(2 + Math.max(1, backends));
  const place: Place = { dir, port, backends: backendPorts };
  const ids = Array.from({ length: Math.min(callCount, experiment.calls ?? callCount) }, (_, at) => `o${at}`);
  const ledger = join(dir, 'ledger');
  writeFileSync(ledger, '');
  writePages(dir);

  const children: ChildProcess[] = [];
  const startBackend = async (index = 0) => {
    const { latencyMs = 0, faults = [] } = experiment;
    const settings: BackendSettings = {
      port: backendPorts[index] ?? 0,
      key,
      tokens: ids,
      latencyMs,
      faults: faults[index] ?? [],
      ledger,
    };
    const child = sandbox.spawn(
      process.execPath,
      ['--conditions=@orders/source', backendScript, JSON.stringify(settings)],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    children[index] = child;
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (message !== 'ready') throw new Error(`The back end did not start: ${message}`);
  };
  const proxy = new ProxyServer(setup, place, sandbox);
  const entrance = slowBodyMs > 0 ? relayPort : port;
  await using orders = createOrdersClient({
    baseUrl: `http://127.0.0.1:${entrance}`,
    apiKey: key,
    ...(timeouts && { timeouts }),
  });
  const done = new AbortController();
  let onFailure = (_beganAt: number): void => {};
  const servers: Servers = {
    proxy,
    orders,
    startBackend,
    async killBackend() {
      if (children[0]) await sandbox.stop(children[0], 'SIGKILL');
    },
    callFails: () =>
      new Promise((resolve) => {
        const since = performance.now();
        onFailure = (beganAt) => beganAt >= since && resolve();
        if (done.signal.aborted) resolve();
        else done.signal.addEventListener('abort', () => resolve());
      }),
  };
  await Promise.all([proxy.start(), ...Array.from({ length: backends }, (_, index) => startBackend(index))]);
  await using _relay = slowBodyMs > 0 ? await startSlowRelay(relayPort, port, slowBodyMs) : undefined;

  let connections = 0;
  const onConnected = (message: unknown) => {
    const { connectParams } = message as { connectParams: { port: string } };
    if (connectParams.port === String(entrance)) connections += 1;
  };
  subscribe('undici:client:connected', onConnected);
  let disturbances = 0;
  const disturbing = async () => {
    while (disturb && !done.signal.aborted) {
      await delay(disturb.everyMs, undefined, { signal: done.signal }).catch(() => {});
      if (done.signal.aborted) return;
      await disturb.run(servers);
      disturbances += 1;
    }
  };
  try {
    const onFailed = (beganAt: number) => onFailure(beganAt);
    const calling = callAll(orders, ids, experiment, onFailed).finally(() => done.abort());
    const disturbed = disturbing();
    // Both have ended before the servers are stopped, whichever fails.
    await Promise.allSettled([calling, disturbed]);
    await disturbed;
    const results = await calling;
    const entries = readFileSync(ledger, 'utf8').split('\n');
    const calls = results.map((result) => compare(result, entries));
    return { calls, connections, disturbances, tookMs: performance.now() - startedAt };
  } finally {
    unsubscribe('undici:client:connected', onConnected);
  }
}

type CallResult = Pick<Call, 'id' | 'outcome' | 'attempts'>;

/** Some tens of callers that each pause and make a call, again and again. */
async function callAll(
  orders: OrdersClient,
  ids: readonly string[],
  { pauseMs: [from, to] = [0, 40], largeBodies = false }: Experiment,
  onFailed: (beganAt: number) => void,
): Promise<CallResult[]> {
  const signal = AbortSignal.timeout(deadlineMs);
  const waiting = ids.entries();
  const results: CallResult[] = [];
  const caller = async () => {
    for (const [index, id] of waiting) {
      await delay(from + Math.random() * (to - from));
      const isLarge = largeBodies && index % 3 === 0;
      const body = buildOrderUpdate({ order_id: id, ...(isLarge && { user_session_id: 'x'.repeat(8_192) }) });
      const beganAt = performance.now();
      const result = await orders.safeUpdateOrder(id, body, { signal });
      if (!result.ok) onFailed(beganAt);
      const { attempts } = (result.ok ? result : result.error).receipt.toJSON();
      results.push({ id, outcome: result.ok ? 'success' : result.outcome, attempts });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  if (signal.aborted) throw new Error(`The calls did not end within ${deadlineMs} ms.`);
  return results;
}

function compare({ id, outcome, attempts }: CallResult, entries: readonly string[]): Call {
  const linesOf = (line: string, from = 0) => entries.slice(from).filter((entry) => entry === line).length;
  const applied = linesOf(`applied ${id}`);
  // The first request that ends after the update was applied is the one that carried it.
  const requestsSince = applied > 0 ? linesOf(`request ${id}`, entries.indexOf(`applied ${id}`)) : 0;
  const isUnsafeRetry = attempts.slice(0, -1).some((each) => ['unknown', 'applied'].includes(each.outcome));
  const sentAgain = applied > 1 || requestsSince > 1 || isUnsafeRetry;
  return { id, outcome, attempts, applied, lie: findLie(outcome, applied > 0), sentAgain };
}

function findLie(outcome: Call['outcome'], isApplied: boolean): string | undefined {
  const claimsApplied = outcome === 'success' || outcome === 'applied';
  const deniesApplied = outcome === 'rejected' || outcome === 'not_sent';
  if (claimsApplied && !isApplied) return `${outcome}, not in the ledger`;
  if (deniesApplied && isApplied) return `${outcome}, in the ledger`;
  return undefined;
}

/** Passes bytes on, but holds back the bodies of requests on every fourth connection. */
async function startSlowRelay(port: number, to: number, holdMs: number): Promise<AsyncDisposable> {
  let connections = 0;
  const server = createServer((client) => {
    const holds = connections++ % 4 === 0;
    const target = connect(to, '127.0.0.1');
    target.pipe(client);
    client.on('data', async (chunk) => {
      const headEnd = chunk.indexOf('\r\n\r\n');
      const bodyAt = headEnd < 0 ? 0 : headEnd + 4;
      target.write(chunk.subarray(0, bodyAt));
      client.pause();
      if (holds) await delay(holdMs);
      target.write(chunk.subarray(bodyAt));
      client.resume();
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const)
      socket.on('error', () => {}).on('close', () => other.destroy());
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
