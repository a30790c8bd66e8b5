import type { IncomingMessage, ServerResponse } from 'node:http';
import { insideTestLimitMs } from '../../../../.ci/limits.ts';
import type { ConformanceOptions } from '../../src/conformance.ts';
import { AMOUNTS, documentRules, inventedRules, METADATA, parseRequest, QR_SESSION } from './rules.ts';
import { startServer } from './servers.ts';

/** The mistakes that the service can make, each under the case that fails for it. */
export const mistakes: readonly string[] = [
  ...Object.keys(documentRules),
  ...Object.keys(inventedRules),
  'update-response-json-media-type',
  'update-response-json-text',
];

export interface IndependentService extends AsyncDisposable {
  /** Every option that a case needs. */
  readonly options: ConformanceOptions;
}

const KEY = 'independent-sales-key';
const OTHER_KEY = 'independent-report-key';
const TOKEN = 'ord_independent';

/** A service that shares no code with the mock, and makes at most one mistake. */
export async function startIndependentService(mistake?: string): Promise<IndependentService> {
  const rules = [
    ...Object.entries(documentRules).filter(([id]) => id !== mistake),
    ...Object.entries(inventedRules).filter(([id]) => id === mistake),
  ];
  const keys = { [KEY]: 'SalesChannelApiKey', [OTHER_KEY]: 'ReportApiKey' };
  const orderIds = new Set<string>();
  let echoes = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const parsed = await parseRequest(request, { keys, token: TOKEN, orderIds, echoes });
    if (parsed === undefined) return response.writeHead(404).end();
    if (parsed.operation === 'echo' && parsed.keyType === 'SalesChannelApiKey') echoes += 1;
    const broken = rules.find(([, breaks]) => breaks(parsed))?.[0];
    if (broken !== undefined) return response.writeHead(422).end(`Against the rule of ${broken}.`);
    if (parsed.operation === 'echo') return response.writeHead(204).end();
    const orderId = parsed.order?.['order_id'];
    if (typeof orderId === 'string') orderIds.add(orderId);
    const mediaType = mistake === 'update-response-json-media-type' ? 'text/html' : 'Application/JSON; v=2';
    const body = mistake === 'update-response-json-text' ? '{"taken":' : '{"taken":true}';
    return response.writeHead(201, { 'content-type': mediaType }).end(body);
  };

  const server = await startServer((request, response) => void serve(request, response));
  return {
    options: {
      baseUrl: server.url,
      apiKey: KEY,
      otherTypeKey: OTHER_KEY,
      orderToken: TOKEN,
      disposable: true,
      names: {
        metadata: METADATA,
        totalAmount: AMOUNTS.total,
        vatAmount: AMOUNTS.vat,
        qrSessionId: QR_SESSION,
      },
      currency: 'EUR',
      shippingAddress: { city: 'Oslo' },
      timeoutMs: insideTestLimitMs,
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
