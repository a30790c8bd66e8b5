import { Readable } from 'node:stream';
import { request } from 'undici';
import type { MockOrderService } from '../src/index.ts';

export interface Sent {
  readonly method?: string;
  /** Sent as given. @default the path of the service's first order */
  readonly path?: string;
  /** Added to the documented headers, or in place of them; `null` removes one. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly key?: string;
  readonly body?: string | Buffer | Readable | object;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Undefined when the text is not JSON. */
  readonly json: unknown;
}

/** Sends a documented update, with what the test changes. */
export async function send(
  service: Pick<MockOrderService, 'url' | 'key' | 'token'>,
  sent: Sent = {},
): Promise<Received> {
  const { method = 'PATCH', path = orderPath(service.token), key = service.key, body = { cart: {} } } = sent;
  const headers = {
    authorization: basic(`${key}:`),
    'content-type': 'application/json',
    accept: 'application/json',
    ...sent.headers,
  };
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable;
  const response = await request(service.url + path, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === null ? [] : (typeof value === 'string' ? [value] : value).flatMap((one) => [name, one]),
    ),
    body: method === 'GET' || method === 'HEAD' ? null : isRaw ? body : JSON.stringify(body),
  });
  const text = await response.body.text();
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    get json() {
      return parseJson(text);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function orderPath(token: string): string {
  return `/v2/orders/${encodeURIComponent(token)}`;
}

export const ECHO_PATH = '/v2/echo_with_private_key';

export function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** The code of an error response. */
export function codeOf({ json }: Received): unknown {
  const { error } = json as { error: { code: string } };
  return error.code;
}
