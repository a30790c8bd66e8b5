import { defineOrderUpdate } from '@orders/schema';
import { toJsonSchema } from '@orders/schema/json-schema';
import { startOrderService } from '@orders/testing';
import { type ConformanceResult, runConformance } from '@orders/testing/conformance';
import { type Case, check, checkSame } from './case.ts';
import { readOpenApi } from './documents.ts';
import { startPrism } from './prism.ts';

const peer = 'conformance';
const key = { apiKey: 'of-a-sales-channel', otherTypeKey: 'of-another-type' };
const definition = {
  metadata: ['meta_1', 'meta_2'],
  totalAmount: 'total',
  vatAmount: 'vat',
  qrSessionId: 'qr_session',
} as const;

/** All that the document leaves out, so that no case is skipped. */
const given = {
  ...key,
  disposable: true,
  names: definition,
  currency: 'NOK',
  shippingAddress: { city: 'Oslo' },
  // Prism never answers to what is not JSON.
  timeoutMs: 2_000,
};

/** Cases that a mock cannot pass, and why. */
const beyondMock = {
  'echo-refuses-unknown-key': 'it knows no keys',
  'echo-refuses-key-as-password': 'it looks for the scheme alone',
  'update-refuses-unknown-key': 'it knows no keys',
  'update-refuses-other-key-type': 'it knows no keys',
  'update-refuses-unknown-token': 'it holds no orders',
  'update-refuses-order-id-as-token': 'it holds no orders',
  'refuses-body-not-json': 'it gives no answer to what is not JSON',
};

/** The conformance suite of `@orders/testing`, against our order service and against a mock of our document. */
export const conformanceCases: readonly Case[] = [
  {
    peer,
    name: 'our order service passes every case',
    async run() {
      await using service = await startOrderService({
        keys: [{ key: key.apiKey }, { key: key.otherTypeKey, type: 'AnotherApiKey' }],
        schema: defineOrderUpdate(definition),
      });
      const { url: baseUrl, token: orderToken } = service;
      const { results } = await runConformance({ ...given, baseUrl, orderToken });
      checkSame('cases not passed', results.filter(({ verdict }) => verdict !== 'pass').map(tell), []);
      return `${results.length} passed`;
    },
  },
  {
    peer,
    name: 'Prism passes every case but those below, and none of those',
    async run() {
      await using prism = await startPrism(documentWithNames());
      const { results } = await runConformance({ ...given, baseUrl: prism.url, orderToken: 'ord_1' });
      const others = results.filter(({ verdict }) => verdict !== 'pass');
      const unexpected = others.filter(({ id }) => !Object.hasOwn(beyondMock, id));
      checkSame('cases not passed', unexpected.map(tell), []);
      checkSame(
        'cases that no mock can pass',
        others.map(({ id }) => id).sort(),
        Object.keys(beyondMock).sort(),
      );
      check(
        others.every(({ verdict }) => verdict !== 'skipped'),
        'a case was skipped',
      );
      return `${results.length - others.length} of ${results.length} passed`;
    },
  },
  ...Object.entries(beyondMock).map(([id, why]) => ({
    peer,
    name: `Prism: ${id}`,
    skipped: `a mock cannot: ${why}`,
  })),
];

/** Our OpenAPI document with names for what it leaves unnamed. */
function documentWithNames(): object {
  const document = readOpenApi();
  const { $schema: _dialect, ...schema } = toJsonSchema(defineOrderUpdate(definition));
  document.components.schemas.OrderUpdate = schema;
  return document;
}

function tell({ id, verdict, reason = '' }: ConformanceResult): string {
  return `${id} ${verdict} ${reason}`.trim();
}
