import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openApi from '@orders/schema/openapi.json' with { type: 'json' };

/** The document of the built package. */
export const openApiFile = fileURLToPath(import.meta.resolve('@orders/schema/openapi.json'));

/** Writes a file made of the document into a folder that Git ignores, and returns its path. */
export function writeGenerated(name: string, text: string): string {
  const file = join(import.meta.dirname, 'generated', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/**
 * The document, which describes no responses, with those that the README of `@orders/testing` lists as the mock's own
 * choice: any other status, field or shape is a violation.
 */
export function withResponses(): object {
  const { paths, ...document } = structuredClone(openApi);
  const revision = { type: 'integer', minimum: 1 };
  const updated = response({ token: { type: 'string' }, revision, order: { type: 'object' } });
  const echoed = response({ authenticated: { const: true }, key_type: { type: 'string' } });
  const update = { 200: updated, ...errorResponses(400, 401, 403, 404, 406, 413, 415, 422) };
  Object.assign(paths['/v2/orders/{order_token}'].patch, { responses: update });
  const echo = { 200: echoed, ...errorResponses(401, 406) };
  Object.assign(paths['/v2/echo_with_private_key'].get, { responses: echo });
  return { ...document, paths };
}

function errorResponses(...statuses: readonly number[]): Readonly<Record<number, object>> {
  const text = { type: 'string', minLength: 1 };
  const issue = closed({ path: { type: 'string' }, code: text, message: text, hint: text });
  const issues = { type: 'array', minItems: 1, items: issue };
  return Object.fromEntries(
    statuses.map((status) => {
      const error = closed({ code: text, message: text, ...(status === 422 && { issues }) });
      return [status, response({ error })];
    }),
  );
}

function response(properties: Readonly<Record<string, object>>): object {
  return { description: '', content: { 'application/json': { schema: closed(properties) } } };
}

function closed(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
