import * as z from 'zod/mini';
import { cloneJsonFast } from './clone-json.ts';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { findFieldTypos } from './field-typos.ts';
import type { OrderUpdate } from './order-update.ts';
import { accepts, defOf, modelOf } from './zod-internals.ts';

/**
 * Compiles a schema of order updates: it accepts the same and reports the same issues, several times faster.
 *
 * It evaluates generated code. Where that is not allowed, as under a strict content security policy, and for a schema
 * with checks of your own on top, the schema is returned as it is. Not for browsers: it adds the compiler of zod to
 * the bundle.
 */
export function compileOrderUpdate<Update extends OrderUpdate>(
  schema: OrderUpdateSchema<Update>,
): OrderUpdateSchema<Update> {
  try {
    return compileModel(schema);
  } catch {
    // Zod does not work once `Object.prototype` has an enumerable property; what it made before goes on working.
    return schema;
  }
}

function compileModel<Update extends OrderUpdate>(
  schema: OrderUpdateSchema<Update>,
): OrderUpdateSchema<Update> {
  const model = modelOf(schema);
  if (!model) return z.compile(schema);
  const compiled = z.compile(model);
  if (compiled === model) return schema;
  const known = z.compile(withoutUnknownFields(model));
  return z.withParser(schema, (input) => {
    const copy = cloneJsonFast(input);
    if (!copy) return z.INVALID;
    // A body of known fields alone has no typos to look for.
    const passes =
      accepts(known, copy) || (accepts(compiled, copy) && findFieldTypos(model, copy).length === 0);
    return passes ? (copy as Update) : z.INVALID;
  });
}

/** The same model, which refuses unknown fields, except in objects that have no known field at all. */
function withoutUnknownFields(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema);
  if (def.checks?.length) return schema;
  if (def.type === 'optional') return z.optional(withoutUnknownFields(def.innerType));
  if (def.type === 'array') return z.array(withoutUnknownFields(def.element));
  if (def.type !== 'object' || Object.keys(def.shape).length === 0) return schema;
  const fields = Object.entries(def.shape).map(([name, field]) => [name, withoutUnknownFields(field)]);
  return z.strictObject(Object.fromEntries(fields));
}
