import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OrderUpdate } from '@orders/schema';

/** The key that the service accepts. */
export const apiKey = 'bench-key';

/** The token of an order. */
export const tokenOf = (order: number): string => `ord_${order.toString(16).padStart(24, '0')}`;

/** Tokens to cycle through: far more than requests in flight, because our client sends the updates of an order in sequence. */
export const orderTokens: readonly string[] = Array.from({ length: 1_024 }, (_, order) => tokenOf(order));

/** An update with a cart of so many lines, the second of them a shipping fee. */
export function buildUpdate(lines: number) {
  const items = Array.from({ length: lines }, (_, index) =>
    index === 1
      ? line('shipping_fee', 'SHIP-STANDARD', 'Standard shipping', 1, 4_900)
      : line('physical', `MUG-BLUE-${index}`, 'Blue mug', 2, 14_900),
  );
  const address = { street: 'Storgata 1', postal_code: '0155', city: 'Oslo', country: 'NO' };
  return {
    order_id: 'merchant-order-1001',
    purchase_currency: 'NOK',
    cart: { items },
    require_shipping: true,
    express_shipping: false,
    shipping_address: { name: 'Kari Nordmann', ...address },
    hooks: {
      user_return_url_on_success: 'https://shop.example/checkout/success',
      user_return_url_on_fail: 'https://shop.example/checkout/fail',
      terms_url: 'https://shop.example/terms',
      webhook_url: 'https://shop.example/webhooks/orders',
    },
    user_session_id: 'session-7f3a9c',
    user_identifier: 'customer-42',
  } satisfies OrderUpdate;
}

function line(type: string, sku: string, name: string, quantity: number, unit_price: number) {
  return { type, sku, name, quantity, unit_price, discount_rate: 0, vat_amount: (quantity * unit_price) / 5 };
}

/** Calls `task` with 0 to `count - 1`, at most `concurrency` at a time. */
export async function runConcurrently(
  count: number,
  concurrency: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const runSome = async (): Promise<void> => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, runSome));
}

/** Milliseconds by a clock that all processes of the machine share and nothing sets. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** CPU time of this process so far, garbage collection included, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Memory after a garbage collection, in bytes. */
export interface HeldMemory {
  readonly heap: number;
  /** Outside the heap; that of sockets comes and goes. */
  readonly buffers: number;
}

/** @throws TypeError when Node runs without `--expose-gc`. */
export async function heldMemory(): Promise<HeldMemory> {
  // Finalizers release buffers after the collection that found them.
  for (let pass = 0; pass < 2; pass += 1) {
    if (!globalThis.gc) throw new TypeError('Expected node --expose-gc.');
    globalThis.gc();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, buffers: external };
}

const template = buildUpdate(2);

/** The update of a number; its `order_id` is that number, which identifies it in the ledger. */
export const updateAt = (index: number): OrderUpdate => ({ ...template, order_id: String(index) });

/** The number of an update that the service applied. */
export const indexOf = ({ order_id }: OrderUpdate): number => Number(order_id);
