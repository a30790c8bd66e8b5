/**
 * Aborts one call at each stage, prints as JSON how each settled, and ends without closing anything: a timer or a socket
 * that is left over keeps the process alive.
 */
import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type CallOptions,
  createOrdersClient,
  type OrdersClient,
  type OrdersClientOptions,
  type UpdateOrderResult,
} from '../src/index.ts';
import { Agent } from '../src/undici.ts';
import { published } from './published.ts';

const [servers = '', ca = ''] = process.argv.slice(2);
const never = new Promise<never>(() => {});
/** A timer that an abort leaves keeps the process alive for longer than the test waits. */
const timeouts = { connect: 600_000, attempt: 600_000, total: 600_000 };
let baseUrl = '';
let controller = new AbortController();

function client(options: Partial<OrdersClientOptions> = {}): OrdersClient {
  const key = options.credentials ? {} : { apiKey: 'swordfish-swordfish' };
  return createOrdersClient({ baseUrl, ...key, timeouts, ...options });
}

function update(orders: OrdersClient, options: CallOptions = {}): Promise<UpdateOrderResult> {
  const { signal } = controller;
  return orders.safeUpdateOrder('order_1234', { cart: { items: [] } }, { signal, ...options });
}

/** Each brings a call to its stage. The call is wrapped, since a promise would be awaited. */
const stages: Readonly<Record<string, () => Promise<{ readonly call: Promise<UpdateOrderResult> }>>> = {
  async 'queued in its lane'() {
    const sent = published('undici:request:bodySent');
    const orders = client();
    void update(orders);
    const call = update(orders);
    await sent;
    return { call };
  },
  async 'held by the rate limit'() {
    const orders = client({ rateLimit: { requestsPerSecond: 0.005 } });
    await update(orders);
    const call = update(orders);
    await turn();
    return { call };
  },
  async 'held by beforeAttempt'() {
    const called = Promise.withResolvers<void>();
    const beforeAttempt = () => {
      called.resolve();
      return never;
    };
    const call = update(client(), { beforeAttempt });
    await called.promise;
    return { call };
  },
  async 'waiting for its credentials'() {
    const call = update(client({ credentials: () => never }));
    await turn();
    return { call };
  },
  async connecting() {
    const opened = published('net.client.socket');
    const call = update(client());
    await opened;
    await turn();
    return { call };
  },
  async 'shaking hands'() {
    const opened = published('net.client.socket');
    const call = update(client());
    const { socket } = (await opened) as { socket: Socket };
    await once(socket, 'connect');
    return { call };
  },
  async sent() {
    const sent = published('undici:request:bodySent');
    const call = update(client());
    await sent;
    return { call };
  },
  async 'sent over HTTP/2'() {
    const sent = published('undici:request:bodySent');
    const call = update(client({ dispatcher: new Agent({ connect: { ca } }) }));
    await sent;
    return { call };
  },
  async 'reading the response'() {
    const responded = published('undici:request:headers');
    const call = update(client());
    await responded;
    return { call };
  },
  async 'checking the response'() {
    const checking = Promise.withResolvers<void>();
    const validate = () => {
      checking.resolve();
      return never;
    };
    const call = update(client(), {
      responseSchema: { '~standard': { version: 1, vendor: 'test', validate } },
    });
    await checking.promise;
    return { call };
  },
  async 'waiting between attempts'() {
    const responded = published('undici:request:trailers');
    const call = update(client());
    await responded;
    await turn();
    return { call };
  },
};

const settled: Record<string, object> = {};
for (const [stage, url] of Object.entries<string>(JSON.parse(servers))) {
  baseUrl = url;
  controller = new AbortController();
  const idle = process.getActiveResourcesInfo();
  const { call } = (await stages[stage]?.()) ?? { call: never };
  const reason = new Error('enough');
  controller.abort(reason);
  const settledAtOnce = await Promise.race([call.then(() => true), turn(false)]);
  const { error } = await call;
  const held = () => process.getActiveResourcesInfo().filter((resource) => !idle.includes(resource));
  // What is being closed takes a few turns.
  for (let turns = 0; turns < 10 && held().length > 0; turns += 1) await turn();
  settled[stage] = {
    settledAtOnce,
    code: error?.code,
    outcome: error?.outcome,
    attemptCount: error?.attemptCount,
    hasReason: error?.cause === reason,
    listenersLeft: getEventListeners(controller.signal, 'abort').length,
    keepsAlive: held(),
  };
}
process.stdout.write(JSON.stringify(settled));
