import { randomBytes } from 'node:crypto';
import { OrderToken, type OrderUpdate } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { freezeDeep } from './freeze-deep.ts';
import { createHistory, type History } from './history.ts';

/** An order that exists when the service starts. */
export interface SeedOrder<Update extends OrderUpdate = OrderUpdate> {
  /** The service's own token, not the merchant's `order_id`: one path segment. @default random */
  readonly token?: string | undefined;
  /** What the order holds already. @default {} */
  readonly data?: Partial<Update> | undefined;
}

/** An order as the service holds it now; deep-frozen. */
export interface StoredOrder<Update extends OrderUpdate = OrderUpdate> {
  readonly token: string;
  /** Every field that was ever given, each with its last value. */
  readonly data: Readonly<Partial<Update>>;
  /** How many updates were applied. */
  readonly revision: number;
}

/** An update that was applied; deep-frozen. */
export interface LedgerEntry<Update extends OrderUpdate = OrderUpdate> {
  /** The `x-request-id` of the response. */
  readonly requestId: string;
  readonly token: string;
  /** The body as parsed, unknown fields included. */
  readonly body: Update;
  /** When it was applied: milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  /** The order's revision after this update, from 1. */
  readonly revision: number;
}

export interface OrderBook<Update extends OrderUpdate> {
  /** Every order, frozen. */
  readonly orders: readonly StoredOrder<Update>[];
  /** Its entries are frozen when it is read. */
  readonly ledger: History<LedgerEntry<Update>>;
  /** The order itself, only to read: freezing it would cost every update more than its check. */
  find(token: string): StoredOrder<Update> | undefined;
  /** Adds an order, with a random token by default; throws a `TypeError` like `createOrderBook`. */
  add(order?: string | SeedOrder<Update>): StoredOrder<Update>;
  /** Replaces an order, and adds the update that changed it to the ledger. */
  commit(order: StoredOrder<Update>, entry: Omit<LedgerEntry<Update>, 'token' | 'revision'>): void;
  /** Back to the seed, with an empty ledger. */
  reset(): void;
}

export type Seed<Update extends OrderUpdate> = number | readonly (string | SeedOrder<Update>)[];

/** Throws a `TypeError` for a seed without an order, a bad token or a token that is given twice. */
export function createOrderBook<Update extends OrderUpdate>(
  seed: Seed<Update>,
  limit: number,
): OrderBook<Update> {
  const orders = new Map<string, StoredOrder<Update>>();
  const add = (given: string | SeedOrder<Update> = {}): StoredOrder<Update> => {
    const order = readSeedOrder(given);
    if (orders.has(order.token))
      throw new TypeError(`orders: ${JSON.stringify(order.token)} is given twice.`);
    orders.set(order.token, order);
    return order;
  };
  const seeded = listSeed(seed).map((given) => add(given));
  if (seeded.length === 0)
    throw new TypeError('orders: give at least one order; any other token leads to a 404.');
  const ledger = createHistory<LedgerEntry<Update>>(limit);
  /** Counted from the first entry that there ever was. */
  let frozenCount = 0;

  return {
    get orders() {
      return [...orders.values()].map(freezeDeep);
    },
    get ledger() {
      const { entries, dropped } = ledger;
      for (const entry of entries.slice(Math.max(0, frozenCount - dropped))) freezeDeep(entry);
      frozenCount = dropped + entries.length;
      return ledger;
    },
    find: (token) => orders.get(token),
    add,
    commit(order, { requestId, body, at }) {
      const { token, revision } = order;
      orders.set(token, order);
      ledger.add({ requestId, token, body, at, revision });
    },
    reset() {
      orders.clear();
      for (const order of seeded) orders.set(order.token, order);
      ledger.clear();
      frozenCount = 0;
    },
  };
}

/** The API does not document how an update merges; here each top-level field given replaces the one held. */
export function mergeTopLevel<Update extends OrderUpdate>(
  held: Readonly<Partial<Update>>,
  update: Update,
): Readonly<Partial<Update>> {
  return { ...held, ...update };
}

function readSeedOrder<Update extends OrderUpdate>(given: string | SeedOrder<Update>): StoredOrder<Update> {
  const seed: SeedOrder<Update> = typeof given === 'string' ? { token: given } : given;
  if (seed === null) throw new TypeError('orders: null is not an order: give a token, or { token, data }.');
  checkOptions('orders', seed, ['token', 'data']);
  const { token = randomToken(), data = {} } = seed;
  // A list and a map are objects, too, and the order would hold nothing of them.
  if ({}.toString.call(data) !== '[object Object]')
    throw new TypeError('orders: data is an object, the fields of an order.');
  if (!OrderToken.safeParse(token).success) {
    throw new TypeError(
      `orders: ${JSON.stringify(token)} is not a token: give one path segment, not empty, "." or "..".`,
    );
  }
  const held: Partial<Update> = structuredClone(data);
  return freezeDeep<StoredOrder<Update>>({ token, data: held, revision: 0 });
}

function listSeed<Update extends OrderUpdate>(seed: Seed<Update>): readonly (string | SeedOrder<Update>)[] {
  if (Array.isArray(seed)) return seed;
  if (typeof seed === 'number' && Number.isSafeInteger(seed) && seed >= 1)
    return Array.from({ length: seed }, () => ({}));
  throw new TypeError('orders: give a whole number from 1, or a list of tokens or { token, data }.');
}

function randomToken(): string {
  return `ord_${randomBytes(12).toString('hex')}`;
}
