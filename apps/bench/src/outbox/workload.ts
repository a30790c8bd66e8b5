import type { OrderUpdate } from '@orders/schema';
import { buildUpdate } from '../workload/build-update.ts';

/** Updates to enqueue: each order gets one in turn, so that those of one order lie as far apart as they can. */
export interface Workload {
  readonly updates: number;
  readonly orders: number;
}

/** The token of one of the orders. */
export function tokenAt(order: number): string {
  return `ord_${order.toString(16).padStart(24, '0')}`;
}

/** The order that the update of this number goes to. */
export function orderOf(index: number, { orders }: Workload): number {
  return index % orders;
}

const template = buildUpdate(2);

/** The update of this number; its `order_id` is what it is known by in the ledger. */
export function updateAt(index: number): OrderUpdate {
  return { ...template, order_id: `update-${index}` };
}

/** The number of an update that the service applied. */
export function indexOf({ order_id = '' }: OrderUpdate): number {
  return Number(order_id.slice('update-'.length));
}
