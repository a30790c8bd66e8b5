import { defineOrderUpdate } from '@orders/schema';
import { type ConformanceOptions, conformanceCases } from '../../src/conformance.ts';
import { startOrderService } from '../../src/index.ts';

export const KEY = 'own-sales-key';
export const OTHER_KEY = 'own-report-key';

const names = {
  metadata: ['meta_1', 'meta_2'],
  totalAmount: 'total',
  vatAmount: 'vat',
  qrSessionId: 'qr_session',
} as const;

/** Our service, and all that a run against it can be given. */
export async function startOwnService() {
  const service = await startOrderService({
    keys: { [KEY]: 'SalesChannelApiKey', [OTHER_KEY]: 'ReportApiKey' },
    schema: defineOrderUpdate(names),
  });
  const options: ConformanceOptions = {
    baseUrl: service.url,
    apiKey: KEY,
    otherTypeKey: OTHER_KEY,
    orderToken: service.token,
    disposable: true,
    names,
    currency: 'NOK',
    shippingAddress: { city: 'Oslo', country: 'NO' },
  };
  return { service, options };
}

/** The ids of the cases that need no disposable order. */
export const harmless: readonly string[] = conformanceCases
  .filter(({ changes }) => changes === 'nothing')
  .map(({ id }) => id);
