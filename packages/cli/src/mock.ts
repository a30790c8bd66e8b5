import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  type FaultRule,
  formatLogLine,
  type MockOrderService,
  type MockOrderServiceOptions,
  type SeedOrder,
  type ServiceKey,
  startMockOrderService,
} from '@orders/testing';
import { CommandError, type CommandInput, describeError, type ExitCode } from './terminal.ts';

interface MockOptions {
  readonly port: number;
  readonly host: string;
  readonly key?: readonly string[];
  readonly order?: readonly string[];
  readonly ordersFile?: string;
  readonly orders?: number;
  readonly latency?: number;
  readonly maxBody?: number;
  readonly fault?: readonly string[];
  readonly history: number;
  readonly admin?: true;
  readonly log?: true;
}

/** Runs the mock order service until a signal ends it. @throws CommandError that shows no key */
export async function runMock({ options, terminal, env }: CommandInput<MockOptions>): Promise<ExitCode> {
  const { key: given = [], order = [], ordersFile, orders: count, admin = false } = options;
  const keys = given.map((text, index) => readKey(text, `--key number ${index + 1}`));
  if (env['ORDERS_MOCK_KEY']) keys.push(readKey(env['ORDERS_MOCK_KEY'], 'ORDERS_MOCK_KEY'));
  const chosen = [...order, ...(ordersFile === undefined ? [] : readOrdersFile(ordersFile))];
  let secrets = keys.map(({ key }) => key);
  const service = await start(
    {
      port: options.port,
      host: options.host,
      orders: chosen.length > 0 ? chosen : (count ?? 5),
      historyLimit: options.history,
      faults: (options.fault ?? []).map((text, index) => readFault(text, `--fault number ${index + 1}`)),
      admin,
      ...(options.latency !== undefined && { latencyMs: options.latency }),
      ...(options.maxBody !== undefined && { maxBodyBytes: options.maxBody }),
      ...(keys.length > 0 && { keys }),
      ...(options.log && { onRequest: (entry) => terminal.note(formatLogLine(entry, secrets)) }),
    },
    given.length,
  );
  const interrupt = terminal.catchInterrupt();
  // A key that was given is never printed.
  const key = keys.length === 0 ? service.key : undefined;
  if (key !== undefined) secrets = [key];
  for (let added = 0; chosen.length > 0 && added < (count ?? 0); added++) service.addOrder();
  const { url } = service;
  const tokens = service.orders.map(({ token }) => token);
  const ready = { url, orders: tokens, key, admin: admin ? `${url}/__admin` : undefined };
  await terminal.report(ready, () => drawReady(ready));
  if (!interrupt.aborted) await once(interrupt, 'abort');
  await service.close();
  return 0;
}

async function start(options: MockOrderServiceOptions, keys: number): Promise<MockOrderService> {
  try {
    return await startMockOrderService(options);
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(nameFlags(error.message, keys), 2);
    throw new CommandError(`Cannot listen: ${describeError(error)}. Try another --port or --host.`);
  }
}

/** Messages about options of the function name them as in code. */
function nameFlags(message: string, keys: number): string {
  const numbered = (flag: string, index: string): string =>
    flag === 'key' && Number(index) >= keys ? 'ORDERS_MOCK_KEY' : `--${flag} number ${Number(index) + 1}`;
  return message
    .replace(/^startMockOrderService: host\b/, '--host')
    .replace(/^orders\b/, '--order')
    .replace(/^(key|fault)s\[(\d+)\]/, (_, flag: string, index: string) => numbered(flag, index));
}

interface Ready {
  readonly url: string;
  readonly orders: readonly string[];
  /** The key, when the service made it for this run. */
  readonly key: string | undefined;
  readonly admin: string | undefined;
}

/** What a person needs to send a first update, with lines to paste into a shell. */
function drawReady({ url, orders, key, admin }: Ready): readonly string[] {
  const withKey = key === undefined ? ', with your key in ORDERS_API_KEY' : '';
  const user = key === undefined ? '"$ORDERS_API_KEY":' : quote(`${key}:`);
  const curl = (method: string, path: string, body: object): string =>
    `  curl -sS -X ${method} ${quote(url + path)} -u ${user} -H 'Content-Type: application/json' ` +
    `-H 'Accept: application/json' -d ${quote(JSON.stringify(body))}`;
  const shown = orders.slice(0, 20);
  return [
    `The order service is ready at ${url}`,
    'Orders:',
    ...shown.map((token) => `  ${token}`),
    ...(orders.length > shown.length ? [`  and ${orders.length - shown.length} more`] : []),
    key === undefined ? 'Key: as given' : `Key, made for this run: ${key}`,
    `Update an order${withKey}:`,
    curl('PATCH', `/v2/orders/${encodeURIComponent(orders[0] ?? '')}`, {
      order_id: 'my-order-1',
      cart: { items: [] },
    }),
    ...(admin === undefined
      ? []
      : [
          `Admin API: ${admin}`,
          `Make the next request fail${withKey}:`,
          curl('POST', '/__admin/faults', { when: 'next', fault: 'unavailable' }),
        ]),
  ];
}

/** One word to a POSIX shell, whatever it holds. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A key holds no colon (RFC 7617), so the first one begins the type. */
function readKey(text: string, flag: string): ServiceKey {
  const [key = '', type, ...rest] = text.split(':');
  if (type === '' || rest.length > 0)
    throw new CommandError(`${flag} is not of the form <key> or <key>:<type>.`, 2);
  return type === undefined ? { key } : { key, type };
}

/** What is in it is checked by the service. */
function readOrdersFile(file: string): readonly (string | SeedOrder)[] {
  let orders: unknown;
  try {
    orders = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as NodeJS.ErrnoException).code;
    throw new CommandError(`--orders-file ${file} cannot be read: ${reason}.`, 2);
  }
  if (Array.isArray(orders)) return orders;
  throw new CommandError(
    `--orders-file ${file} must hold a list, such as ["ord_1", { "token": "ord_2" }].`,
    2,
  );
}

/** A fault without a rule is one that always happens. What is in it is checked by the service. */
function readFault(text: string, flag: string): FaultRule {
  const value = /^\s*[[{"]/.test(text) ? parseJson(text, flag) : text;
  const rule: FaultRule =
    typeof value === 'object' && value !== null && 'when' in value
      ? (value as FaultRule)
      : { when: 'always', fault: value as 'slow' };
  const { when, fault } = rule;
  if (when === 'always' && (fault === 'down' || Object(fault).type === 'connection_refused'))
    throw new CommandError(
      `${flag}: a service that is always down never starts; use a rule with "when": "next".`,
      2,
    );
  return rule;
}

function parseJson(text: string, flag: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${flag} is not JSON; put it in single quotes.`, 2);
  }
}
