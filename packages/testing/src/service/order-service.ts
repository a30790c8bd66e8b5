import type { OrderUpdate } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { type Connector, createConnector } from '../memory/memory-connector.ts';
import { type MemoryDoor, openMemoryDoor } from '../memory/memory-door.ts';
import { createMemoryFetch } from '../memory/memory-fetch.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { FaultFilter } from './faults/fault-rule.ts';
import { type FaultScript, matches } from './faults/fault-script.ts';
import type { JournalEntry } from './journal.ts';
import { type Listening, startListening } from './listening.ts';
import type { LedgerEntry, SeedOrder, StoredOrder } from './order-book.ts';
import {
  type CreateOrderServiceOptions,
  orderServiceOptions,
  type StartOrderServiceOptions,
} from './order-service-options.ts';
import { createServiceCore, type ServiceCore } from './service-core.ts';

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
  /** Every update that was applied, in the order applied; one list, which grows as the service runs. */
  readonly ledger: readonly LedgerEntry<Update>[];
  /** Every request that arrived, in the order of arrival; grows as the service runs. What is not HTTP is answered only. */
  readonly journal: readonly JournalEntry[];
  /** What goes wrong, and what did. */
  readonly faults: FaultScript;
  /** Sends webhook calls, and tells which were sent. */
  readonly webhooks: Webhooks;
  /** The order as it is now; undefined when there is none of this token. */
  order(token: string): StoredOrder<Update> | undefined;
  /**
   * Makes one more order and returns its token. @param order Its token, or token and data. @default a random token
   * @throws {TypeError} When there is such an order already, or the token cannot be one.
   */
  addOrder(order?: string | SeedOrder<Update>): string;
  /** The bodies applied to one order, in the order applied. */
  appliedTo(token: string): readonly Update[];
  /** The journal's entries that a filter lets through, in the order of arrival. @default all of them */
  requests(filter?: RequestFilter): readonly JournalEntry[];
  /**
   * Resolves when `count` requests in all have been read to their end, or given up, and, where valid, applied: a test
   * can then abort or look without sleeping. Rejects when the service closes before.
   */
  received(count: number): Promise<void>;
  /** Puts everything back to how it began, but for connections: orders, ledger, journal, faults, webhooks. */
  reset(): void;
  /** Ends the service at once, open connections included; further calls do nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Which requests of the journal are meant; a field that is left out lets every request through. */
export interface RequestFilter extends FaultFilter {
  /** The status that was sent. */
  readonly status?: number;
}

/** An order service without a port, for whoever has none to give. */
export interface MemoryOrderService<Update extends OrderUpdate = OrderUpdate> extends OrderService<Update> {
  /**
   * A `fetch` that reaches this service and nothing else. Faults of a connection end as with the global `fetch`: a
   * `TypeError` whose `cause` tells.
   */
  readonly fetch: typeof fetch;
  /** The option `connect` of an undici `Agent` whose connections lead to this service and nowhere else. */
  readonly connect: Connector;
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
  options: StartOrderServiceOptions<Update> = {},
): Promise<OrderService<Update>> {
  checkOptions('startOrderService', options, [...Object.keys(orderServiceOptions), 'port', 'host']);
  const { port = 0, host = '127.0.0.1' } = options;
  // An empty host would listen on every address of the machine.
  if (host === '') throw new TypeError('host is empty; leave it out for 127.0.0.1, or give an address.');
  const core = createServiceCore(options, (downMs) => listening.restart(downMs));
  const listening: Listening = await startListening(core.server, port, host);
  return describeService(core, listening.url, () => listening.stop());
}

/**
 * Makes the same service without a port: HTTP is spoken over connections in memory, so that everything, faults
 * included, happens as over a socket, and nothing has to be awaited before or ended after.
 *
 * @throws {TypeError} When an option cannot be used; a bad key is named by its place, never shown.
 */
export function createOrderService<Update extends OrderUpdate = OrderUpdate>(
  options: CreateOrderServiceOptions<Update> = {},
): MemoryOrderService<Update> {
  checkOptions('createOrderService', options, [...Object.keys(orderServiceOptions), 'url']);
  const url = readOrigin(options.url ?? 'https://orders.test');
  const core = createServiceCore(options, (downMs) => door.restart(downMs));
  const door: MemoryDoor = openMemoryDoor(core.server);
  const service = describeService(core, url, async () => door.stop());
  return Object.assign(service, { fetch: createMemoryFetch(url, door), connect: createConnector(url, door) });
}

function describeService<Update extends OrderUpdate>(
  { keys, book, journal, faults, webhooks, reset, stop }: ServiceCore<Update>,
  url: string,
  end: () => Promise<void>,
): OrderService<Update> {
  const token = book.orders[0]?.token ?? '';
  let closed: Promise<void> | undefined;
  const close = () => {
    if (closed === undefined) {
      stop();
      closed = end();
    }
    return closed;
  };

  return {
    url,
    token,
    get key() {
      return keys.first;
    },
    get orders() {
      return book.orders;
    },
    get ledger() {
      return book.ledger;
    },
    journal: journal.entries,
    faults: faults.script,
    webhooks,
    order: (wanted) => book.show(wanted),
    addOrder: (order) => book.add(order).token,
    appliedTo: (wanted) => book.ledger.filter((entry) => entry.token === wanted).map(({ body }) => body),
    requests: ({ status, ...filter } = {}) =>
      journal.entries.filter(
        (entry) => matches(filter, entry) && (status === undefined || status === entry.status),
      ),
    received: (count) => journal.received(count),
    reset,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function readOrigin(url: string): string {
  const given = URL.canParse(url) ? new URL(url) : undefined;
  const isOrigin =
    given !== undefined && /^https?:$/.test(given.protocol) && given.href === `${given.origin}/`;
  if (isOrigin) return given.origin;
  throw new TypeError(`url: ${JSON.stringify(url)} is no origin; give one such as https://orders.test.`);
}
