import { apiKey, type Case, type Context, check, faultOf, token, update } from './context.ts';

type Check = (context: Context) => Promise<void>;

/** What must hold in every runtime alike. */
function promise(name: string, run: Check): Case {
  return {
    name,
    told: 'holds',
    run: async (context) => {
      await run(context);
      return 'holds';
    },
  };
}

function clientOf(context: Context, fault: string, key = apiKey) {
  const { baseUrl, arrivals } = faultOf(context, fault);
  return { orders: context.sdk.createOrdersClient({ baseUrl, apiKey: key }), arrivals };
}

/** Everything that can be read of an error, its causes and its getters included. */
function printed(value: unknown, { inspect }: Context): string {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    texts.push(String(part));
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    texts.push(JSON.stringify(part) ?? '', inspect(part));
    for (const key of Reflect.ownKeys(part)) visit((part as Record<PropertyKey, unknown>)[key]);
  };
  visit(value);
  return texts.join('\n');
}

function checkNoKey(value: unknown, context: Context): void {
  const text = printed(value, context);
  check(!text.includes('swordfish'), `it shows the key: ${text.slice(0, 500)}`);
  check(!text.includes(btoa(`${apiKey}:`).slice(0, 16)), `it shows the encoded key: ${text.slice(0, 500)}`);
}

const noKeyShown = promise('no key is shown by a client or an error', async (context) => {
  const { sdk, places } = context;
  const faults = ['401', 'echo', 'garbage', 'resets', 'cut', 'not-json', 'html', '302'];
  for (const fault of faults) {
    const { orders } = clientOf(context, fault);
    const { error } = await orders.safeUpdateOrder(token, update);
    check(error !== undefined, `${fault}: an error is told`);
    checkNoKey(error, context);
    checkNoKey(orders, context);
  }
  for (const baseUrl of [places.refused, places.untrusted]) {
    const orders = sdk.createOrdersClient({ baseUrl, apiKey, retry: { maxAttempts: 1 } });
    checkNoKey((await orders.safeUpdateOrder(token, update)).error, context);
  }
});

const bytesAsGiven = promise('unknown fields arrive byte for byte', async (context) => {
  const { orders, arrivals } = clientOf(context, 'ok');
  const given = { zebra: [null, { deep: 1e21 }], cart: { note: 'å✓😀', items: [] }, merchant_order_id: 'm' };
  await orders.updateOrder('a/b?c#d%2f', given);
  const [arrival] = await arrivals();
  check(arrival?.body === JSON.stringify(given), `arrived: ${arrival?.body}`);
  check(arrival?.path === '/v2/orders/a%2Fb%3Fc%23d%252f', `path: ${arrival?.path}`);
});

const headersAsDocumented = promise('the documented headers arrive, and no cookie', async (context) => {
  const { orders, arrivals } = clientOf(context, 'cookie');
  await orders.echoWithPrivateKey();
  await orders.updateOrder(token, update, { headers: { 'X-Shop': '1' } });
  const [echo, sent] = await arrivals();
  const { headers = {}, method } = sent ?? {};
  check(method === 'PATCH' && echo?.method === 'GET', 'the methods');
  check(headers['content-type'] === 'application/json', `content-type: ${headers['content-type']}`);
  check(headers['accept'] === 'application/json', `accept: ${headers['accept']}`);
  check(headers['authorization'] === `Basic ${btoa(`${apiKey}:`)}`, 'the authorization');
  check(headers['x-shop'] === '1', `x-shop: ${headers['x-shop']}`);
  check(!('cookie' in headers), 'no cookie');
});

/** HTTP reads the value of a header as Latin-1; Cloudflare writes UTF-8. */
const headerBeyondAscii: Case = {
  name: 'a header value beyond ASCII',
  told: 'å arrives as e5',
  unless: { workerd: 'å arrives as c3,a5' },
  async run(context) {
    const { orders, arrivals } = clientOf(context, 'ok');
    await orders.echoWithPrivateKey({ headers: { 'X-Shop': 'å' } });
    const [value = ''] = (await arrivals()).map(({ headers }) => headers['x-shop']);
    return `å arrives as ${Array.from(value, (unit) => unit.charCodeAt(0).toString(16))}`;
  },
};

const wrongKey = promise('a wrong key is refused, the right one taken', async ({ sdk, places }) => {
  const { url: baseUrl, key, token } = places.service;
  const wrong = sdk.createOrdersClient({ baseUrl, apiKey: 'not-the-key' });
  const { error } = await wrong.safeUpdateOrder(token, update);
  check(error?.code === 'http_error' && error.status === 401, `told: ${error?.message}`);
  check(sdk.isOrdersError(error) && error.outcome === 'rejected', 'the outcome is rejected');
  const right = sdk.createOrdersClient({ baseUrl, apiKey: key });
  await right.echoWithPrivateKey();
  await right.updateOrder(token, update);
});

const wrongUpdate = promise('a wrong update or token is not sent', async (context) => {
  const { orders, arrivals } = clientOf(context, 'ok');
  const bad = JSON.parse('{"cart":{"items":[{"quantity":"2"}]},"orderId":"1"}');
  const { error } = await orders.safeUpdateOrder(token, bad);
  const paths = error?.code === 'invalid_request' ? error.issues.map(({ path }) => path) : [];
  check(paths.join() === 'cart.items[0].quantity,orderId', `paths: ${paths.join()}`);
  check((await orders.safeUpdateOrder('..', update)).error?.outcome === 'not_sent', 'a token of two dots');
  check((await arrivals()).length === 0, 'nothing arrived');
});

const lanes = promise('updates to one order arrive in call order', async (context) => {
  const { orders, arrivals } = clientOf(context, 'ok');
  const ids = Array.from({ length: 10 }, (_, index) => String(index));
  await Promise.all(ids.map((order_id) => orders.updateOrder(token, { ...update, order_id })));
  const order = (await arrivals()).map(({ body }) => JSON.parse(body).order_id);
  check(order.join() === ids.join(), `arrived: ${order.join()}`);
});

const bulk = promise('a bulk sends each update once', async (context) => {
  const { orders, arrivals } = clientOf(context, 'ok');
  const items = Array.from({ length: 25 }, (_, index) => ({ token: `order_${index % 7}`, update }));
  const done = new Set<number>();
  for await (const { ok, index } of orders.updateOrders(items, { concurrency: 4 })) if (ok) done.add(index);
  check(done.size === items.length, `${done.size} were applied`);
  check((await arrivals()).length === items.length, 'each arrived once');
});

const prepared = promise('what was prepared is what arrives', async (context) => {
  const { orders, arrivals } = clientOf(context, 'ok');
  const request = orders.prepareUpdateOrder(token, update);
  check(request.toCurl().startsWith('curl ') && request.toCurl().includes('MUG'), 'the curl command');
  checkNoKey([request, request.toCurl()], context);
  await request.send();
  check((await arrivals())[0]?.body === request.body, 'the body');
});

const echoRepeats = promise('an echo is tried again after a reset', async (context) => {
  const { orders } = clientOf(context, 'resets-once');
  const { data, attempts } = await orders.echoWithPrivateKey();
  check(attempts === 2 && JSON.stringify(data) === '{"ok":true}', `${attempts} attempts`);
});

const events = promise(
  'attempts are announced before they leave, and told when they ended',
  async (context) => {
    const { orders, arrivals } = clientOf(context, 'resets-once');
    const told: string[] = [];
    await orders.echoWithPrivateKey({
      beforeAttempt: async ({ attempt }) => {
        told.push(`before ${attempt}: ${(await arrivals()).length} arrived`);
      },
      afterAttempt: ({ attempt, outcome, retryInMs }) =>
        told.push(`after ${attempt}: ${outcome}${retryInMs === undefined ? '' : ', again'}`),
    });
    const expected = 'before 1: 0 arrived|after 1: unknown, again|before 2: 1 arrived|after 2: applied';
    check(told.join('|') === expected, told.join('|'));
  },
);

const functions = promise('the endpoints are plain functions too', async (context) => {
  const { sdk } = context;
  const { baseUrl, arrivals } = faultOf(context, 'ok');
  const connection = sdk.createConnection({ baseUrl, apiKey });
  await sdk.echoWithPrivateKey(connection);
  await sdk.updateOrder(connection, token, update);
  await sdk.safeUpdateOrder(connection, token, update);
  await sdk.prepareUpdateOrder(connection, token, update).send();
  for await (const { ok } of sdk.updateOrders(connection, [{ token, update }])) check(ok, 'a bulk of one');
  await connection.close();
  const late = await sdk.safeUpdateOrder(connection, token, update);
  check(late.error?.outcome === 'not_sent', 'nothing is sent after close');
  check((await arrivals()).length === 5, 'five arrived');
});

const receipt = promise('a receipt names the runtime', async (context) => {
  const { orders } = clientOf(context, 'ok');
  const { receipt } = await orders.updateOrder(token, update);
  const { versions, operation } = receipt.toJSON();
  check(/^(Node\.js|Bun|Deno|Cloudflare-Workers)/.test(versions.runtime), versions.runtime);
  check(operation === 'PATCH /v2/orders/…1234', operation);
});

/** `fetch` unpacks what the service sends, and must not unpack more than it may read; undici leaves it packed. */
const stopsAtCap: Case = {
  name: 'a bomb in gzip is not unpacked beyond the cap',
  told: 'applied: 200 with a body that is not JSON',
  unless: { fetch: 'applied: 200 with a body larger than maxResponseBytes' },
  async run(context) {
    const { orders } = clientOf(context, 'bomb');
    const { error } = await orders.safeUpdateOrder(token, update);
    return `${error?.outcome}: ${/200 with [\w ]+/.exec(error?.message ?? '')?.[0]}`;
  },
};

const mainEntry: Case = {
  name: 'the main entry makes a client or says what to import',
  told: 'makes a client',
  unless: { bun: 'says what to import', workerd: 'says what to import' },
  async run({ loadMain }) {
    const { createOrdersClient } = await loadMain();
    try {
      await createOrdersClient({ baseUrl: 'https://orders.example', apiKey }).close();
      return 'makes a client';
    } catch (error) {
      return String(error).includes('@orders/client/fetch') ? 'says what to import' : String(error);
    }
  },
};

export const promiseCases: readonly Case[] = [
  noKeyShown,
  bytesAsGiven,
  headersAsDocumented,
  headerBeyondAscii,
  wrongKey,
  wrongUpdate,
  lanes,
  bulk,
  prepared,
  echoRepeats,
  events,
  functions,
  receipt,
  stopsAtCap,
  mainEntry,
];
