import type { createOrdersClient, OrdersClientOptions, OrdersError, UpdateOrderResult } from '@orders/client';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import type { Arrival, Service } from './service.ts';

/** What a case works with: the exports of `@orders/client`, the service, and what it runs in. */
export interface Context {
  readonly createOrdersClient: typeof createOrdersClient;
  readonly OrdersError: typeof OrdersError;
  readonly service: Service;
  /** What this entry sends with in this runtime. */
  readonly transport: 'undici' | 'fetch';
  /** Prints a value in depth, in the runtime's own way. */
  readonly inspect: (value: unknown) => string;
}

type Runtime = 'node' | 'deno' | 'bun' | 'workerd';

/** One promise. It needs no test framework, so that it runs wherever JavaScript does. */
interface Case {
  /** Returns a result, or nothing when the promise holds; rejects when it is broken. */
  readonly run: (context: Context) => Promise<unknown>;
  /**
   * The result over undici.
   * @default 'holds'
   */
  readonly expected?: string;
  /** The result where `fetch` cannot do the same, and why: over any `fetch`, or over that of one runtime. */
  readonly except?: Partial<Record<Runtime | 'fetch', readonly [result: string, reason: string]>> | undefined;
}

/** What a case is to result in, and the reason where `fetch` cannot do the same. */
export function expectedIn(
  { expected = 'holds', except = {} }: Case,
  { runtime, transport }: { readonly runtime: Runtime; readonly transport: Context['transport'] },
): readonly [result: string, reason?: string] {
  return (transport === 'fetch' && (except[runtime] ?? except.fetch)) || [expected];
}

/** Runs a case, which is ended where it hangs; returns its result, or the error as text. */
export async function runCase({ run }: Case, context: Context): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('never settled'), insideTestLimitMs);
  });
  try {
    return String((await Promise.race([run(context), late])) ?? 'holds');
  } catch (error) {
    return String(error instanceof Error ? (error.stack ?? error) : error);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs all cases, one after another; returns their results by name. */
export async function runCases(context: Context): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  for (const [name, each] of Object.entries(cases)) results[name] = await runCase(each, context);
  return results;
}

interface Setting {
  readonly at?: keyof Service;
  readonly options?: Partial<OrdersClientOptions>;
  readonly except?: Case['except'];
}

const apiKey = 'swordfish+/=swordfish';
const token = 'secret_order_token_1234';
const update = {
  cart: { items: [{ type: 'physical', sku: 'MUG', quantity: 2, unit_price: 14_900 }] },
};

/** A client whose service has a fault, and what has arrived of its requests. */
function open(
  { createOrdersClient, service }: Context,
  fault: string,
  { at = 'healthy', options }: Setting = {},
) {
  const id = crypto.randomUUID();
  const arrivals = async () => (await (await fetch(`${service.healthy}/arrived/${id}`)).json()) as Arrival[];
  const orders = createOrdersClient({ baseUrl: `${service[at]}/${fault}/${id}`, apiKey, ...options });
  return { orders, arrivals };
}

/** One update to a service with a fault: its outcome, and how many requests arrived. */
function outcome(fault: string, expected: string, setting: Setting = {}): Case {
  const run = async (context: Context): Promise<string> => {
    const { orders, arrivals } = open(context, fault, setting);
    const result = await orders.safeUpdateOrder(token, update);
    await orders.close();
    return `${describe(result)}, ${(await arrivals()).length} arrived`;
  };
  return { run, expected, except: setting.except };
}

/**
 * One update that a time limit ends. A busy machine may not come as far as the case is about within the limit: what then
 * results is `early`, and the limit is doubled.
 */
function timedOut(fault: string, expected: string, early: RegExp): Case {
  const run = async (context: Context): Promise<unknown> => {
    for (let ms = attempt.timeouts.attempt; ; ms *= 2) {
      const options = { ...once, timeouts: { attempt: ms } };
      const result = await outcome(fault, expected, { options }).run(context);
      if (!early.test(String(result))) return result;
    }
  };
  return { run, expected };
}

/** An update that is aborted while the service has it. */
function aborted(fault: 'silent' | 'stalls', by: 'signal' | 'destroy', expected: string): Case {
  const abortAfter = async (context: Context, ms: number): Promise<string> => {
    const { orders, arrivals } = open(context, fault);
    const controller = new AbortController();
    const sending = orders.safeUpdateOrder(token, update, { signal: controller.signal });
    while ((await arrivals()).length === 0) await wait(5);
    await wait(ms);
    const reason = new Error('enough');
    if (by === 'signal') controller.abort(reason);
    else await orders.destroy();
    const result = await sending;
    check(by === 'destroy' || result.error?.cause === reason, 'the cause is the reason of the signal');
    return `${describe(result)}, ${(await arrivals()).length} arrived`;
  };
  const run = async (context: Context): Promise<string> => {
    // Where the response stalls once it has begun, no event says when its head has been read. The outcome is unknown until then.
    for (let ms = 50; ; ms *= 2) {
      const result = await abortAfter(context, ms);
      if (fault === 'silent' || !result.startsWith('unknown')) return result;
    }
  };
  return { run, expected };
}

function describe(result: UpdateOrderResult): string {
  if (result.ok) return `applied ${result.status} in ${result.attemptCount}`;
  const { error } = result;
  check(!error.message.includes('secret_order'), `the message holds the order token: ${error.message}`);
  const detail = 'status' in error ? ` ${error.status}` : 'phase' in error ? ` ${error.phase}` : '';
  const found = /200 with ([^.]+)/.exec(error.message)?.[1];
  const { code, attemptCount } = error;
  return `${error.outcome} ${code}${detail}${found ? ` (${found})` : ''} in ${attemptCount}`;
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function checkTypeError(make: () => unknown, ...parts: readonly string[]): void {
  let thrown: unknown = 'nothing was thrown';
  try {
    make();
  } catch (error) {
    thrown = error;
  }
  const isNamed = thrown instanceof TypeError && parts.every((part) => String(thrown).includes(part));
  check(isNamed, `${parts}: ${thrown}`);
}

/** Looks for the key in everything that can be read of a value, its causes and getters included. */
function checkNoKey(value: unknown, { inspect }: Context): void {
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    const texts = [String(part)];
    if (typeof part === 'object' && part !== null && !seen.has(part)) {
      seen.add(part);
      texts.push(JSON.stringify(part) ?? '', inspect(part));
      for (const key of Reflect.ownKeys(part)) visit((part as Record<PropertyKey, unknown>)[key]);
    }
    for (const secret of ['swordfish', btoa(`${apiKey}:`).slice(0, 16)])
      for (const text of texts) check(!text.includes(secret), `it shows the key: ${text.slice(0, 500)}`);
  };
  visit(value);
}

const holds = (run: Case['run']): Case => ({ run });
const broken = 'unknown connection_error in 1, 1 arrived';
const brokenOff = 'applied invalid_response 200 (a body that broke off) in 1, 1 arrived';
const notJson = 'applied invalid_response 200 (a body that is not JSON) in 1, 1 arrived';
const tooLarge = 'applied invalid_response 200 (a body larger than maxResponseBytes) in 1, 1 arrived';
const notSent = 'not_sent connection_error in 1, 0 arrived';
const once = { retry: { maxAttempts: 1 } };
const attempt = { timeouts: { attempt: 400 } };
const unproven = [
  'unknown connection_error in 1, 0 arrived',
  'it reports no proof that nothing was sent',
] as const;

export const cases: Readonly<Record<string, Case>> = {
  'a 200 in JSON': outcome('json', 'applied 200 in 1, 1 arrived'),
  'a 204': outcome('204', 'applied 204 in 1, 1 arrived'),
  'a 401': outcome('401', 'rejected http_error 401 in 1, 1 arrived'),
  'a 407': outcome('407', 'rejected http_error 407 in 1, 1 arrived', {
    except: { node: [broken, 'it reports a 407 as a failed connection'] },
  }),
  'a 421': outcome('421', 'rejected http_error 421 in 1, 1 arrived', {
    except: { node: ['rejected http_error 421 in 1, 2 arrived', 'it sends again after a 421'] },
  }),
  'a 429 with Retry-After, then a 200': outcome('429-once', 'applied 200 in 2, 2 arrived'),
  'a redirect is not followed': outcome('302', 'unknown http_error 302 in 1, 1 arrived'),
  'a 408': outcome('408', 'unknown http_error 408 in 1, 1 arrived'),
  'a 503 with Retry-After': outcome('503', 'unknown http_error 503 in 1, 1 arrived'),
  'a 200 in HTML': outcome(
    'html',
    'unknown invalid_response 200 (another media type than application/json) in 1, 1 arrived',
  ),
  'a 200 that breaks off': outcome('cut', brokenOff),
  'a 200 that breaks off between chunks': outcome('cut-between-chunks', brokenOff),
  'a 200 larger than maxResponseBytes': outcome('large', tooLarge, { options: { maxResponseBytes: 10_000 } }),
  'a 200 in gzip': outcome('gzip', notJson, {
    except: { fetch: ['applied 200 in 1, 1 arrived', 'it decompresses by itself'] },
  }),
  'gzip that unpacks to more than maxResponseBytes': outcome('bomb', notJson, {
    except: { fetch: [tooLarge, 'it decompresses by itself'] },
  }),
  'a timeout before the headers': timedOut('silent', 'unknown timeout headers in 1, 1 arrived', /0 arrived/),
  'a timeout in the body': timedOut(
    'stalls',
    'applied timeout body in 1, 1 arrived',
    /timeout (connect|headers)/,
  ),
  'a timeout while connecting': outcome('json', 'not_sent timeout connect in 1, 0 arrived', {
    at: 'silentTls',
    options: { ...once, ...attempt },
    except: { fetch: ['unknown timeout headers in 1, 0 arrived', 'it does not report when it is connected'] },
  }),
  'a connection closed before the response': outcome('closes', broken),
  'a connection reset before the response': outcome('resets', broken),
  'a response that is not HTTP': outcome('no-http', broken),
  'a connection reset when it is reused': {
    expected: 'unknown connection_error in 1, 2 arrived',
    async run(context) {
      const { orders, arrivals } = open(context, 'resets-updates');
      await orders.echo();
      // Until the runtime has the connection back in its pool.
      await wait(50);
      const result = await orders.safeUpdateOrder(token, update);
      return `${describe(result)}, ${(await arrivals()).length} arrived`;
    },
  },
  'a refused connection': outcome('json', notSent, {
    at: 'refused',
    options: once,
    except: { deno: unproven, workerd: unproven },
  }),
  'an untrusted certificate': outcome('json', notSent, {
    at: 'untrusted',
    options: once,
    except: { deno: unproven, workerd: unproven },
  }),
  // Deno checks its permissions before it connects, which proves more than a refused connection.
  'a host that Deno may not reach': outcome('json', notSent, {
    at: 'forbidden',
    options: once,
    except: { workerd: unproven },
  }),
  'an abort before the call': holds(async (context) => {
    const { orders, arrivals } = open(context, 'json');
    const result = await orders.safeUpdateOrder(token, update, { signal: AbortSignal.abort() });
    check(describe(result) === 'not_sent aborted in 0', describe(result));
    check((await arrivals()).length === 0, 'nothing arrived');
  }),
  'an abort before the response': aborted('silent', 'signal', 'unknown aborted in 1, 1 arrived'),
  'an abort in the body': aborted('stalls', 'signal', 'applied aborted in 1, 1 arrived'),
  'destroy aborts calls in flight': aborted('silent', 'destroy', 'unknown aborted in 1, 1 arrived'),
  'close waits for calls in flight, and nothing is sent after it': holds(async (context) => {
    const { orders, arrivals } = open(context, '429-once');
    let result: UpdateOrderResult | undefined;
    orders.safeUpdateOrder(token, update).then((settled) => {
      result = settled;
    });
    await orders[Symbol.asyncDispose]();
    check(result?.ok === true, 'the call in flight was applied');
    const late = await orders.safeUpdateOrder(token, update);
    check(late.error?.outcome === 'not_sent' && (await arrivals()).length === 2, 'nothing was sent after it');
  }),
  'an invalid update or token is not sent': holds(async (context) => {
    const { orders, arrivals } = open(context, 'json');
    const bad = JSON.parse('{"cart":{"items":[{"quantity":"2"}]},"orderId":"1"}');
    const { error } = await orders.safeUpdateOrder(token, bad);
    const paths = error?.code === 'validation_error' ? error.issues.map(({ path }) => path) : [];
    check(paths.join() === 'cart.items[0].quantity,orderId', `paths: ${paths.join()}`);
    check(error instanceof context.OrdersError, 'OrdersError knows it');
    check((await orders.safeUpdateOrder('..', update)).error?.outcome === 'not_sent', 'a token of two dots');
    check((await arrivals()).length === 0, 'nothing arrived');
  }),
  'a beforeSend that throws keeps the update from being sent': holds(async (context) => {
    const { orders, arrivals } = open(context, 'json');
    const beforeSend = (): never => {
      throw new Error('the lease is lost');
    };
    const result = await orders.safeUpdateOrder(token, update, { beforeSend });
    check(describe(result) === 'not_sent aborted in 1', describe(result));
    check(String(result.error?.cause).includes('the lease is lost'), 'the cause is what it threw');
    check((await arrivals()).length === 0, 'nothing arrived');
  }),
  'hooks run in order, and an echo is retried after a reset': holds(async (context) => {
    const { orders, arrivals } = open(context, 'resets-once');
    const seen: string[] = [];
    const { data, attemptCount } = await orders.echo({
      beforeAttempt: async ({ attempt }) => {
        seen.push(`before ${attempt}: ${(await arrivals()).length} arrived`);
      },
      beforeSend: ({ attempt }) => seen.push(`send ${attempt}`),
      afterAttempt: ({ attempt, outcome, retryDelayMs }) =>
        seen.push(`after ${attempt}: ${outcome}${retryDelayMs === undefined ? '' : ', retried'}`),
    });
    check(attemptCount === 2 && JSON.stringify(data) === '{"ok":true}', `${attemptCount} attempts`);
    const first = 'before 1: 0 arrived|send 1|after 1: unknown, retried';
    check(seen.join('|') === `${first}|before 2: 1 arrived|send 2|after 2: applied`, seen.join('|'));
  }),
  'an apiKey function is called at each attempt, not at creation': holds(async (context) => {
    let key: string | undefined;
    let calls = 0;
    const readKey = (): string | undefined => {
      calls += 1;
      return key;
    };
    const { orders, arrivals } = open(context, 'json', { options: { apiKey: readKey } });
    check(calls === 0, 'it is not called at creation');
    const early = await orders.safeUpdateOrder(token, update);
    check(early.error?.outcome === 'not_sent', `without a key: ${early.error?.message}`);
    key = apiKey;
    await orders.updateOrder(token, update);
    key = 'the-next-key';
    await orders.updateOrder(token, update);
    const sent = (await arrivals()).map(({ headers }) => headers.authorization).join();
    check(sent === [apiKey, key].map((each) => `Basic ${btoa(`${each}:`)}`).join(), 'both keys are sent');
  }),
  'no client and no error shows the key': holds(async (context) => {
    const broken = ['401', 'echo', 'no-http', 'resets', 'cut', 'not-json', 'html', '302'];
    const away = [{ at: 'refused' }, { at: 'untrusted' }] as const;
    const settings: [string, Setting][] = [
      ...broken.map((fault): [string, Setting] => [fault, {}]),
      ...away.map(({ at }): [string, Setting] => ['json', { at, options: once }]),
    ];
    for (const [fault, setting] of settings) {
      const { orders } = open(context, fault, setting);
      const { error } = await orders.safeUpdateOrder(token, update);
      check(error !== undefined, `${fault}: an error`);
      checkNoKey(error, context);
      checkNoKey(orders, context);
    }
  }),
  'unknown fields and odd tokens arrive byte for byte': holds(async (context) => {
    const { orders, arrivals } = open(context, 'json');
    const given = {
      zebra: [null, { deep: 1e21 }],
      cart: { note: 'å✓😀', items: [] },
      merchant_order_id: 'm',
    };
    await orders.updateOrder('a/b?c#d%2f', given);
    const [arrival] = await arrivals();
    check(arrival?.body === JSON.stringify(given), `arrived: ${arrival?.body}`);
    check(arrival?.path === '/v2/orders/a%2Fb%3Fc%23d%252f', `path: ${arrival?.path}`);
  }),
  'the documented headers arrive, and no cookie': holds(async (context) => {
    const { orders, arrivals } = open(context, 'cookie');
    await orders.echo();
    await orders.updateOrder(token, update, { headers: { 'X-Shop': '1' } });
    const [echo, sent] = await arrivals();
    check(echo?.method === 'GET' && sent?.method === 'PATCH', 'the methods');
    const expected = {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Basic ${btoa(`${apiKey}:`)}`,
      'x-shop': '1',
      cookie: undefined,
    };
    for (const [name, value] of Object.entries(expected)) check(sent?.headers[name] === value, name);
  }),
  'a header value beyond ASCII': {
    expected: 'å arrives as e5',
    except: { workerd: ['å arrives as c3,a5', 'it writes UTF-8, where HTTP reads Latin-1'] },
    async run(context) {
      const { orders, arrivals } = open(context, 'json');
      await orders.echo({ headers: { 'X-Shop': 'å' } });
      const [arrival] = await arrivals();
      const units = Array.from(String(arrival?.headers['x-shop']), (unit) => unit.charCodeAt(0).toString(16));
      return `å arrives as ${units}`;
    },
  },
  'updates of one order arrive in call order, even when one is retried': holds(async (context) => {
    const { orders, arrivals } = open(context, '429-once');
    const ids = Array.from({ length: 10 }, (_, index) => String(index));
    await Promise.all(ids.map((order_id) => orders.updateOrder(token, { ...update, order_id })));
    const order = (await arrivals()).map(({ body }) => JSON.parse(body).order_id);
    check(order.join() === ['0', ...ids].join(), `arrived: ${order.join()}`);
  }),
  'updateOrders sends each update once and reports an invalid one': holds(async (context) => {
    const { orders, arrivals } = open(context, 'json');
    const items = Array.from({ length: 25 }, (_, index) => ({ token: `order_${index % 7}`, update }));
    const seen: string[] = [];
    for await (const { ok, index } of orders.updateOrders([...items, { token: '..', update }], {
      concurrency: 4,
    }))
      seen[index] = ok ? 'applied' : 'not sent';
    check(seen.join() === [...items.map(() => 'applied'), 'not sent'].join(), seen.join());
    check((await arrivals()).length === items.length, 'each arrived once');
  }),
  'what is prepared is what arrives': holds(async (context) => {
    const { orders, arrivals } = open(context, 'json');
    const request = orders.prepareUpdateOrder(token, update);
    check(request.toCurl().startsWith('curl ') && request.toCurl().includes('MUG'), 'the curl command');
    checkNoKey([request, request.toCurl()], context);
    await request.send();
    check((await arrivals())[0]?.body === request.body, 'the body');
  }),
  'a receipt names the request and the runtime': holds(async (context) => {
    const { orders } = open(context, 'json');
    const { receipt } = await orders.updateOrder(token, update);
    const { versions, operation, attempts } = receipt.toJSON();
    check(/^(Node\.js|Bun|Deno|Cloudflare-Workers)/.test(versions.runtime), versions.runtime);
    check(operation === 'PATCH /v2/orders/…1234', operation);
    check(attempts.map(({ requestId }) => requestId).join() === 'request-1', 'the x-request-id');
  }),
  'the entry resolves to the transport of the runtime': holds(async (context) => {
    const { transport } = open(context, 'json').orders;
    check(transport === context.transport, transport);
  }),
  'an unknown option, or one of the other transport, is a TypeError': holds(async (context) => {
    const { transport } = context;
    const foreign: Record<string, object> =
      transport === 'undici'
        ? { fetch: { fetch } }
        : {
            dispatcher: { dispatcher: {} },
            connect: { timeouts: { connect: 1_000 } },
            idle: { timeouts: { idle: 1_000 } },
          };
    for (const [name, options] of Object.entries(foreign)) {
      checkTypeError(() => open(context, 'json', { options }), name, `this client sends over ${transport}`);
    }
    const misspelled: object = { maxResponseByte: 1 };
    checkTypeError(() => open(context, 'json', { options: misspelled }), 'maxResponseBytes');
  }),
  'a browser is refused without dangerouslyAllowBrowser': holds(async (context) => {
    const page = globalThis as { window?: unknown; document?: unknown };
    try {
      Object.assign(page, { window: {}, document: {} });
      checkTypeError(() => open(context, 'json'), 'This is a browser');
      open(context, 'json', { options: { dangerouslyAllowBrowser: true } });
    } finally {
      delete page.window;
      delete page.document;
    }
  }),
};
