import * as z from 'zod/mini';
import { withModel } from './body-schema.ts';
import type { OrderUpdateSchema } from './define-order-update.ts';
import type { OrderUpdate } from './order-update.ts';

/**
 * Compiles a schema of order updates: it accepts and refuses the same with the same issues, several times faster.
 * It evaluates generated code; where that is not allowed, as under a strict content policy, the schema comes back
 * as it was. Not for browsers: it would add the whole compiler to the bundle.
 */
export function compileOrderUpdate<Update extends OrderUpdate>(
  schema: OrderUpdateSchema<Update>,
): OrderUpdateSchema<Update> {
  return withModel(schema, (model) => z.compile(model));
}
