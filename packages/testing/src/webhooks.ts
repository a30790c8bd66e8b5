import { randomBytes } from 'node:crypto';
import { lookup as lookupName } from 'node:dns';
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { explain, type OrderUpdate, WebhookEvent } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { z } from 'zod';
import { parseWith } from './mock/fault.ts';
import type { History } from './mock/history.ts';

/** What an event says, before it becomes a body. */
export interface WebhookContent {
  readonly id: string;
  /** The event's name, such as `start_qr_session`. */
  readonly event: string;
  /** The order's. */
  readonly token: string;
  /** Always set for `start_qr_session`, which carries one. */
  readonly sessionId: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

type SignatureHeaders = Readonly<Record<string, string>>;

/** How webhooks are sent. */
export interface WebhookOptions {
  /**
   * Makes the body, a plain object of JSON; the API does not document its form.
   *
   * @default `{ id, event, order_token, session_id, ...fields }`
   */
  readonly payload?: ((content: WebhookContent) => object) | undefined;
  /** Returns headers to add, such as a signature of the body; called for each delivery, never recorded. @default none */
  readonly sign?: ((body: string) => SignatureHeaders | Promise<SignatureHeaders>) | undefined;
  /** How long a delivery may take, in milliseconds, up to the end of the response; `sign` has as long. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /** Whether webhooks may be sent to other machines. @default false */
  readonly allowRemoteHosts?: boolean | undefined;
}

/** What an event says, and where it is sent. */
export interface WebhookSendOptions {
  /** The order. @default the service's first order */
  readonly token?: string | undefined;
  /** @default random for `start_qr_session`, otherwise none */
  readonly sessionId?: string | undefined;
  /** More fields of the body: plain JSON values. @default {} */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** An absolute http or https URL. @default the order's `hooks.webhook_url` */
  readonly url?: string | undefined;
  /** At most 255 characters. @default random */
  readonly id?: string | undefined;
}

/** A webhook that was sent, or failed to be; frozen. */
export interface WebhookDelivery {
  /** The event's; a replay has the id of what it repeats. */
  readonly id: string;
  readonly event: string;
  /** The order's. */
  readonly token: string;
  /** Without user name and password. */
  readonly url: string;
  /** The body sent, byte for byte: JSON in UTF-8. */
  readonly body: string;
  /** When it started: milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  readonly durationMs: number;
  /** The status of the response, once its headers arrived. */
  readonly status?: number;
  /**
   * Why there is no status: `timeout`, `service_closed` (also while `sign` runs), or the code of Node's error, such as
   * `ECONNREFUSED`.
   */
  readonly error?: string;
  /** Whether the status is 2xx. */
  readonly delivered: boolean;
}

/** Sends webhooks on command: the API does not document which operation emits which event. */
export interface Webhooks {
  /** Every delivery, in the order in which they ended; grows as the service runs. */
  readonly sent: readonly WebhookDelivery[];
  /**
   * Sends an event, such as `start_qr_session`, once: redirects are not followed, nothing is retried. Whatever the
   * receiver does is in the delivery, never an error.
   *
   * @throws {TypeError} When it cannot be sent: unknown token, no `webhook_url`, a URL of another machine without
   * `allowRemoteHosts`, a payload that is not JSON, an id in `sent` or being sent, a `sign` that throws.
   */
  send(event: string, options?: WebhookSendOptions): Promise<WebhookDelivery>;
  /** Sends the same bytes to the same URL again, signed anew. @throws {TypeError} Also when no such id is in `sent`. */
  replay(id: string): Promise<WebhookDelivery>;
  /** Empties `sent`. */
  clear(): void;
}

/** What webhooks need of the service that sends them. */
export interface WebhookContext {
  /** The order that is meant when none is named. */
  readonly defaultToken: string;
  find(token: string): { readonly data: Readonly<Partial<OrderUpdate>> } | undefined;
  now(): number;
  /** Aborts when the service closes. */
  readonly signal: AbortSignal;
  /** Keeps the deliveries of `sent`. */
  readonly history: History<WebhookDelivery>;
  /** @default the `lookup` of `node:dns` */
  readonly lookup?: LookupFunction;
}

const name = z.string().min(1).max(255);
const SendSchema = z.object({
  event: name,
  token: z.string().optional(),
  sessionId: name.optional(),
  fields: z.optional(WebhookEvent),
  url: z.string().optional(),
  id: name.optional(),
});
const callback = z.custom((value) => typeof value === 'function', 'Expected a function').optional();
const OptionsSchema = z.object({
  payload: callback,
  sign: callback,
  timeoutMs: z.int().min(1).max(3_600_000).optional(),
  allowRemoteHosts: z.boolean().optional(),
});

/** Throws a `TypeError` for options that cannot be used. */
export function createWebhooks(context: WebhookContext, options: WebhookOptions = {}): Webhooks {
  checkOptions('webhooks', options, Object.keys(OptionsSchema.shape));
  parseWith(OptionsSchema, options, 'webhooks');
  const {
    payload = defaultPayload,
    sign = () => ({}),
    timeoutMs = 5_000,
    allowRemoteHosts = false,
  } = options;
  const { defaultToken, history, signal } = context;
  const { entries: sent } = history;
  const lookup = allowRemoteHosts ? (context.lookup ?? lookupName) : loopbackLookup(context.lookup);
  const pendingIds = new Set<string>();
  /** Each with its user name and password. */
  const targets = new WeakMap<WebhookDelivery, URL>();

  const deliver = async (
    target: URL,
    described: Pick<WebhookDelivery, 'id' | 'event' | 'token' | 'body'>,
  ): Promise<WebhookDelivery> => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // Node connects to an address without a lookup.
    if (!allowRemoteHosts && isIP(host) !== 0 && !isLoopbackAddress(host)) throw remoteHostError(host);
    const { body } = described;
    const signature = await signBody(sign, body, { timeoutMs, signal });
    const headers = { 'content-type': 'application/json', ...signature };
    const at = context.now();
    const result = await post(target, body, { headers, lookup, timeoutMs, signal });
    if (result.error === 'remote_host') throw remoteHostError(host);
    const { status = 0 } = result;
    const delivery: WebhookDelivery = Object.freeze({
      ...described,
      url: target.href.replace(/\/\/[^/]*@/, '//'),
      at,
      durationMs: context.now() - at,
      ...result,
      delivered: status >= 200 && status < 300,
    });
    targets.set(delivery, target);
    history.add(delivery);
    return delivery;
  };

  return {
    sent,
    async send(event, sendOptions = {}) {
      checkOptions('webhooks.send', sendOptions, Object.keys(SendSchema.shape));
      const given = parseWith(SendSchema, { ...sendOptions, event }, 'webhooks.send');
      const { id = randomId('evt'), token = defaultToken, fields = {} } = given;
      const order = context.find(token);
      if (order === undefined) throw new TypeError('webhooks.send: no order has this token; see the orders.');
      const target = parseTarget(given.url ?? order.data.hooks?.webhook_url ?? '');
      if (pendingIds.has(id) || sent.some((delivery) => delivery.id === id))
        throw new TypeError(`The id ${JSON.stringify(id)} was used before; replay(id) sends it again.`);
      const sessionId = given.sessionId ?? (event === 'start_qr_session' ? randomId('qr') : undefined);
      const body = toJson(payload({ id, event, token, sessionId, fields }));
      pendingIds.add(id);
      return await deliver(target, { id, event, token, body }).finally(() => pendingIds.delete(id));
    },
    async replay(id) {
      const earlier = sent.findLast((delivery) => delivery.id === id);
      const target = earlier && targets.get(earlier);
      if (!target) throw new TypeError('No event of this id was sent; take one from webhooks.sent.');
      const { event, token, body } = earlier;
      return await deliver(target, { id, event, token, body });
    },
    clear: history.clear,
  };
}

function defaultPayload({ id, event, token, sessionId, fields }: WebhookContent): object {
  return { id, event, order_token: token, ...(sessionId && { session_id: sessionId }), ...fields };
}

function parseTarget(url: string): URL {
  const target = URL.parse(url);
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
    throw new TypeError(
      'webhooks.send: no absolute http or https URL; give a url, or send an update with hooks.webhook_url.',
    );
  }
  try {
    // Node sends them decoded.
    decodeURIComponent(target.username);
    decodeURIComponent(target.password);
  } catch {
    throw new TypeError('webhooks.send: url: its user name or password cannot be decoded; write % as %25.');
  }
  return target;
}

function toJson(payload: object): string {
  const { data, error } = WebhookEvent.safeParse(payload);
  if (error === undefined) return JSON.stringify(data);
  const [{ path = '', message = '', hint = '' } = {}] = explain(error);
  throw new TypeError(`payload: ${path && `${path}: `}${message}. ${hint}`);
}

function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

const connectionHeaders =
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' ');

async function signBody(
  sign: NonNullable<WebhookOptions['sign']>,
  body: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<SignatureHeaders> {
  const late = () => delay(timeoutMs, undefined, { ref: false, signal }).then(() => Promise.reject());
  let headers: Headers;
  try {
    headers = new Headers(await Promise.race([sign(body), late()]));
  } catch {
    // What is sent after the abort ends as `service_closed`.
    if (signal.aborted) return {};
    throw new TypeError(
      `webhooks: sign threw, returned no headers, or took longer than ${timeoutMs} ms. Its error is left out, since it may hold a secret; catch it in sign.`,
    );
  }
  const own = connectionHeaders.find((header) => headers.has(header));
  if (own !== undefined)
    throw new TypeError(`webhooks: sign may not set ${own}, which belongs to the connection.`);
  return Object.fromEntries(headers);
}

/** How much of a response is read. */
const maxResponseBytes = 65_536;

type PostResult = Pick<WebhookDelivery, 'status' | 'error'>;

function post(
  url: URL,
  body: string,
  { timeoutMs, ...options }: RequestOptions & { readonly timeoutMs: number },
): Promise<PostResult> {
  return new Promise((resolve) => {
    let result: PostResult = { error: 'ECONNRESET' };
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    // Without an agent, the connection closes after the response, and no proxy of the environment is used.
    const settings = { ...options, method: 'POST', agent: false, autoSelectFamily: true };
    const outgoing = request(url, settings, (incoming) => {
      result = { status: incoming.statusCode ?? 0 };
      let size = 0;
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxResponseBytes) outgoing.destroy();
      });
    });
    const timer = setTimeout(() => outgoing.destroy(errorWith('timeout')), timeoutMs);
    outgoing.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      if (result.status === undefined) result = { error: code === 'ABORT_ERR' ? 'service_closed' : code };
    });
    outgoing.on('close', () => {
      clearTimeout(timer);
      resolve(result);
    });
    outgoing.end(body);
  });
}

/** Whether an IP address is one of this machine alone: `127.0.0.0/8` or `::1`, mapped into IPv6 or not. */
export function isLoopbackAddress(address: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return isIP(address) !== 0 && loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Fails unless all addresses are loopback; the connection is made to the addresses checked here, so none can change. */
function loopbackLookup(lookup: LookupFunction = lookupName): LookupFunction {
  return (host, options, callback) => {
    lookup(host, options, (error, found) => {
      // With an error, `dns.lookup` leaves `found` out.
      const addresses = Array.isArray(found) ? found : [];
      const isLoopback = addresses.length > 0 && addresses.every(({ address }) => isLoopbackAddress(address));
      callback(error ?? (isLoopback ? null : errorWith('remote_host')), addresses);
    });
  };
}

function remoteHostError(host: string): TypeError {
  return new TypeError(
    `${host} is not a loopback address; set webhooks.allowRemoteHosts to send to other machines.`,
  );
}

function errorWith(code: string): Error {
  return Object.assign(new Error(code), { code });
}
