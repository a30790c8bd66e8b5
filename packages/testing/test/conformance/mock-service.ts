import { defineOrderUpdate } from '@orders/schema';
import { type ConformanceOptions, conformanceCases } from '../../src/conformance.ts';
import { startMockOrderService } from '../../src/index.ts';
import { named } from '../definitions.ts';

export const KEY = 'mock-sales-key';
export const OTHER_KEY = 'mock-report-key';

const { currencies: _, ...names } = named;

/** The mock service, and every option that a case needs. */
export async function startMockService() {
  const service = await startMockOrderService({
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

/** The ids of the cases that run without a disposable order. */
export const harmless: readonly string[] = conformanceCases
  .filter(({ needs }) => !needs.includes('orderToken'))
  .map(({ id }) => id);
