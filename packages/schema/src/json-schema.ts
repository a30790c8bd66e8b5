import * as z from 'zod/mini';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { strayField, strayNames } from './likely-mistakes.ts';
import { defOf, jsonRulesOf } from './zod-internals.ts';

/** A JSON Schema of draft 2020-12, as plain data. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Tells an order update as JSON Schema (draft 2020-12): `OrderUpdate`, or what `defineOrderUpdate` made.
 * It accepts and refuses what the zod schema does, but for misspellings, which JSON Schema cannot count edits
 * to find, and for what is refused before a field is looked at: the name `__proto__`, more than 256 levels, more
 * than 100,000 values.
 *
 * @throws Error as `z.toJSONSchema` does, when JSON Schema has no words for a field of your own.
 */
export function toJsonSchema(schema: OrderUpdateSchema): JsonSchema {
  return z.toJSONSchema(schema, {
    // Fields are checked, not changed: what is sent is what goes into each schema, not what comes out.
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const def = defOf(zodSchema);
      Object.assign(jsonSchema, ...jsonRulesOf(zodSchema));
      if (def.type !== 'object') return;
      for (const name of strayNames()) {
        const stray = strayField(name, def.shape);
        if (stray) {
          const refused = { not: {}, description: `${stray.message}. ${stray.hint}` };
          Object.assign(jsonSchema.properties ?? {}, { [name]: refused });
        }
      }
    },
  });
}
