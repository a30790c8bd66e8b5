import * as z from 'zod/mini';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { findLikelyMistakes } from './likely-mistakes.ts';
import type { OrderUpdate } from './order-update.ts';
import { quickCopy } from './quick-copy.ts';
import { defOf, modelOf } from './zod-internals.ts';

/**
 * Compiles a schema of order updates: it accepts and refuses the same with the same issues, several times faster.
 * It evaluates generated code; where that is not allowed, as under a strict content policy, the schema comes back
 * as it was, and so does one with checks of your own on top. Not for browsers: it would add the whole compiler to the
 * bundle.
 */
export function compileOrderUpdate<Update extends OrderUpdate>(
  schema: OrderUpdateSchema<Update>,
): OrderUpdateSchema<Update> {
  const model = modelOf(schema);
  if (!model) return z.compile(schema);
  const compiled = z.compile(model);
  if (compiled === model) return schema;
  const known = z.compile(withoutUnknownFields(model));
  return z.withParser(schema, (input) => {
    const copy = quickCopy(input);
    if (!copy) return z.INVALID;
    // A body of known fields alone holds no misspelling: nothing more is to be looked for.
    const passes =
      z.validate(known, copy) || (z.validate(compiled, copy) && findLikelyMistakes(model, copy).length === 0);
    return passes ? (copy as Update) : z.INVALID;
  });
}

/** The same model, but for unknown fields: it refuses them, save in objects that have no known field at all. */
function withoutUnknownFields(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema);
  if (def.checks?.length) return schema;
  if (def.type === 'optional') return z.optional(withoutUnknownFields(def.innerType));
  if (def.type === 'array') return z.array(withoutUnknownFields(def.element));
  if (def.type !== 'object' || Object.keys(def.shape).length === 0) return schema;
  const fields = Object.entries(def.shape).map(([name, field]) => [name, withoutUnknownFields(field)]);
  return z.strictObject(Object.fromEntries(fields));
}
