import { randomBytes } from 'node:crypto';
import { OrderToken, type OrderUpdate } from '@orders/schema';
import { freezeDeep } from './freeze-deep.ts';

/** An order that exists when the service starts. */
export interface SeedOrder<Update extends OrderUpdate = OrderUpdate> {
  /** The service's own token for the order (interface document, What the service does). */
  readonly token: string;
  /** What the order holds already. @default {} */
  readonly data?: Partial<Update>;
}

/** An order as the service holds it now; deep-frozen, since a later update makes a new one. */
export interface StoredOrder<Update extends OrderUpdate = OrderUpdate> {
  readonly token: string;
  /** Every field that was ever given, each as it was given last. */
  readonly data: Readonly<Partial<Update>>;
  /** How many updates were applied. */
  readonly revision: number;
}

/** One update that was applied; deep-frozen. */
export interface LedgerEntry<Update extends OrderUpdate = OrderUpdate> {
  /** The `x-request-id` of the answer. */
  readonly requestId: string;
  readonly token: string;
  /** The body as parsed, unknown fields included. */
  readonly body: Update;
  /** When it was applied: milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  /** The order's revision that this update made, from 1. */
  readonly revision: number;
}

export interface OrderBook<Update extends OrderUpdate> {
  readonly orders: readonly StoredOrder<Update>[];
  readonly ledger: readonly LedgerEntry<Update>[];
  find(token: string): StoredOrder<Update> | undefined;
  commit(order: StoredOrder<Update>, entry: Omit<LedgerEntry<Update>, 'token' | 'revision'>): void;
}

export type Seed<Update extends OrderUpdate> = number | readonly (string | SeedOrder<Update>)[];

/** Throws a `TypeError` when the seed holds no order, an empty token or a token twice. */
export function createOrderBook<Update extends OrderUpdate>(seed: Seed<Update>): OrderBook<Update> {
  const orders = new Map<string, StoredOrder<Update>>();
  for (const { token, data = {} } of listSeed(seed)) {
    if (!OrderToken.safeParse(token).success) {
      throw new TypeError(
        `orders: ${JSON.stringify(token)} is no token; give one path segment, not empty, "." or "..".`,
      );
    }
    if (orders.has(token)) throw new TypeError(`orders: ${JSON.stringify(token)} is given twice.`);
    const held: Partial<Update> = structuredClone(data);
    orders.set(token, freezeDeep<StoredOrder<Update>>({ token, data: held, revision: 0 }));
  }
  if (orders.size === 0)
    throw new TypeError('orders: give at least one order; any other token is answered with 404.');
  const ledger: LedgerEntry<Update>[] = [];

  return {
    get orders() {
      return [...orders.values()];
    },
    ledger,
    find: (token) => orders.get(token),
    commit(order, entry) {
      orders.set(order.token, freezeDeep(order));
      ledger.push(freezeDeep({ ...entry, token: order.token, revision: order.revision }));
    },
  };
}

/** The service's own merge rule, since the document shows none: each top-level field given replaces the one held. */
export function mergeUpdate<Update extends OrderUpdate>(
  order: StoredOrder<Update>,
  update: Update,
): StoredOrder<Update> {
  return { token: order.token, data: { ...order.data, ...update }, revision: order.revision + 1 };
}

function listSeed<Update extends OrderUpdate>(seed: Seed<Update>): readonly SeedOrder<Update>[] {
  if (typeof seed !== 'number')
    return seed.map((entry) => (typeof entry === 'string' ? { token: entry } : entry));
  if (!Number.isSafeInteger(seed) || seed < 1) {
    throw new TypeError(`orders: ${seed} is not a number of orders; give a whole number from 1.`);
  }
  return Array.from({ length: seed }, () => ({ token: `ord_${randomBytes(12).toString('hex')}` }));
}
