import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConformanceOptions } from '../../src/conformance.ts';
import { readArrived } from './arrived.ts';
import { AMOUNTS, documentRules, METADATA, QR_SESSION } from './document-rules.ts';
import { inventedRules } from './invented-rules.ts';

/** The ways in which the service can be wrong, each named for the case that should find it. */
export const mistakes: readonly string[] = [
  ...Object.keys(documentRules),
  ...Object.keys(inventedRules),
  'update-answers-json-media-type',
  'update-answers-json-text',
];

export interface IndependentService extends AsyncDisposable {
  /** All that a run can be given. */
  readonly options: ConformanceOptions;
}

const KEY = 'independent-sales-key';
const OTHER_KEY = 'independent-report-key';
const TOKEN = 'ord_independent';

/** A service that shares no code with ours; with a mistake it is wrong in that one way. */
export async function startIndependentService(mistake?: string): Promise<IndependentService> {
  const rules = [
    ...Object.entries(documentRules).filter(([id]) => id !== mistake),
    ...Object.entries(inventedRules).filter(([id]) => id === mistake),
  ];
  const keys = { [KEY]: 'SalesChannelApiKey', [OTHER_KEY]: 'ReportApiKey' };
  const orderIds = new Set<string>();
  let echoes = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const arrived = await readArrived(request, { keys, token: TOKEN, orderIds, echoes });
    if (arrived === undefined) return response.writeHead(404).end();
    const broken = rules.find(([, breaks]) => breaks(arrived))?.[0];
    if (broken !== undefined) return response.writeHead(422).end(`It breaks ${broken}.`);
    if (arrived.operation === 'echo') {
      echoes += 1;
      return response.writeHead(204).end();
    }
    const orderId = arrived.order?.['order_id'];
    if (typeof orderId === 'string') orderIds.add(orderId);
    const mediaType = mistake === 'update-answers-json-media-type' ? 'text/html' : 'Application/JSON; v=2';
    const body = mistake === 'update-answers-json-text' ? '{"taken":' : '{"taken":true}';
    return response.writeHead(201, { 'content-type': mediaType }).end(body);
  };

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    options: {
      baseUrl: `http://127.0.0.1:${port}`,
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
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
