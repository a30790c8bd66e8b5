import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { compileOrderUpdate } from '@orders/schema/compile';

let compiled: OrderUpdateSchema | undefined;

/** The document's model, compiled at the first call: it takes milliseconds, and a process may start many services. */
export function compiledOrderUpdate(): OrderUpdateSchema {
  compiled ??= compileOrderUpdate<OrderUpdate>(OrderUpdate);
  return compiled;
}
