import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { compileOrderUpdate } from '@orders/schema/compile';
import { createWebhooks, isLoopbackAddress, type WebhookOptions, type Webhooks } from '../webhooks.ts';
import {
  createFaultSource,
  type FaultFilter,
  type FaultRule,
  type FaultScript,
  matches,
} from './fault-script.ts';
import { freezeDeep } from './freeze-deep.ts';
import { createJournal, type JournalEntry } from './journal.ts';
import { createKeyRing, type KeyType, type ServiceKey } from './keys.ts';
import { type Listening, startListening } from './listening.ts';
import { createOrderBook, type LedgerEntry, type SeedOrder, type StoredOrder } from './orders.ts';
import { readPath } from './request.ts';
import { createResponder, type MockResponses } from './responses.ts';
import { respondToMalformed, serveRequest } from './serve.ts';

/** How the mock order service is set up; every option is optional. */
export interface MockOrderServiceOptions<Update extends OrderUpdate = OrderUpdate> {
  /** TCP port; 0 for a free one. @default 0 */
  readonly port?: number;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** Accepted keys: a list, or a map of key to key type. @default one random `SalesChannelApiKey` */
  readonly keys?: readonly (string | ServiceKey)[] | Readonly<Record<string, KeyType>>;
  /** How many orders with random tokens, or the tokens or orders themselves. @default 3 */
  readonly orders?: number | readonly (string | SeedOrder<Update>)[];
  /** What a body must satisfy, for example your `defineOrderUpdate` with its field names. @default OrderUpdate */
  readonly schema?: OrderUpdateSchema<Update>;
  /** Statuses, bodies and the merge of an update, which the API does not document. @default the README's table */
  readonly responses?: MockResponses<Update>;
  /** Largest body, in bytes; a larger one leads to a 413 and is not kept. @default 1_048_576 */
  readonly maxBodyBytes?: number;
  /** Delay of each response, in milliseconds; an update is applied before it. @default 0 */
  readonly latencyMs?: number;
  /** Faults from the start, as `faults.add` takes them. @default none */
  readonly faults?: readonly FaultRule[];
  /** How webhooks are sent. @default the payload of the README, to this machine only */
  readonly webhooks?: WebhookOptions;
  /**
   * Whether other programs may add faults, read the ledger and send webhooks over HTTP, at `/__admin` and with a key of
   * the service. @default false
   */
  readonly admin?: boolean;
  /** How many entries `ledger`, `journal` and `webhooks.sent` each keep; the oldest go first. @default Infinity */
  readonly historyLimit?: number;
  /** The service's clock, in milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Called once for each request: right before its response leaves, or when it ends without one. */
  readonly onRequest?: (entry: JournalEntry) => void;
}

/** The names of the options; the type keeps the list complete. */
const optionNames: Readonly<Record<keyof MockOrderServiceOptions, true>> = {
  port: true,
  host: true,
  keys: true,
  orders: true,
  schema: true,
  responses: true,
  maxBodyBytes: true,
  latencyMs: true,
  faults: true,
  webhooks: true,
  admin: true,
  historyLimit: true,
  now: true,
  onRequest: true,
};

/** A running mock order service. */
export interface MockOrderService<Update extends OrderUpdate = OrderUpdate> {
  /** Base URL without a trailing slash, such as `http://127.0.0.1:8402`. */
  readonly url: string;
  /** The first key that may update an order, else the first key. */
  readonly key: string;
  /** The token of the first order. */
  readonly token: string;
  /** Every order as it is now, in the order given. */
  readonly orders: readonly StoredOrder<Update>[];
  /** Every update that was applied, in the order applied; one list, which grows. */
  readonly ledger: readonly LedgerEntry<Update>[];
  /** Every request that arrived, in the order of arrival; one list, which grows. */
  readonly journal: readonly JournalEntry[];
  /** The faults to come, and those that were met. */
  readonly faults: FaultScript;
  /** Sends webhooks, and lists those sent. */
  readonly webhooks: Webhooks;
  /** The order as it is now; undefined for an unknown token. */
  order(token: string): StoredOrder<Update> | undefined;
  /**
   * Adds an order and returns its token. @param order Its token, or token and data. @default a random token
   * @throws {TypeError} For a token that exists, or that cannot be one.
   */
  addOrder(order?: string | SeedOrder<Update>): string;
  /** The bodies that were applied to one order, in sequence. */
  appliedUpdates(token: string): readonly Update[];
  /** The entries of the journal that match a filter. @default all of them */
  requests(filter?: RequestFilter): readonly JournalEntry[];
  /**
   * Resolves when `count` requests in all have arrived completely, or were cut off, and, where valid, were applied: a
   * test can then abort or look without a sleep. Rejects when the service closes first.
   */
  waitForRequests(count: number): Promise<void>;
  /** Restores the start, but for connections: orders, ledger, journal, faults, webhooks. */
  reset(): void;
  /** Stops the service at once, open connections included; further calls do nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Which requests of the journal are meant; a field that is left out matches all. */
export interface RequestFilter extends FaultFilter {
  /** The status that was sent. */
  readonly status?: number | undefined;
}

/**
 * Starts a mock order service on a real socket. It checks path, key, key type, media type and body as the API reference
 * documents them, and records every request. Statuses, error bodies, responses and the merge of an update are its own
 * choice, because the API documents none; the README lists them.
 *
 * @throws {TypeError} For an option that cannot be used; a bad key is named by its index, never shown.
 * @throws The error of `node:net`, such as `EADDRINUSE`, when it cannot listen.
 */
export async function startMockOrderService<Update extends OrderUpdate = OrderUpdate>(
  options: MockOrderServiceOptions<Update> = {},
): Promise<MockOrderService<Update>> {
  checkOptions('startMockOrderService', options, Object.keys(optionNames));
  const { port = 0, host = '127.0.0.1', now = Date.now, onRequest } = options;
  // An empty host would listen on every address of the machine.
  if (host === '') throw new TypeError('host is empty; leave it out for 127.0.0.1, or give an address.');
  const { historyLimit = Number.POSITIVE_INFINITY } = options;
  if (historyLimit !== Number.POSITIVE_INFINITY) checkWhole('historyLimit', historyLimit);
  const keys = createKeyRing(options.keys);
  const book = createOrderBook<Update>(options.orders ?? 3, historyLimit);
  const journal = createJournal(historyLimit);
  const faults = createFaultSource(options.faults ?? [], {
    goDown: (ms) => listening.goDown(ms),
    goUp: () => listening.goUp(),
  });
  const responder = createResponder<Update>(options.responses);
  const stopping = new AbortController();
  const token = book.orders[0]?.token ?? '';
  const order = (wanted: string) => freezeDeep(book.find(wanted));
  const webhooks = createWebhooks(
    { defaultToken: token, find: order, now, signal: stopping.signal, historyLimit },
    options.webhooks,
  );
  let requestCount = 0;
  const nextRequestId = () => `req_${++requestCount}`;
  const settle = (work: Promise<void>, response: ServerResponse) => {
    work.catch((error: unknown) => {
      response.destroy();
      // What `onRequest` throws is the caller's to see; a closing service merely gives up its waits.
      if (!stopping.signal.aborted) throw error;
    });
  };
  const context = {
    keys,
    book,
    journal,
    faults,
    responder,
    schema: options.schema ?? (compiledOrderUpdate() as OrderUpdateSchema as OrderUpdateSchema<Update>),
    maxBodyBytes: checkWhole('maxBodyBytes', options.maxBodyBytes ?? 1_048_576),
    latencyMs: checkWhole('latencyMs', options.latencyMs ?? 0),
    now,
    nextRequestId,
    onRequest,
    wait: (ms: number) => delay(ms, undefined, { signal: stopping.signal }),
    restart: (downMs: number) => listening.goDown(downMs),
    settle,
  };

  // Its router takes longer to load than everything else here.
  const { createAdminHandler } = options.admin ? await import('../admin.ts') : {};
  let admin: RequestListener | undefined;
  const server = createServer((request, response) => {
    if (admin !== undefined && isAdminPath(request.url ?? '')) admin(request, response);
    else serveRequest(request, response, context);
  });
  server.on('clientError', (error, socket) => {
    respondToMalformed(error, socket, { nextRequestId, rejected: responder.rejected });
  });
  server.on('connection', (socket) => {
    if (faults.onAccept() !== undefined) socket.resetAndDestroy();
  });
  const listening: Listening = await startListening(server, port, host);
  faults.reset();

  let closed: Promise<void> | undefined;
  const close = () => {
    stopping.abort();
    journal.close();
    closed ??= listening.stop();
    return closed;
  };
  const service: MockOrderService<Update> = {
    url: listening.url,
    // A getter, so that an inspected service does not show its key.
    get key() {
      return keys.first;
    },
    token,
    get orders() {
      return book.orders;
    },
    get ledger() {
      return book.ledger;
    },
    journal: journal.entries,
    faults: faults.script,
    webhooks,
    order,
    addOrder: (added) => book.add(added).token,
    appliedUpdates: (wanted) => book.ledger.filter((entry) => entry.token === wanted).map(({ body }) => body),
    requests: ({ status, ...filter } = {}) =>
      journal.entries.filter(
        (entry) => matches(filter, entry) && (status === undefined || status === entry.status),
      ),
    waitForRequests: journal.waitForRequests,
    reset() {
      book.reset();
      journal.reset();
      faults.reset();
      webhooks.clear();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  admin = createAdminHandler?.(service, {
    acceptsKey: (authorization) => keys.identify(authorization).keyType !== undefined,
    isLoopback: isLoopbackAddress(listening.address),
  });
  return service;
}

function isAdminPath(target: string): boolean {
  const path = readPath(target);
  return path === '/__admin' || path.startsWith('/__admin/');
}

let compiled: OrderUpdateSchema | undefined;

/** Compiled at the first call: it takes milliseconds, and a process may start many services. */
function compiledOrderUpdate(): OrderUpdateSchema {
  compiled ??= compileOrderUpdate<OrderUpdate>(OrderUpdate);
  return compiled;
}

/** Throws a `TypeError` unless an option is a whole number that a size or a timer can hold. */
function checkWhole(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= 2_147_483_647) return value;
  throw new TypeError(`${name}: ${value} cannot be used; give a whole number from 0 to 2147483647.`);
}
