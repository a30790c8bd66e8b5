import { defineOrderUpdate } from '@orders/schema';
import { toJsonSchema } from '@orders/schema/json-schema';
import openApi from '@orders/schema/openapi.json' with { type: 'json' };
import { runConformance } from '@orders/testing/conformance';
import { expect, test } from 'vitest';
import { definition } from '../../../packages/schema/test/bodies.ts';
import { writeGenerated } from './openapi.ts';
import { startPrism } from './prism.ts';
import { apiKey, otherKey, startService } from './service.ts';

const { currencies: _, ...names } = definition;
const schema = defineOrderUpdate(names);

/** All that the API reference leaves out, so that no case is skipped. */
const options = {
  apiKey,
  otherTypeKey: otherKey,
  orderToken: 'ord_1',
  names,
  disposable: true,
  currency: 'NOK',
  shippingAddress: { city: 'Oslo' },
  // Prism never responds to a body that is not JSON.
  timeoutMs: 2_000,
};

/** A mock of a document knows no keys and no orders, and checks the scheme of `Authorization` alone. */
const beyondPrism = [
  'echo-refuses-key-as-password',
  'echo-refuses-unknown-key',
  'refuses-body-not-json',
  'update-refuses-order-id-as-token',
  'update-refuses-other-key-type',
  'update-refuses-unknown-key',
  'update-refuses-unknown-token',
];

test('the mock order service passes every case of the conformance suite', async () => {
  await using service = await startService({ schema });
  const { results } = await runConformance({ ...options, baseUrl: service.url });
  expect(results).not.toEqual([]);
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
});

test('Prism passes every case of the conformance suite but those that a mock cannot', async () => {
  const { $schema: _dialect, ...OrderUpdate } = toJsonSchema(schema);
  const document = { ...openApi, components: { ...openApi.components, schemas: { OrderUpdate } } };
  await using prism = await startPrism(writeGenerated('conformance.json', JSON.stringify(document)));
  const { results } = await runConformance({ ...options, baseUrl: prism.url });
  const others = results.filter(({ verdict }) => verdict !== 'pass');
  expect(others.map(({ id }) => id).sort()).toEqual(beyondPrism);
  expect(others.map(({ verdict }) => verdict)).not.toContain('skipped');
});
