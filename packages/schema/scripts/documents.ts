import { OrderUpdate } from '../src/index.ts';
import { toJsonSchema } from '../src/json-schema.ts';

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

/** The two operations of the API reference as OpenAPI 3.1, without what is undocumented. */
function openApiDocument(version: string): object {
  const { $schema: _dialect, ...orderUpdate } = toJsonSchema(OrderUpdate);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Order Update Interface',
      version,
      description:
        'Updates an existing order. Status codes and response bodies are undocumented, so responses have no schema.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'The base URL is undocumented: use the one that the service gave you.',
        variables: { base_url: { default: 'http://127.0.0.1:8402' } },
      },
    ],
    security: [{ privateKey: [] }],
    tags: [
      { name: 'Orders', description: 'Existing orders.' },
      { name: 'Keys', description: 'API keys.' },
    ],
    paths: {
      '/v2/orders/{order_token}': {
        patch: {
          operationId: 'updateOrder',
          tags: ['Orders'],
          summary: 'Update an order',
          description: 'Requires a key of type `SalesChannelApiKey`.',
          parameters: [
            {
              name: 'order_token',
              in: 'path',
              required: true,
              description: "The order token that the service generated; not the merchant's own order_id.",
              schema: { type: 'string', minLength: 1 },
            },
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/OrderUpdate' } } },
          },
          responses,
        },
      },
      '/v2/echo_with_private_key': {
        get: {
          operationId: 'echoWithPrivateKey',
          tags: ['Keys'],
          summary: 'Check a private key',
          description: 'Authenticates with the private key, like every operation.',
          responses,
        },
      },
    },
    components: {
      securitySchemes: {
        privateKey: {
          type: 'http',
          scheme: 'basic',
          description: 'The private API key is the username; the password is empty.',
        },
      },
      schemas: { OrderUpdate: orderUpdate },
    },
  };
}

const undocumented = (kind: string) => ({
  description: `${kind}: status codes and bodies are undocumented.`,
  content: { 'application/json': { schema: {} } },
});

const responses = {
  '2XX': undocumented('A success'),
  '4XX': undocumented('A client error'),
  default: undocumented('Any other response'),
};
