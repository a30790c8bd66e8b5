import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { createOutbox, type Outbox } from '@orders/outbox';
import type { Hono } from 'hono';
import type { FaultSetting } from '../shared/api.ts';
import { ShopUpdate } from '../shared/order-update.ts';
import { type AppParts, createApp } from './app.ts';
import { startBulks } from './bulk.ts';
import { type DataPlace, openDatabase, StartError } from './database.ts';
import type { Log } from './errors.ts';
import { type Events, followOutbox } from './events.ts';
import { addOrders, listOrders, type NewOrder } from './stored-orders.ts';
import { createWebhookSigner, openInbox } from './webhooks.ts';

/** The order service that updates are sent to. */
interface OrderService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Orders to show, besides those that are stored. */
  readonly orders: readonly NewOrder[];
  /** Routes that make it fail, where it runs in this process. */
  readonly faultInjection?: (parts: Omit<AppParts, 'faultInjection'>) => Hono;
  /** What it does to requests now. */
  readonly faultScenario?: () => FaultSetting['scenario'];
  close?(): Promise<void>;
}

/** Finds or starts the order service; it may read the stored orders, and gets the webhook URL of each. */
export type ConnectService = (
  readStored: () => Promise<readonly NewOrder[]>,
  webhookUrl: (token: string) => string,
) => Promise<OrderService>;

export interface StartOptions {
  readonly data: DataPlace;
  readonly connect: ConnectService;
  readonly log: Log;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 is a free one. @default 0 */
  readonly port?: number;
  /** @default 0 */
  readonly webhookPort?: number;
  /** Where the order service reaches the webhook port. @default its own address */
  readonly publicUrl?: string | undefined;
  /** Origin of a reverse proxy in front of the app. */
  readonly trustProxy?: string | undefined;
  /** Folder of the built page. @default dist/page */
  readonly pageFolder?: string;
}

/** The app, running. */
export interface MerchantApp {
  readonly url: string;
  /** Where the order service sends webhooks, without the part of an order. */
  readonly webhookUrl: string;
  readonly service: OrderService;
  /** Where everything is stored, for people. */
  readonly place: string;
  readonly client: OrdersClient<ShopUpdate>;
  readonly outbox: Outbox<ShopUpdate>;
  readonly parts: AppParts;
  close(): Promise<void>;
}

/** The longest delay before an update that could not be sent is retried, in milliseconds: somebody is watching. */
const maxRetryDelayMs = 5_000;
/** How long updates in flight, and requests of the page, may take to end, in milliseconds. */
const graceMs = { updates: 5_000, requests: 1_000 };

/**
 * Starts everything, from the database to the page.
 *
 * @throws StartError or OutboxError with what to do; nothing is left running then.
 */
export async function startMerchantApp(options: StartOptions): Promise<MerchantApp> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closers.splice(0).toReversed()) await one();
  };
  try {
    return await start(options, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  options: StartOptions,
  closers: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<MerchantApp> {
  const { data, connect, log, host = '127.0.0.1', port = 0, webhookPort = 0, trustProxy } = options;
  const { pageFolder = builtPage } = options;
  const ending = new AbortController();

  const store = await openDatabase(data);
  let isOwned = false;
  closers.push(async () => isOwned || store.close());
  const signer = await createWebhookSigner(store);
  const webhooks = await listen({ host, port: webhookPort, option: '--webhook-port' });
  closers.push(webhooks.close);
  // An address to listen on is none to call; a service elsewhere needs --public-url.
  const { publicUrl = webhooks.url.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//127.0.0.1') } = options;
  const webhookUrl = (token: string): string => publicUrl + signer.path(token);

  const service = await connect(() => listOrders(store), webhookUrl);
  closers.push(async () => service.close?.());
  await addOrders(store, service.orders);
  const client = createClient(service);
  closers.push(() => client.close());

  let events: Events | undefined;
  // From here on the outbox closes the store, also where it cannot be created.
  isOwned = true;
  const outbox: Outbox<ShopUpdate> = await createOutbox({
    client,
    store,
    maxRetryDelayMs,
    warn: (message) => log({ level: 'warn', message }),
    onSettled: () => events?.changed(),
  });
  closers.push(() => outbox.close({ graceMs: graceMs.updates }));
  const inbox = openInbox({ store, outbox, signer, log });
  closers.push(inbox.close);
  events = await followOutbox({ store, outbox, inbox, log });
  closers.push(events.close);
  const bulks = await startBulks({ store, outbox, events, log });
  closers.push(bulks.close);

  const app = await listen({ host, port, option: '--port' });
  // Both before the inbox; a port that is closed already is no error.
  closers.push(webhooks.close, app.close, async () => ending.abort());
  const html = await readFile(`${pageFolder}/index.html`, 'utf8').catch(() => undefined);
  const page = html === undefined ? { html: notBuilt } : { html, folder: pageFolder };
  const { faultScenario } = service;
  const shared = { store, outbox, inbox, events, bulks, webhookUrl, faultScenario };
  const parts = { ...shared, host, trustProxy, page, log, signal: ending.signal };
  app.serve(createApp({ ...parts, faultInjection: service.faultInjection?.(parts) }).fetch);
  webhooks.serve(inbox.receive);
  await inbox.start();
  await outbox.start();
  return { url: app.url, webhookUrl: publicUrl, service, place: store.place, client, outbox, parts, close };
}

/** Beside the sources and beside the build alike. */
const builtPage = fileURLToPath(import.meta.url.replace(/\/(dist\/)?server\/[^/]+$/, '/dist/page'));
const notBuilt =
  '<!doctype html><title>Not built</title><p>The page is not built: run pnpm build, or pnpm dev.</p>';

function createClient({ baseUrl, apiKey }: OrderService): OrdersClient<ShopUpdate> {
  try {
    return createOrdersClient({ baseUrl, apiKey, schema: ShopUpdate });
  } catch (error) {
    // A wrong base URL or key; the message holds neither password nor key.
    if (error instanceof TypeError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

interface ListenTarget {
  readonly host: string;
  readonly port: number;
  /** Of the command, to choose another port. */
  readonly option: string;
}

/** Reports all ports that cannot be used at once. @throws StartError */
export async function checkPorts(targets: readonly ListenTarget[]): Promise<void> {
  const problems: string[] = [];
  for (const target of targets)
    try {
      const { close } = await listen(target);
      await close();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push(error.message);
    }
  if (problems.length > 0) throw new StartError(problems.join(' '));
}

/** A server that listens, and gets what it serves later. */
async function listen(target: ListenTarget) {
  const { host, port, option } = target;
  // Without a listener, a request that comes early would never get a response: the page its events, a service for its webhook.
  let serve: RequestListener = (_, response) =>
    response
      .writeHead(503, { 'retry-after': '1', 'content-type': 'text/plain' })
      .end('The app is starting.\n');
  const server = createServer((request, response) => serve(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const problem =
        code === 'EADDRINUSE'
          ? `port ${port} on ${host} is taken`
          : `cannot listen on port ${port} of ${host} (${code})`;
      reject(new StartError(`${problem}; choose another with ${option}.`));
    });
    server.listen(port, host, resolve);
  });
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(address) ? `[${address}]` : address}:${bound}`,
    serve(fetch: (request: Request) => Response | Promise<Response>): void {
      serve = getRequestListener(fetch);
    },
    close: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs.requests);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
