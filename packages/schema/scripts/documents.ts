import { OrderUpdate } from '../src/index.ts';
import { toJsonSchema } from '../src/json-schema.ts';
import { openApiDocument } from './open-api.ts';

/** The documents that the package exports as files, by name. */
export function buildDocuments(version: string): Readonly<Record<string, object>> {
  return {
    'order-update.schema.json': {
      title: 'OrderUpdate',
      description: 'The body of an order update.',
      ...toJsonSchema(OrderUpdate),
    },
    'openapi.json': openApiDocument(version),
  };
}
