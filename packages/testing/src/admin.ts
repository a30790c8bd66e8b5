import { isUtf8 } from 'node:buffer';
import type { RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { WebhookEvent } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { parseWith } from './mock/fault.ts';
import { type FaultRule, type FaultScript, readFaultRule } from './mock/fault-script.ts';
import type { History } from './mock/history.ts';
import { type JournalEntry, RequestFilterSchema } from './mock/journal.ts';
import { isJsonContentType, type ReceivedBody, readBody } from './mock/request.ts';
import { isLoopbackAddress, type Webhooks } from './webhooks.ts';

/** What the admin API shows and changes; a `MockOrderService` is one. */
export interface AdminSource {
  readonly faults: FaultScript;
  readonly orders: readonly object[];
  readonly webhooks: Webhooks;
  order(token: string): object | undefined;
  addOrder(order: { readonly token?: string | undefined; readonly data?: object | undefined }): string;
  reset(): void;
}

/** Who may use the admin API. */
export interface AdminAccess {
  /** What the service keeps, by positions that do not change when old entries are dropped. */
  readonly histories: {
    readonly ledger: Paged<object>;
    readonly requests: Paged<JournalEntry>;
    readonly played: Paged<object>;
    readonly webhooks: Paged<object>;
  };
  acceptsKey(authorization: string | undefined): boolean;
  /** Whether the service listens on loopback only. */
  readonly isLoopback: boolean;
}

/** A list whose first entries may have been dropped. */
type Paged<Entry> = Pick<History<Entry>, 'entries' | 'dropped'>;

/** The `code` of an error of the admin API; a code never changes its meaning. */
export type AdminErrorCode =
  | 'key_unknown'
  | 'origin_refused'
  | 'host_refused'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'media_type_unsupported'
  | 'body_too_large'
  | 'body_not_json'
  | 'request_refused'
  | 'order_exists'
  | 'order_not_found'
  | 'webhook_not_found'
  | 'admin_failed';

/** The body of every error of the admin API. */
export interface AdminErrorBody {
  readonly error: {
    readonly code: AdminErrorCode;
    /** What to send instead. */
    readonly message: string;
  };
}

interface AdminEnv {
  Bindings: HttpBindings;
  /** The JSON of a POST; undefined when its body is empty. */
  Variables: { body: unknown };
}

const prefix = '/__admin';
const maxBodyBytes = 1_048_576;
/** How many faults one request may add, since each takes memory. */
const maxFaults = 50_000;
const maxEntries = 1_000;
/** In characters of JSON. */
const maxPageLength = 16_777_216;

const OrderBody = z.strictObject({
  token: z.string().optional(),
  // Any object of JSON, but not so deep that it could not be sent back.
  data: z.optional(WebhookEvent),
});
const { shape: requestFilters } = RequestFilterSchema.extend({
  // A query is text.
  status: z.coerce.number().pipe(RequestFilterSchema.shape.status.unwrap()).optional(),
});
const WebhookBody = z.looseObject({ event: z.string() });

/** Serves the admin API at `/__admin`. */
export function createAdminHandler(source: AdminSource, access: AdminAccess): RequestListener {
  const { faults, webhooks } = source;
  const { histories } = access;
  const app = new Hono<AdminEnv>({ strict: false }).basePath(prefix);

  app.use(async (c, next) => {
    c.header('cache-control', 'no-store');
    c.header('x-content-type-options', 'nosniff');
    return refuseAccess(c, access) ?? (await next());
  });
  app.post('*', async (c, next) => {
    const { incoming } = c.env;
    const type = c.req.header('content-type');
    const { bytes, end } = await new Promise<ReceivedBody>((resolve) =>
      readBody(incoming, maxBodyBytes, resolve),
    );
    if (end === 'cut') return refuse(c, 400, 'body_not_json', 'Send the whole body.');
    if (end === 'too_large') return refuse(c, 413, 'body_too_large', `Send at most ${maxBodyBytes} bytes.`);
    // A page of another site can post a form, but no JSON without the consent of the service (CORS).
    if ((type !== undefined || bytes.length > 0) && !isJsonContentType(type))
      return refuse(c, 415, 'media_type_unsupported', 'Send Content-Type: application/json, in UTF-8.');
    try {
      if (!isUtf8(bytes)) throw new SyntaxError();
      c.set('body', bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8')));
    } catch {
      return refuse(c, 400, 'body_not_json', 'Send JSON in UTF-8.');
    }
    return await next();
  });

  app.get('/faults', (c) => {
    const { waiting } = faults;
    const page = listPage(c, histories.played);
    return c.json({ waiting: waiting.slice(0, maxEntries), waitingCount: waiting.length, ...page });
  });
  app.post('/faults', (c) => {
    const rules = readFaultRules(c.get('body'));
    const add = () => {
      for (const rule of rules) faults.add(rule);
    };
    // A service that stops listening ends this connection, too, so the response leaves first.
    if (rules.some(stopsListening)) c.env.outgoing.once('finish', add);
    else add();
    return c.json({ added: rules.length });
  });
  app.delete('/faults', (c) => {
    faults.clear();
    return c.body(null, 204);
  });
  app.get('/orders', (c) => c.json(listPage(c, { entries: source.orders, dropped: 0 })));
  app.post('/orders', (c) => {
    const body = c.get('body') ?? {};
    checkOptions('order', body, Object.keys(OrderBody.shape));
    const order = parseWith(OrderBody, body, 'order');
    if (order.token !== undefined && source.order(order.token) !== undefined)
      return refuse(c, 409, 'order_exists', 'An order has this token: give another, or none.');
    return c.json(source.order(source.addOrder(order)), 201);
  });
  app.get('/orders/:token', (c) => {
    const order = source.order(c.req.param('token'));
    if (order !== undefined) return c.json(order);
    return refuse(c, 404, 'order_not_found', `GET ${prefix}/orders lists the orders.`);
  });
  app.get('/requests', (c) => c.json(listPage(c, histories.requests, requestFilters, bodyAsText)));
  app.get('/ledger', (c) => c.json(listPage(c, histories.ledger, { token: requestFilters.token })));
  app.get('/webhooks', (c) => c.json(listPage(c, histories.webhooks)));
  app.post('/webhooks', async (c) => {
    const { event, ...options } = parseWith(WebhookBody, c.get('body'), 'webhook');
    return c.json(await webhooks.send(event, options));
  });
  app.post('/webhooks/:id/replay', async (c) => {
    const id = c.req.param('id');
    if (webhooks.sent.some((delivery) => delivery.id === id)) return c.json(await webhooks.replay(id));
    return refuse(c, 404, 'webhook_not_found', `GET ${prefix}/webhooks lists those sent.`);
  });
  app.post('/reset', (c) => {
    source.reset();
    return c.body(null, 204);
  });
  app.get('/', (c) => c.json({ routes: routes.map(({ method, path }) => `${method} ${path}`) }));

  const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'));
  for (const { path } of routes) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    const allow = methods.join(', ').replace('GET', 'GET, HEAD');
    app.all(path.slice(prefix.length) || '/', (c) => {
      c.header('allow', allow);
      return refuse(c, 405, 'method_not_allowed', `This route takes ${allow}.`);
    });
  }
  app.notFound((c) => refuse(c, 404, 'route_not_found', `GET ${prefix} lists the routes.`));
  app.onError((error, c) => {
    // A `TypeError` of the service says what to write instead.
    if (error instanceof TypeError) return refuse(c, 422, 'request_refused', error.message);
    const message = `The service or one of its callbacks threw. POST ${prefix}/reset restores the start.`;
    return refuse(c, 500, 'admin_failed', message);
  });
  const listener = getRequestListener(app.fetch, { hostname: 'localhost', overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}

type ErrorStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 500;

function refuse(c: Context, status: ErrorStatus, code: AdminErrorCode, message: string): Response {
  const body: AdminErrorBody = { error: { code, message } };
  return c.json(body, status);
}

function refuseAccess(c: Context, { acceptsKey, isLoopback }: AdminAccess): Response | undefined {
  const { authorization, origin, host = '' } = c.req.header();
  if (!acceptsKey(authorization)) {
    c.header('www-authenticate', 'Basic realm="orders", charset="UTF-8"');
    return refuse(c, 401, 'key_unknown', 'Send a key of the service by HTTP Basic, as the user name.');
  }
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return refuse(c, 403, 'origin_refused', 'Call the admin API from a program, not from a page.');
  // Another site can point a name of its own at this machine (DNS rebinding), but no address.
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (isLoopback && name !== 'localhost' && !isLoopbackAddress(name))
    return refuse(c, 403, 'host_refused', 'Call the service as localhost, or by its address.');
  return undefined;
}

function stopsListening(rule: unknown): boolean {
  return readFaultRule(rule).faults.some(({ type }) => type === 'connection_refused');
}

/** Checks a rule or an array of rules before any is added. */
function readFaultRules(body: unknown): readonly FaultRule[] {
  const rules: readonly unknown[] = Array.isArray(body) ? body : [body];
  let count = 0;
  for (const [index, rule] of rules.entries()) {
    try {
      const { when, faults, times, probability } = readFaultRule(rule);
      // Nothing could end it over HTTP.
      const isForEver = when !== 'next' && probability === 1;
      const locking = faults.find(({ type }) => type === 'connection_refused' || type === 'reset_on_accept');
      if (isForEver && locking)
        throw new TypeError(
          `${when}: ${locking.type} would stop this API, too; use next, or a lower probability.`,
        );
      count += faults.length * times;
    } catch (error) {
      const place = Array.isArray(body) ? `rules[${index}]: ` : '';
      throw new TypeError(place + (error as Error).message);
    }
  }
  if (count > 0 && count <= maxFaults) return rules as readonly FaultRule[];
  throw new TypeError(`These are ${count} faults: give 1 to ${maxFaults}, or use "always".`);
}

/**
 * The entries after the position `after` of the query whose fields equal its filters. `next` is the `after` of the next
 * page; without entries, there is none yet. Positions start at 0 with the service, and again when it is reset.
 */
function listPage<Entry extends object>(
  c: Context,
  { entries: list, dropped }: Paged<Entry>,
  filters: Readonly<Record<string, z.ZodType>> = {},
  show: (entry: Entry) => object = (entry) => entry,
) {
  const query = c.req.query();
  checkOptions('query', query, ['after', 'limit', ...Object.keys(filters)]);
  for (const [name, { length }] of Object.entries(c.req.queries()))
    if (length > 1) throw new TypeError(`query: "${name}" is given twice.`);
  const { after, limit, ...wanted } = parseWith(
    z.object({
      ...filters,
      after: z.coerce
        .number()
        .int()
        .min(0)
        .max(dropped + list.length, 'there is no such position; after a reset, start at 0')
        .default(0),
      limit: z.coerce.number().int().min(1).max(maxEntries).default(maxEntries),
    }),
    query,
    'query',
  );
  const entries: object[] = [];
  let length = 0;
  let next = Math.max(after, dropped);
  for (const entry of list.slice(next - dropped)) {
    if (Object.entries(wanted).every(([name, value]) => entry[name as keyof Entry] === value)) {
      const shown = show(entry);
      length += JSON.stringify(shown).length;
      if (entries.length === limit || (entries.length > 0 && length > maxPageLength)) break;
      entries.push(shown);
    }
    next += 1;
  }
  return { entries, next };
}

function bodyAsText({ body, ...entry }: JournalEntry): object {
  return isUtf8(body)
    ? { ...entry, body: body.toString('utf8') }
    : { ...entry, bodyBase64: body.toString('base64') };
}
