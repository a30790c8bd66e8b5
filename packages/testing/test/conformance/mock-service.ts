import { defineOrderUpdate } from '@orders/schema';
import { insideTestLimitMs } from '../../../../.ci/limits.ts';
import type { ConformanceOptions } from '../../src/conformance.ts';
import { startMockOrderService } from '../../src/index.ts';

export const KEY = 'mock-sales-key';
export const OTHER_KEY = 'mock-report-key';

/** Every option that a case needs. A busy machine may take longer than the default time limit. */
export const everything = {
  apiKey: KEY,
  otherTypeKey: OTHER_KEY,
  orderToken: 'ord_0123456789',
  disposable: true,
  names: { metadata: ['meta_1', 'meta_2'], totalAmount: 'total', vatAmount: 'vat', qrSessionId: 'qr' },
  currency: 'EUR',
  shippingAddress: {},
  timeoutMs: insideTestLimitMs,
} as const satisfies Omit<ConformanceOptions, 'baseUrl'>;

/** The mock service, with every option that a case needs. */
export async function startMockService() {
  const service = await startMockOrderService({
    keys: { [KEY]: 'SalesChannelApiKey', [OTHER_KEY]: 'ReportApiKey' },
    orders: [everything.orderToken],
    schema: defineOrderUpdate(everything.names),
  });
  return { service, options: { ...everything, baseUrl: service.url } };
}
