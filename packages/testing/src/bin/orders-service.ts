#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type FaultRule, readFaultRule } from '../mock/fault-script.ts';
import { findKeyProblem, type ServiceKey } from '../mock/keys.ts';
import { startMockOrderService } from '../mock/mock-order-service.ts';
import type { SeedOrder } from '../mock/orders.ts';
import { formatUsageError, readVersion, readWholeOption } from './command-line.ts';
import { formatLogLine } from './log-line.ts';

const program = new Command('orders-service')
  .description('Runs a mock order service on this machine, to test against.')
  .option('--port <number>', 'port to listen on; 0 for a free one', readWholeOption(0, 65_535), 8402)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .addOption(list('--key <key[:type]>', 'accepted key, repeatable', 'a random one'))
  .addOption(list('--order <token>', 'token of an order, repeatable', 'none'))
  .option('--orders-file <file>', 'JSON list of tokens, or of { "token", "data" }')
  .option(
    '--orders <number>',
    'orders with random tokens (default: 5 without others)',
    readWholeOption(1, 100_000),
  )
  .option('--latency <ms>', 'delay of each response', readWholeOption(0, 600_000), 0)
  .option('--max-body <bytes>', 'largest accepted body', readWholeOption(0, 268_435_456), 1_048_576)
  .addOption(list('--fault <scenario or JSON>', 'fault or rule, repeatable', 'none'))
  .option('--history <number>', 'requests to remember', readWholeOption(0, 1_000_000), 10_000)
  .option('--admin', 'serve the admin API at /__admin')
  .option('--log', 'print a line for each request')
  .version(readVersion(), '--version', 'show the version')
  .helpOption('--help', 'show this help')
  .addHelpText(
    'after',
    `
A key's type is SalesChannelApiKey by default. Without any key, one is made for the run and printed.
ORDERS_SERVICE_KEY (key or key:type) adds a key that the list of processes does not show.

A fault by itself is met by every request; a rule says which requests meet it:
  --fault unavailable
  --fault '{"type":"latency","ms":200}'
  --fault '{"when":"next","fault":"lostResponse","times":2}'
  --fault '{"when":"sometimes","fault":{"type":"truncation"},"probability":0.1}'
Scenarios: slow, rateLimited, unavailable, lostResponse, down.

The admin API needs one of the keys. It adds orders and faults, shows orders, requests and the ledger, and sends webhooks.`,
  )
  .showSuggestionAfterError(false)
  .configureOutput({ writeErr: () => {} })
  .allowExcessArguments()
  .exitOverride();

interface Settings {
  readonly port: number;
  readonly host: string;
  readonly key: readonly string[];
  readonly order: readonly string[];
  readonly ordersFile?: string;
  readonly orders?: number;
  readonly latency: number;
  readonly maxBody: number;
  readonly fault: readonly string[];
  readonly history: number;
  readonly admin?: true;
  readonly log?: true;
}

try {
  program.parse();
  // The words themselves are not repeated: a key that was given without its flag would be among them.
  if (program.args.length > 0) throw new InvalidArgumentError('Every argument is an option; see --help.');
  await start(program.opts<Settings>());
} catch (error) {
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) fail(formatUsageError(error.message), 2);
  } else if (error instanceof TypeError) fail(error.message, 2);
  else if (error instanceof Error && 'syscall' in error)
    fail(`cannot listen: ${error.message}. Try another --port or --host.`, 1);
  else throw error;
}

async function start(settings: Settings): Promise<void> {
  const { port, host, order, ordersFile, orders: count, admin = false, log = false } = settings;
  const keys = settings.key.map((text, index) => readKey(text, `--key number ${index + 1}`));
  const fromEnvironment = process.env['ORDERS_SERVICE_KEY'];
  if (fromEnvironment) keys.push(readKey(fromEnvironment, 'ORDERS_SERVICE_KEY'));
  const faults = settings.fault.map((text, index) => readFaultText(text, `--fault number ${index + 1}`));
  const chosen = [...order, ...(ordersFile === undefined ? [] : readOrdersFile(ordersFile))];
  let secrets = keys.map(({ key }) => key);
  const service = await startMockOrderService({
    port,
    host,
    orders: chosen.length > 0 ? chosen : (count ?? 5),
    latencyMs: settings.latency,
    maxBodyBytes: settings.maxBody,
    historyLimit: settings.history,
    faults,
    admin,
    ...(keys.length > 0 ? { keys } : {}),
    onRequest: (entry) => {
      if (log) process.stdout.write(`${formatLogLine(entry, secrets)}\n`);
    },
  });
  if (keys.length === 0) secrets = [service.key];
  for (let added = 0; chosen.length > 0 && added < (count ?? 0); added += 1) service.addOrder();
  // The reader of the output may leave, and the service goes on.
  process.stdout.on('error', () => {});
  // The loop is empty once the service is closed, so the process exits with 0 and all output is flushed.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close());
  const tokens = service.orders.map(({ token }) => token);
  const madeKey = keys.length === 0 ? service.key : undefined;
  process.stdout.write(formatReady({ url: service.url, tokens, madeKey, admin }));
}

interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
  /** The key, when the service made it for this run; a key that was given is never printed. */
  readonly madeKey: string | undefined;
  readonly admin: boolean;
}

/** What a person needs to send a first update, with lines to paste into a shell. */
function formatReady({ url, tokens, madeKey, admin }: Ready): string {
  const withKey = madeKey === undefined ? ', with your key in ORDERS_API_KEY' : '';
  const user = madeKey === undefined ? '"$ORDERS_API_KEY":' : quote(`${madeKey}:`);
  const curl = (method: string, path: string, body: object) =>
    `  curl -sS -X ${method} ${quote(url + path)} -u ${user} -H 'Content-Type: application/json' ` +
    `-H 'Accept: application/json' -d ${quote(JSON.stringify(body))}`;
  const shown = tokens.slice(0, 20);
  const lines = [
    `The order service is ready at ${url}`,
    'Orders:',
    ...shown.map((token) => `  ${token}`),
    ...(tokens.length > shown.length ? [`  and ${tokens.length - shown.length} more`] : []),
    madeKey === undefined ? 'Key: as given' : `Key, made for this run: ${madeKey}`,
    `Update an order${withKey}:`,
    curl('PATCH', `/v2/orders/${encodeURIComponent(tokens[0] ?? '')}`, {
      order_id: 'my-order-1',
      cart: { items: [] },
    }),
  ];
  if (admin) {
    lines.push(
      `Admin API: ${url}/__admin`,
      `Make the next request fail${withKey}:`,
      curl('POST', '/__admin/faults', { when: 'next', fault: 'unavailable' }),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** One word to a POSIX shell, whatever it holds. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Values are read later: commander repeats one that it refuses, which may be a key. */
function list(flags: string, description: string, otherwise?: string): Option {
  return new Option(flags, description)
    .argParser<readonly string[]>((text, before) => [...before, text])
    .default([], otherwise);
}

/** A key holds no colon (RFC 7617), so the first one begins the type. */
function readKey(text: string, place: string): ServiceKey {
  const [key = '', type, ...rest] = text.split(':');
  const problem = findKeyProblem(key);
  if (problem !== undefined) throw new InvalidArgumentError(`${place} ${problem}.`);
  if (type === '' || rest.length > 0)
    throw new InvalidArgumentError(`${place} is not of the form <key> or <key>:<type>.`);
  return type === undefined ? { key } : { key, type };
}

/** What is in it is checked by the service. */
function readOrdersFile(file: string): readonly (string | SeedOrder)[] {
  let orders: unknown;
  try {
    orders = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as NodeJS.ErrnoException).code;
    throw new InvalidArgumentError(`--orders-file ${file} cannot be read: ${reason}.`);
  }
  if (Array.isArray(orders)) return orders;
  throw new InvalidArgumentError(
    `--orders-file ${file} must hold a list, such as ["ord_1", { "token": "ord_2" }].`,
  );
}

/** A fault without a rule is one that always happens. */
function readFaultText(text: string, place: string): FaultRule {
  const value = /^\s*[[{"]/.test(text) ? parseJson(text, place) : text;
  const isRule = typeof value === 'object' && value !== null && 'when' in value;
  const rule = isRule ? value : { when: 'always', fault: value };
  try {
    const { when, faults } = readFaultRule(rule);
    if (when === 'always' && faults.some(({ type }) => type === 'connection_refused'))
      throw new TypeError('a service that is always down never starts; use a rule with "when": "next".');
    return rule as FaultRule;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidArgumentError(`${place}: ${error.message}`);
  }
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError(`${place} is not JSON; put it in single quotes.`);
  }
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`orders-service: ${message.replace(/\s+/g, ' ')}\n`);
  process.exitCode = exitCode;
}
