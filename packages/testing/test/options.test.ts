import { expect, expectTypeOf, test } from 'vitest';
import type { OrderUpdatesOptions } from '../src/arbitraries.ts';
import {
  type ConformanceOptions,
  type FormatConformanceOptions,
  formatConformance,
  runConformance,
} from '../src/conformance.ts';
import {
  type FaultFilter,
  type MockOrderServiceOptions,
  type MockResponses,
  type NextOptions,
  type RequestFilter,
  type SeedOrder,
  type ServiceKey,
  type SometimesOptions,
  startMockOrderService,
  type WebhookOptions,
  type WebhookSendOptions,
} from '../src/index.ts';
import { send } from './send.ts';

/** What may be left out, as it is after `{ port: env.PORT }` and the like. */
type Undefined<Options> = {
  readonly [Name in keyof Options as Record<never, never> extends Pick<Options, Name>
    ? Name
    : never]-?: undefined;
};

test('every option that may be left out may be undefined', () => {
  expectTypeOf<Undefined<MockOrderServiceOptions>>().toExtend<MockOrderServiceOptions>();
  expectTypeOf<Undefined<MockResponses>>().toExtend<MockResponses>();
  expectTypeOf<Undefined<SeedOrder>>().toExtend<SeedOrder>();
  expectTypeOf<Undefined<ServiceKey>>().toExtend<Partial<ServiceKey>>();
  expectTypeOf<Undefined<RequestFilter>>().toExtend<RequestFilter>();
  expectTypeOf<Undefined<FaultFilter>>().toExtend<FaultFilter>();
  expectTypeOf<Undefined<NextOptions>>().toExtend<NextOptions>();
  expectTypeOf<Undefined<SometimesOptions>>().toExtend<Partial<SometimesOptions>>();
  expectTypeOf<Undefined<WebhookOptions>>().toExtend<WebhookOptions>();
  expectTypeOf<Undefined<WebhookSendOptions>>().toExtend<WebhookSendOptions>();
  expectTypeOf<Undefined<ConformanceOptions>>().toExtend<Partial<ConformanceOptions>>();
  expectTypeOf<Undefined<FormatConformanceOptions>>().toExtend<FormatConformanceOptions>();
  expectTypeOf<Undefined<OrderUpdatesOptions>>().toExtend<OrderUpdatesOptions>();
});

const service: Undefined<MockOrderServiceOptions> = {
  port: undefined,
  host: undefined,
  keys: undefined,
  orders: undefined,
  schema: undefined,
  responses: undefined,
  maxBodyBytes: undefined,
  latencyMs: undefined,
  faults: undefined,
  webhooks: undefined,
  admin: undefined,
  historyLimit: undefined,
  now: undefined,
  onRequest: undefined,
};
const conformance: Undefined<ConformanceOptions> = {
  orderToken: undefined,
  disposable: undefined,
  otherTypeKey: undefined,
  names: undefined,
  currency: undefined,
  shippingAddress: undefined,
  only: undefined,
  skip: undefined,
  timeoutMs: undefined,
  signal: undefined,
  onResult: undefined,
  fetch: undefined,
  allowInsecureHttp: undefined,
};

test('an option that is undefined has its default', async () => {
  await using mock = await startMockOrderService(service);
  expect((await send(mock)).status).toBe(200);
  const nothing = { token: undefined, sessionId: undefined, fields: undefined, id: undefined };
  const delivery = await mock.webhooks.send('paid', { ...nothing, url: `${mock.url}/hooks` });
  expect([delivery.token, delivery.status]).toEqual([mock.token, 404]);
  const report = await runConformance({ baseUrl: mock.url, apiKey: mock.key, ...conformance });
  expect(report.counts.fail).toBe(0);
  expect(formatConformance(report, { stream: undefined })).toMatch(/\d+ pass/);
});
