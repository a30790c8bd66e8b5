import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import process from 'node:process';
import { styleText } from 'node:util';
import { OrdersError } from '@orders/client';
import { OutboxError } from '@orders/outbox';
import { isOrderToken } from '@orders/schema';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type DataPlace, StartError } from './database.ts';
import type { Log } from './errors.ts';
import { type ConnectService, checkPorts, type MerchantApp, startMerchantApp } from './start.ts';
import { listOrders } from './stored-orders.ts';
import { sendOnce } from './updates.ts';

interface Options {
  readonly port: number;
  readonly host: string;
  readonly webhookPort: number;
  readonly publicUrl?: string;
  readonly trustProxy?: string;
  readonly data?: string;
  readonly servicePort: number;
  readonly baseUrl?: string;
  readonly order?: readonly string[];
  readonly pageUrl?: string;
}

const program = new Command('merchant')
  .description('Starts the sample app, and a mock order service that it sends updates to.')
  .option('--port <number>', 'port of the page; 0 for a free one', readPort, 4000)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--webhook-port <number>', 'port that receives webhooks, and nothing else', readPort, 4001)
  .option(
    '--public-url <url>',
    'where the order service reaches the webhook port; its own URL by default',
    readUrl,
  )
  .option(
    '--trust-proxy <url>',
    'where browsers reach the page through a reverse proxy, such as https://shop.example',
    readUrl,
  )
  .option('--data <folder>', 'where everything is stored; a folder in .merchant by default')
  .option('--service-port <number>', 'port of the mock order service; 0 for a free one', readPort, 8402)
  .option(
    '--base-url <url>',
    'use this order service instead of the mock; its key is in ORDERS_API_KEY',
    readUrl,
  )
  .option('--order <token>', 'with --base-url: an order to show, repeatable', collectToken)
  // `pnpm dev` serves the page by Vite.
  .addOption(new Option('--page-url <url>').argParser(readUrl).hideHelp())
  .addHelpText(
    'after',
    '\nWith DATABASE_URL in the environment, everything is stored in that PostgreSQL\ndatabase. With OTEL_EXPORTER_OTLP_ENDPOINT, traces and metrics are sent there.',
  )
  .allowExcessArguments(false)
  .exitOverride()
  .configureOutput({ outputError: (message) => fail(message.replace(/^error: /, ''), 2) });

// The first signal closes everything; the second does not wait for that.
let app: MerchantApp | undefined;
let stopTelemetry = async (): Promise<void> => {};
let isClosing = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isClosing || !app) process.exit(1);
    isClosing = true;
    app
      .close()
      .then(stopTelemetry)
      .then(
        () => process.exit(),
        (error: Error) => process.exit(fail(`not everything could be closed: ${error.message}`, 1)),
      );
  });
}
// The process that reads the output may have ended; the app goes on.
process.stdout.on('error', () => {});

try {
  const options = program.parse().opts<Options>();
  const [data, connect] = [chooseData(options), await chooseService(options)];
  await checkPorts(portsOf(options));
  if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT'])
    stopTelemetry = (await import('./telemetry.ts')).startTelemetry();
  app = await startMerchantApp({ ...options, data, connect, log });
  print(app, options);
  await greet(app);
  write(`\n${dim('Ctrl-C stops it.')}\n`);
} catch (error) {
  // What is cut off on purpose is no failure.
  if (!isClosing) failToStart(error);
}

function failToStart(error: unknown): void {
  if (error instanceof InvalidArgumentError) fail(error.message, 2);
  else if (error instanceof StartError || error instanceof OutboxError) fail(error.message, 1);
  // Commander has printed the help, or what is wrong, itself.
  else if (!(error instanceof CommanderError)) throw error;
}

function chooseData({ data, baseUrl }: Options): DataPlace {
  const databaseUrl = process.env['DATABASE_URL'] ?? '';
  if (data !== undefined && databaseUrl !== '')
    throw new InvalidArgumentError('--data and DATABASE_URL each choose a place: give one of them.');
  if (data !== undefined) return { folder: data };
  // It may hold a password, so it is never printed.
  if (databaseUrl !== '' && !/^postgres(ql)?:\/\/./.test(databaseUrl))
    throw new InvalidArgumentError(
      'DATABASE_URL is not a URL: write it as postgres://user:password@host:5432/name.',
    );
  if (databaseUrl !== '') return { databaseUrl };
  // Orders of different services never mix.
  return {
    folder: `.merchant/${baseUrl === undefined ? 'mock' : new URL(baseUrl).host.replace(/[^\w.-]/g, '_')}`,
  };
}

function portsOf({ host, port, webhookPort, servicePort, baseUrl }: Options) {
  const own = [
    { host, port, option: '--port' },
    { host, port: webhookPort, option: '--webhook-port' },
  ];
  return baseUrl === undefined
    ? [...own, { host: '127.0.0.1', port: servicePort, option: '--service-port' }]
    : own;
}

async function chooseService({ baseUrl, order = [], servicePort }: Options): Promise<ConnectService> {
  if (baseUrl === undefined) {
    if (order.length > 0)
      throw new InvalidArgumentError('--order needs --base-url: the mock service has orders of its own.');
    const { mockService } = await import('../fault-injection/mock-service.ts');
    return mockService({ port: servicePort });
  }
  const apiKey = process.env['ORDERS_API_KEY'] ?? '';
  if (apiKey === '')
    throw new InvalidArgumentError(
      '--base-url needs the API key in the environment variable ORDERS_API_KEY.',
    );
  const orders = order.map((token) => ({ token, body: { cart: { items: [] } } }));
  return async () => ({ baseUrl, apiKey, orders });
}

function print({ url, webhookUrl, service, place }: MerchantApp, { host, pageUrl }: Options): void {
  const { baseUrl, faultInjection } = service;
  write('\n');
  write(
    `${dim('Merchant app')}   ${styleText(['bold', 'cyan'], pageUrl ?? reachable(url), { stream: process.stdout })}\n`,
  );
  write(`${dim('Webhooks')}       ${webhookUrl}\n`);
  write(`${dim('Order service')}  ${baseUrl}${faultInjection ? dim('  a mock, in this process') : ''}\n`);
  write(`${dim('Stored in')}      ${place}\n\n`);
  if (!/^(localhost|127\.|::1$)/.test(host))
    log({
      level: 'warn',
      message: `There is no login: anyone who can open ${reachable(url)} can change orders.`,
    });
}

/** A URL that another machine can open, where the app listens on every address. */
function reachable(url: string): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  return found ? url.replace(/\/\/(0\.0\.0\.0|\[::\])/, `//${found.address}`) : url;
}

/** Checks the key with an echo. In a new place, it sends one update to the mock service through the outbox. */
async function greet({ client, outbox, service, parts }: MerchantApp): Promise<void> {
  try {
    const { status } = await client.echo();
    report(true, 'echo', 'the order service accepts the key', status);
  } catch (error) {
    if (!(error instanceof OrdersError)) throw error;
    report(false, 'echo', error.message, 'status' in error ? error.status : undefined);
  }
  const [order] = service.faultInjection ? await listOrders(parts.store, { limit: 1 }) : [];
  if (!order || (await outbox.history(order.token, 1)).length > 0) return;
  const id = randomUUID();
  await sendOnce(parts, { id, token: order.token, update: order.body, source: 'start' });
  await outbox.drain({ maxMs: 3_000 });
  const update = await outbox.get(id);
  report(update?.state === 'applied', 'update', `${update?.state} to ${order.token}`, update?.status);
}

function report(isOk: boolean, call: string, outcome: string, status: number | undefined): void {
  const mark = styleText(isOk ? 'green' : 'red', isOk ? '✓' : '✗', { stream: process.stdout });
  write(`${mark} ${call.padEnd(6)}  ${outcome}${status === undefined ? '' : dim(`  ${status}`)}\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}

function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

/** One line of JSON for each error and warning. */
function log(entry: Parameters<Log>[0]): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...entry })}\n`);
}

function fail(message: string, exitCode: number): number {
  process.stderr.write(`merchant: ${message.trim().replace(/\s+/g, ' ')}\n`);
  process.exitCode = exitCode;
  return exitCode;
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Write a number from 0 to 65535.');
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return text.replace(/\/$/, '');
  throw new InvalidArgumentError('Write a URL such as https://orders.example.');
}

function collectToken(text: string, before: readonly string[] = []): readonly string[] {
  if (isOrderToken(text)) return [...before, text];
  throw new InvalidArgumentError('Write the token of an order.');
}
