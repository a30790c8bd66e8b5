import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrderUpdate, OrderUpdateSchema } from '@orders/schema';
import { answerMalformed } from './answer-malformed.ts';
import { compiledOrderUpdate } from './compiled-order-update.ts';
import type { FaultRule } from './faults/fault-rule.ts';
import { createFaultSource, type FaultScript } from './faults/fault-script.ts';
import { createJournal, type JournalEntry } from './journal.ts';
import { createKeyRing, type KeyType, type ServiceKey } from './key-ring.ts';
import { startListening } from './listening.ts';
import { createOrderBook, type LedgerEntry, type SeedOrder, type StoredOrder } from './order-book.ts';
import { type ServiceContext, serveRequest } from './serve-request.ts';

/** How an order service is started; every option may be left out. */
export interface OrderServiceOptions<Update extends OrderUpdate = OrderUpdate> {
  /** TCP port; 0 lets the system choose a free one. @default 0 */
  readonly port?: number;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** Keys to take: a list, or a map of key to key type. @default one `SalesChannelApiKey` made at random */
  readonly keys?: readonly (string | ServiceKey)[] | Readonly<Record<string, KeyType>>;
  /** How many orders to make with random tokens, or the orders and tokens themselves. @default 3 */
  readonly orders?: number | readonly (string | SeedOrder<Update>)[];
  /** What a body must satisfy; make it with `defineOrderUpdate` to name what the document leaves unnamed. @default OrderUpdate */
  readonly schema?: OrderUpdateSchema<Update>;
  /** Largest body taken, in bytes; a larger one is answered with 413 and not kept. @default 1_048_576 */
  readonly maxBodyBytes?: number;
  /** How long each answer is held back, in milliseconds; an update is applied before the wait. @default 0 */
  readonly latencyMs?: number;
  /** What goes wrong from the start, as `faults.add` takes it. @default nothing */
  readonly faults?: readonly FaultRule[];
  /** The service's clock, in milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Called with each request just before its answer is sent. @default nothing is called */
  readonly onAnswer?: (entry: JournalEntry) => void;
}

/** A running order service and everything that it knows. */
export interface OrderService<Update extends OrderUpdate = OrderUpdate> {
  /** Base URL without a trailing slash, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The first key that may update an order, else the first key. */
  readonly key: string;
  /** The token of the first order. */
  readonly token: string;
  /** Every order as it is now, in the order given. */
  readonly orders: readonly StoredOrder<Update>[];
  /** Every update that was applied, in the order applied; grows as the service runs. */
  readonly ledger: readonly LedgerEntry<Update>[];
  /** Every request that arrived, in the order of arrival; grows as the service runs. What is not HTTP is answered only. */
  readonly journal: readonly JournalEntry[];
  /** What goes wrong, and what did. */
  readonly faults: FaultScript;
  /** The order as it is now; undefined when there is none of this token. */
  order(token: string): StoredOrder<Update> | undefined;
  /** The bodies applied to one order, in the order applied. */
  appliedTo(token: string): readonly Update[];
  /**
   * Resolves when `count` requests in all have been read to their end, or given up, and, where valid, applied: a test
   * can then abort or look without sleeping. Rejects when the service closes before.
   */
  received(count: number): Promise<void>;
  /** Ends the service at once, open connections included; further calls do nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an order service on a real socket that checks path, key, key type, media type and body, and remembers all.
 *
 * What it checks is the document's (interface document, Endpoints and Authentication); its statuses, error bodies,
 * answers and merge rule are its own choice, because the document shows none, and are listed in the README.
 *
 * @throws {TypeError} When an option cannot be used; a bad key is named by its place, never shown.
 * @throws The error of `node:net`, such as `EADDRINUSE`, when it cannot listen.
 */
export async function startOrderService<Update extends OrderUpdate = OrderUpdate>(
  options: OrderServiceOptions<Update> = {},
): Promise<OrderService<Update>> {
  const { port = 0, host = '127.0.0.1' } = options;
  // An empty host would listen on every address of the machine.
  if (host === '') throw new TypeError('host is empty; leave it out for 127.0.0.1, or give an address.');
  const keys = createKeyRing(options.keys);
  const book = createOrderBook<Update>(options.orders ?? 3);
  const journal = createJournal();
  const faults = createFaultSource(options.faults ?? []);
  const closing = new AbortController();
  let requestCount = 0;
  const context: ServiceContext<Update> = {
    keys,
    book,
    journal,
    faults,
    // With no schema given, `Update` is the plain `OrderUpdate`, which the compiler cannot see.
    schema: options.schema ?? (compiledOrderUpdate() as OrderUpdateSchema as OrderUpdateSchema<Update>),
    maxBodyBytes: readWhole('maxBodyBytes', options.maxBodyBytes ?? 1_048_576),
    latencyMs: readWhole('latencyMs', options.latencyMs ?? 0),
    now: options.now ?? Date.now,
    nextRequestId: () => `req_${++requestCount}`,
    onAnswer: options.onAnswer,
    wait: (ms) => delay(ms, undefined, { signal: closing.signal }),
    restart: (downMs) => listening.restart(downMs),
  };
  const server = createServer((request, response) => {
    serveRequest(request, response, context).catch((error: unknown) => {
      response.destroy();
      // What `onAnswer` throws is the caller's to see; a closing service merely gives up its waits.
      if (!closing.signal.aborted) throw error;
    });
  });
  server.on('clientError', (error, socket) => answerMalformed(error, socket, context.nextRequestId()));
  server.on('connection', (socket) => {
    if (faults.onAccept() !== undefined) socket.resetAndDestroy();
  });
  const listening = await startListening(server, port, host);
  const token = book.orders[0]?.token ?? '';

  let closed: Promise<void> | undefined;
  const close = () => {
    if (closed === undefined) {
      closing.abort();
      journal.close();
      closed = listening.stop();
    }
    return closed;
  };

  return {
    url: listening.url,
    token,
    get key() {
      return keys.first;
    },
    get orders() {
      return book.orders;
    },
    ledger: book.ledger,
    journal: journal.entries,
    faults: faults.script,
    order: (wanted) => book.find(wanted),
    appliedTo: (wanted) => book.ledger.filter((entry) => entry.token === wanted).map(({ body }) => body),
    received: (count) => journal.received(count),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A longer timeout would fire at once. */
const LARGEST_TIMEOUT = 2_147_483_647;

function readWhole(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= LARGEST_TIMEOUT) return value;
  throw new TypeError(`${name}: ${value} cannot be used; give a whole number from 0 to ${LARGEST_TIMEOUT}.`);
}
