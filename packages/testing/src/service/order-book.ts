import { randomBytes } from 'node:crypto';
import { OrderToken, type OrderUpdate } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { freezeDeep } from './freeze-deep.ts';

/** An order that exists when the service starts. */
export interface SeedOrder<Update extends OrderUpdate = OrderUpdate> {
  /** The service's own token for the order (interface document, What the service does). */
  readonly token: string;
  /** What the order holds already. @default {} */
  readonly data?: Partial<Update>;
}

/** An order as the service holds it now; deep-frozen for whoever reads it, since a later update makes a new one. */
export interface StoredOrder<Update extends OrderUpdate = OrderUpdate> {
  readonly token: string;
  /** Every field that was ever given, each as it was given last. */
  readonly data: Readonly<Partial<Update>>;
  /** How many updates were applied. */
  readonly revision: number;
}

/** One update that was applied; deep-frozen from when the ledger is read. */
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
  /** Every order, frozen. */
  readonly orders: readonly StoredOrder<Update>[];
  /** Always the same list; its entries are frozen when it is asked for. */
  readonly ledger: readonly LedgerEntry<Update>[];
  /** The order itself, to read alone: freezing it for whoever asks would cost every update more than checking it. */
  find(token: string): StoredOrder<Update> | undefined;
  /** The order, frozen. */
  show(token: string): StoredOrder<Update> | undefined;
  /** Makes one more order, with a random token where none is given; throws a `TypeError` like `createOrderBook`. */
  add(order?: string | SeedOrder<Update>): StoredOrder<Update>;
  /** Puts an order in the place of the one before, and enters the update that made it into the ledger. */
  commit(order: StoredOrder<Update>, entry: Omit<LedgerEntry<Update>, 'token' | 'revision'>): void;
  /** Every order is as it was seeded, and nothing has happened. */
  reset(): void;
}

export type Seed<Update extends OrderUpdate> = number | readonly (string | SeedOrder<Update>)[];

/** Throws a `TypeError` when the seed holds no order, an empty token or a token twice. */
export function createOrderBook<Update extends OrderUpdate>(
  seed: Seed<Update>,
  limit = Number.POSITIVE_INFINITY,
): OrderBook<Update> {
  const orders = new Map<string, StoredOrder<Update>>();
  const add = (given: string | SeedOrder<Update> = makeToken()): StoredOrder<Update> => {
    const order = readSeedOrder(given);
    if (orders.has(order.token)) {
      throw new TypeError(`orders: ${JSON.stringify(order.token)} is given twice.`);
    }
    orders.set(order.token, order);
    return order;
  };
  const seeded = listSeed(seed).map((given) => add(given));
  if (seeded.length === 0)
    throw new TypeError('orders: give at least one order; any other token is answered with 404.');
  const ledger: LedgerEntry<Update>[] = [];
  let frozenCount = 0;

  return {
    get orders() {
      return [...orders.values()].map(freezeDeep);
    },
    get ledger() {
      for (const entry of ledger.slice(frozenCount)) freezeDeep(entry);
      frozenCount = ledger.length;
      return ledger;
    },
    find: (token) => orders.get(token),
    show: (token) => freezeDeep(orders.get(token)),
    add,
    commit(order, { requestId, body, at }) {
      const { token, revision } = order;
      orders.set(token, order);
      ledger.push({ requestId, token, body, at, revision });
      if (ledger.length <= limit) return;
      ledger.shift();
      frozenCount = Math.max(0, frozenCount - 1);
    },
    reset() {
      orders.clear();
      for (const order of seeded) orders.set(order.token, order);
      ledger.length = 0;
      frozenCount = 0;
    },
  };
}

/** The service's own merge rule, since the document shows none: each top-level field given replaces the one held. */
export function mergeTopLevel<Update extends OrderUpdate>(
  held: Readonly<Partial<Update>>,
  update: Update,
): Readonly<Partial<Update>> {
  return { ...held, ...update };
}

function readSeedOrder<Update extends OrderUpdate>(given: string | SeedOrder<Update>): StoredOrder<Update> {
  const { token, data = {} }: SeedOrder<Update> = typeof given === 'string' ? { token: given } : given;
  if (typeof given !== 'string') checkOptions('orders', given, ['token', 'data']);
  if (!OrderToken.safeParse(token).success) {
    throw new TypeError(
      `orders: ${JSON.stringify(token)} is no token; give one path segment, not empty, "." or "..".`,
    );
  }
  const held: Partial<Update> = structuredClone(data);
  return freezeDeep<StoredOrder<Update>>({ token, data: held, revision: 0 });
}

function listSeed<Update extends OrderUpdate>(seed: Seed<Update>): readonly (string | SeedOrder<Update>)[] {
  if (typeof seed !== 'number') return seed;
  if (!Number.isSafeInteger(seed) || seed < 1) {
    throw new TypeError(`orders: ${seed} is not a number of orders; give a whole number from 1.`);
  }
  return Array.from({ length: seed }, makeToken);
}

function makeToken(): string {
  return `ord_${randomBytes(12).toString('hex')}`;
}
