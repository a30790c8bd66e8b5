import type * as z from 'zod/mini';
import { convertSchema } from './convert-schema.ts';
import type { OrderUpdateSchema } from './define-order-update.ts';

/** A JSON Schema of draft 2020-12, as plain data. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Converts `OrderUpdate`, or a schema of `defineOrderUpdate`, to JSON Schema (draft 2020-12).
 *
 * Names that are refused at the top of an order, such as `items`, are in its `propertyNames`. It accepts what the zod
 * schema accepts, and besides: misspelled fields, since JSON Schema cannot compare names; a
 * field named `__proto__`; more than 256 levels; more than 100,000 values.
 *
 * @throws Error as `z.toJSONSchema` does, when JSON Schema cannot express a field of yours.
 */
export function toJsonSchema(schema: OrderUpdateSchema): JsonSchema {
  return convertSchema(schema, 'throw');
}
