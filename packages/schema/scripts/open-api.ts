import { OrderUpdate } from '../src/index.ts';
import { toJsonSchema } from '../src/json-schema.ts';

/** The interface document's two operations as OpenAPI 3.1; where the document is silent, so is this. */
export function openApiDocument(version: string): object {
  const { $schema: _dialect, ...orderUpdate } = toJsonSchema(OrderUpdate);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Order Update Interface',
      version,
      description:
        'Updates an order that the service already holds. Statuses and response bodies are not shown by the interface document, so no answer is described further.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'The base URL is not shown: use the one the service gave you.',
        variables: { base_url: { default: 'http://127.0.0.1:4010' } },
      },
    ],
    security: [{ privateKey: [] }],
    tags: [
      { name: 'Orders', description: 'Orders that the service holds.' },
      { name: 'Keys', description: 'Keys that a merchant holds.' },
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
          description: 'Takes the private key as every operation does.',
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

const notShown = (kind: string) => ({
  description: `${kind}: statuses and bodies are not shown by the interface document.`,
  content: { 'application/json': { schema: {} } },
});

const responses = {
  '2XX': notShown('A success'),
  '4XX': notShown('A client error'),
  default: notShown('Any other answer'),
};
