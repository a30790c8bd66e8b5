import * as z from 'zod/mini';
import { bodySchema, checkCopy, modelOf } from './body-schema.ts';
import type { OrderUpdateSchema } from './define-order-update.ts';
import type { OrderUpdate } from './order-update.ts';
import { toPlainJson } from './plain-json.ts';
import { quickCopy } from './quick-copy.ts';

/**
 * Compiles a schema of order updates: it accepts and refuses the same with the same issues, several times faster.
 * It evaluates generated code; where that is not allowed, as under a strict content policy, the schema comes back
 * as it was. Not for browsers: it would add the whole compiler to the bundle.
 */
export function compileOrderUpdate<Update extends OrderUpdate>(
  schema: OrderUpdateSchema<Update>,
): OrderUpdateSchema<Update> {
  const plain = modelOf(schema);
  if (!plain) return z.compile(schema);
  const model = z.compile(plain);
  if (model === plain) return schema;
  const known = z.compile(withoutUnknownFields(plain));
  const compiled = bodySchema<Update>(model);
  compiled._zod.run = compiled._zod.parse = (payload, context) => {
    const quick = quickCopy(payload.value);
    // A body of known fields alone holds no misspelling: nothing more is to be looked for.
    if (quick && passes(known, quick, context)) {
      payload.value = quick;
      return payload;
    }
    const copied = quick ? { value: quick, problems: [] } : toPlainJson(payload.value);
    return checkCopy(model, payload, copied, context);
  };
  return compiled;
}

function passes(schema: z.core.$ZodType, value: unknown, context: z.core.ParseContextInternal): boolean {
  const checked = schema._zod.run({ value, issues: [] }, { ...context });
  return !(checked instanceof Promise) && checked.issues.length === 0;
}

/** The same model, but for unknown fields: it refuses them, save in objects that have no known field at all. */
function withoutUnknownFields(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.checks?.length) return schema;
  if (def.type === 'optional') return z.optional(withoutUnknownFields(def.innerType));
  if (def.type === 'array') return z.array(withoutUnknownFields(def.element));
  if (def.type !== 'object' || Object.keys(def.shape).length === 0) return schema;
  const fields = Object.entries(def.shape).map(([name, field]) => [name, withoutUnknownFields(field)]);
  return z.strictObject(Object.fromEntries(fields));
}
