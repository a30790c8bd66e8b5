import { answerControl, type ControlRequest } from '../src/control/answer-control.ts';
import type { ControlSources } from '../src/control/control-route.ts';
import { createFaultSource } from '../src/service/faults/fault-script.ts';
import type { JournalEntry } from '../src/service/journal.ts';
import type { LedgerEntry } from '../src/service/order-book.ts';
import { createWebhooks } from '../src/webhooks/webhooks.ts';

/** Sources of a service with one order, `ord_1`, whose webhooks go to the given URL and are tried once. */
export function buildSources(
  given: Partial<ControlSources> & { readonly webhookUrl?: string } = {},
): ControlSources {
  const { webhookUrl, ...sources } = given;
  const data = webhookUrl === undefined ? {} : { hooks: { webhook_url: webhookUrl } };
  const orders = [{ token: 'ord_1', data, revision: 0 }];
  const { signal } = new AbortController();
  const find = (token: string) => orders.find((order) => order.token === token);
  return {
    faults: createFaultSource([]).script,
    orders,
    ledger: [],
    journal: [],
    webhooks: createWebhooks({ token: 'ord_1', find, now: () => 7, signal }, { maxAttempts: 1 }),
    reset: () => {},
    ...sources,
  };
}

export function buildLedgerEntry(number: number, token = 'ord_1'): LedgerEntry {
  return { requestId: `req_${number}`, token, body: { cart: {} }, at: number, revision: number };
}

export function buildJournalEntry(number: number, body: Buffer): JournalEntry {
  return {
    requestId: `req_${number}`,
    at: number,
    method: 'PATCH',
    path: '/v2/orders/ord_1',
    operation: 'update',
    token: 'ord_1',
    headers: { authorization: '[redacted]' },
    authorization: { scheme: 'basic', keyIndex: 0, keyType: 'SalesChannelApiKey' },
    fault: undefined,
    body,
    complete: true,
    status: 200,
    answeredAt: number,
  };
}

export interface ControlAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where there is no body. */
  readonly json: unknown;
}

/** Asks the control API without a socket; the body is sent as JSON unless it is text. */
export async function control(
  sources: ControlSources,
  line: string,
  sent: { readonly body?: unknown; readonly headers?: ControlRequest['headers'] } = {},
): Promise<ControlAnswer> {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query] = target.split('?');
  const { body = '', headers = {} } = sent;
  const {
    status,
    headers: answered,
    body: text,
  } = await answerControl(
    {
      method,
      path,
      ...(query === undefined ? {} : { query }),
      headers: { host: '127.0.0.1:4010', 'content-type': 'application/json', ...headers },
      body: Buffer.isBuffer(body)
        ? body
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    },
    sources,
  );
  return { status, headers: answered, json: text === '' ? undefined : JSON.parse(text) };
}
