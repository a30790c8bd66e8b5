import { readOpenApi } from './documents.ts';

/**
 * Our OpenAPI document, which says nothing of answers, with those that the README of `@orders/testing` lists as the
 * service's own choice: any other status, field or shape is then a violation.
 */
export function documentWithAnswers(): object {
  const document = readOpenApi();
  const { paths } = document;
  const revision = { type: 'integer', minimum: 1 };
  describe(paths['/v2/orders/{order_token}']?.['patch'], {
    200: answer({ token: { type: 'string' }, revision, order: { type: 'object' } }),
    ...refusals(400, 401, 403, 404, 406, 413, 415, 422),
  });
  describe(paths['/v2/echo_with_private_key']?.['get'], {
    200: answer({ authenticated: { const: true }, key_type: { type: 'string' } }),
    ...refusals(401, 406),
  });
  return document;
}

function describe(operation: { responses: object } | undefined, responses: object): void {
  if (operation === undefined) throw new Error('The document lacks an operation.');
  operation.responses = responses;
}

function refusals(...statuses: readonly number[]): Readonly<Record<number, object>> {
  const text = { type: 'string', minLength: 1 };
  const issue = closed({ path: { type: 'string' }, code: text, message: text, hint: text });
  const error = closed({ code: text, message: text });
  const refused = closed({ ...error.properties, issues: { type: 'array', minItems: 1, items: issue } });
  return Object.fromEntries(
    statuses.map((status) => [status, answer({ error: status === 422 ? refused : error })]),
  );
}

function answer(properties: Readonly<Record<string, object>>): object {
  return { description: 'Chosen.', content: { 'application/json': { schema: closed(properties) } } };
}

function closed(properties: Readonly<Record<string, object>>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
