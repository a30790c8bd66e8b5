import * as z from 'zod/mini';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { misplacedField, misplacedNames } from './field-typos.ts';
import { defOf, keywordsOf } from './zod-internals.ts';

/** Converts a schema to JSON Schema, where a field that it cannot express may be one of any value. */
export function convertSchema(
  schema: OrderUpdateSchema,
  unrepresentable: 'throw' | 'any',
): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, {
    unrepresentable,
    // Fields are checked, not changed: the input of each schema is what is sent.
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const def = defOf(zodSchema);
      Object.assign(jsonSchema, ...keywordsOf(zodSchema));
      if (def.type !== 'object') return;
      // As properties that nothing matches, generated types would offer them, and form builders would show them.
      const refused = misplacedNames().filter((name) => misplacedField(name, def.shape));
      if (refused.length > 0) jsonSchema.propertyNames = { not: { enum: refused } };
    },
  });
}
