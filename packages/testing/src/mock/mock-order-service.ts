import { createServer, type RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { compileOrderUpdate } from '@orders/schema/compile';
import { z } from 'zod';
import {
  createWebhooks,
  isLoopbackAddress,
  type WebhookDelivery,
  type WebhookOptions,
  type Webhooks,
} from '../webhooks.ts';
import { parseWith } from './fault.ts';
import {
  createFaultSource,
  type FaultFilter,
  type FaultRule,
  type FaultScript,
  matches,
} from './fault-script.ts';
import { freezeDeep } from './freeze-deep.ts';
import { createHistory } from './history.ts';
import { createJournal, type JournalEntry, RequestFilterSchema } from './journal.ts';
import { createKeyRing, type KeyType, type ServiceKey } from './keys.ts';
import { type Listening, startListening } from './listening.ts';
import { createOrderBook, type LedgerEntry, type SeedOrder, type StoredOrder } from './orders.ts';
import { readPath } from './request.ts';
import { createResponder, type MockResponses } from './responses.ts';
import { respondToMalformed, serveRequest, tunnelRefused } from './serve.ts';

/** How the mock order service is set up; every option is optional. */
export interface MockOrderServiceOptions<Update extends OrderUpdate = OrderUpdate> {
  /** TCP port; 0 for a free one. @default 0 */
  readonly port?: number | undefined;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Accepted keys: a list, or a map of key to key type. @default one random `SalesChannelApiKey` */
  readonly keys?: readonly (string | ServiceKey)[] | Readonly<Record<string, KeyType>> | undefined;
  /** How many orders with random tokens, or the tokens or orders themselves. @default 3 */
  readonly orders?: number | readonly (string | SeedOrder<Update>)[] | undefined;
  /** What a body must satisfy, for example your `defineOrderUpdate` with its field names. @default OrderUpdate */
  readonly schema?: OrderUpdateSchema<Update> | undefined;
  /** Statuses, bodies and the merge of an update, which the API does not document. @default the README's table */
  readonly responses?: MockResponses<Update> | undefined;
  /** Largest body, in bytes; a larger one leads to a 413 and is not kept. @default 1_048_576 */
  readonly maxBodyBytes?: number | undefined;
  /** Delay of each response, in milliseconds; an update is applied before it. @default 0 */
  readonly latencyMs?: number | undefined;
  /** Faults from the start, as `faults.add` takes them. @default none */
  readonly faults?: readonly FaultRule[] | undefined;
  /** How webhooks are sent. @default the payload of the README, to this machine only */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * Whether other programs may add faults, read the ledger and send webhooks over HTTP, at `/__admin` and with a key of
   * the service. @default false
   */
  readonly admin?: boolean | undefined;
  /** How many entries `ledger`, `journal` and `webhooks.sent` each keep; the oldest go first. @default Infinity */
  readonly historyLimit?: number | undefined;
  /** The service's clock, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Called once for each request: right before its response leaves, or when it ends without one. */
  readonly onRequest?: ((entry: JournalEntry) => void) | undefined;
}

const whole = z.int().min(0).max(2_147_483_647).optional();
const callback = z.custom((value) => typeof value === 'function', 'expected a function').optional();
const OptionsSchema = z.object({
  port: z.int().min(0).max(65_535).optional(),
  // An empty host would listen on every address of the machine.
  host: z.string().min(1).optional(),
  keys: z.unknown().optional(),
  orders: z.unknown().optional(),
  schema: z
    .custom((value) => typeof Object(value).safeParse === 'function', 'expected a schema of @orders/schema')
    .optional(),
  responses: z.unknown().optional(),
  maxBodyBytes: whole,
  latencyMs: whole,
  faults: z.unknown().optional(),
  webhooks: z.unknown().optional(),
  admin: z.boolean().optional(),
  historyLimit: z.literal(Number.POSITIVE_INFINITY).or(whole),
  now: callback,
  onRequest: callback,
} satisfies Record<keyof MockOrderServiceOptions, z.ZodType>);

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
  /**
   * The entries of the journal that match a filter. @default all of them
   * @throws {TypeError} For a filter that no request can match, such as the method `patch`.
   */
  requests(filter?: RequestFilter): readonly JournalEntry[];
  /**
   * Resolves when `count` requests in all have arrived completely, or were cut off, and, where valid, were applied: a
   * test can then abort or look without a sleep. Rejects when the service closes first.
   *
   * @throws {TypeError} For a count that is not a whole number.
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
  checkOptions('startMockOrderService', options, Object.keys(OptionsSchema.shape));
  parseWith(OptionsSchema, options, 'startMockOrderService');
  const { port = 0, host = '127.0.0.1', now = Date.now, onRequest } = options;
  const { historyLimit = Number.POSITIVE_INFINITY } = options;
  const keys = createKeyRing(options.keys);
  const book = createOrderBook<Update>(options.orders ?? 3, historyLimit);
  const journal = createJournal(historyLimit);
  const availability = {
    goDown: (ms: number) => listening.goDown(ms),
    goUp: () => listening.goUp(),
  };
  const faults = createFaultSource(options.faults ?? [], availability, historyLimit);
  const responder = createResponder<Update>(options.responses);
  const stopping = new AbortController();
  const token = book.orders[0]?.token ?? '';
  const order = (wanted: string) => freezeDeep(book.find(wanted));
  const deliveries = createHistory<WebhookDelivery>(historyLimit);
  const webhooks = createWebhooks(
    { defaultToken: token, find: order, now, signal: stopping.signal, history: deliveries },
    options.webhooks,
  );
  let requestCount = 0;
  const nextRequestId = () => `req_${++requestCount}`;
  let generation = 0;
  const notify = (entry: JournalEntry) => {
    try {
      onRequest?.(entry);
    } catch (error) {
      // It is the caller's to see, and must not keep the client from its response.
      queueMicrotask(() => {
        throw error;
      });
    }
  };
  const context = {
    keys,
    book,
    journal,
    faults,
    responder,
    schema: options.schema ?? (compiledOrderUpdate() as OrderUpdateSchema as OrderUpdateSchema<Update>),
    maxBodyBytes: options.maxBodyBytes ?? 1_048_576,
    latencyMs: options.latencyMs ?? 0,
    now,
    nextRequestId,
    notify,
    generation: () => generation,
    wait: (ms: number) => delay(ms, undefined, { signal: stopping.signal }),
    restart: availability.goDown,
  };

  // Its router takes longer to load than everything else here.
  const { createAdminHandler } = options.admin ? await import('../admin.ts') : {};
  let admin: RequestListener | undefined;
  const serve: RequestListener = (request, response) => {
    if (admin !== undefined && isAdminPath(request.url ?? '')) admin(request, response);
    else serveRequest(request, response, context);
  };
  // After a process has stood still, as at a breakpoint or for a slow disk, its idle connections still serve its client.
  const keepAliveTimeout = 60_000;
  // Node would reject these by itself, without a request id and without an entry in the journal.
  const server = createServer({ requireHostHeader: false, keepAliveTimeout }, serve).on(
    'checkExpectation',
    serve,
  );
  server.on('clientError', (error, socket) => {
    respondToMalformed(error, socket, { nextRequestId, now, rejected: responder.rejected });
  });
  // Node hands over the socket of a CONNECT as it is, or ends it without a word.
  server.on('connect', (_request, socket) => {
    respondToMalformed(tunnelRefused, socket, { nextRequestId, now, rejected: responder.rejected });
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
      return book.ledger.entries;
    },
    journal: journal.history.entries,
    faults: faults.script,
    webhooks,
    order,
    addOrder: (added) => book.add(added).token,
    appliedUpdates: (wanted) =>
      book.ledger.entries.filter((entry) => entry.token === wanted).map(({ body }) => body),
    requests(filter = {}) {
      checkOptions('requests', filter, Object.keys(RequestFilterSchema.shape));
      const { status } = parseWith(RequestFilterSchema, filter, 'requests');
      return journal.history.entries.filter(
        (entry) => matches(filter, entry) && (status === undefined || status === entry.status),
      );
    },
    waitForRequests: journal.waitForRequests,
    reset() {
      generation += 1;
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
    histories: {
      // A getter, because the entries are frozen when it is read.
      get ledger() {
        return book.ledger;
      },
      requests: journal.history,
      played: faults.played,
      webhooks: deliveries,
    },
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
