import * as z from 'zod/mini';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { misplacedField, misplacedNames } from './field-typos.ts';
import { defOf, keywordsOf } from './zod-internals.ts';

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
  return convert(schema, 'throw');
}

/** The same, where a field that JSON Schema cannot express is one of any value. */
export function outlineOf(schema: OrderUpdateSchema): JsonSchema {
  return convert(schema, 'any');
}

function convert(schema: OrderUpdateSchema, unrepresentable: 'throw' | 'any'): JsonSchema {
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
