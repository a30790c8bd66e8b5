import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the built package has its OpenAPI document. */
export const openApiFile = fileURLToPath(import.meta.resolve('@orders/schema/openapi.json'));

const schemaFile = fileURLToPath(import.meta.resolve('@orders/schema/order-update.schema.json'));

/** What is used of it here. */
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: object }>>>>;
  readonly components: { readonly schemas: { OrderUpdate: object } };
}

/** A copy of the OpenAPI document, to be changed at will. */
export function readOpenApi(): OpenApi {
  return JSON.parse(readFileSync(openApiFile, 'utf8'));
}

/** The JSON Schema of an order update, as the built package has it. */
export function readSchema(): object {
  return JSON.parse(readFileSync(schemaFile, 'utf8'));
}
