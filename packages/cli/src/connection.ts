import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { CallHooks, OrdersClient, OrdersClientOptions } from '@orders/client';
import type { OrderUpdateDefinition, OrderUpdateSchema } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { describeIssue, type RowIssue, readJsonFile } from './read-file.ts';
import { CommandError, describeError, type Environment, kindOfError, type Terminal } from './terminal.ts';

/** The options of every command that needs the key. */
export interface KeyOptions {
  readonly apiKeyFile?: string;
  readonly apiKeyCommand?: string;
}

/** The options of every command that reaches the service. */
export interface ConnectionOptions extends KeyOptions, SchemaOptions {
  readonly baseUrl?: string;
  readonly allowInsecureHttp?: true;
  /** The time limit of an attempt, in milliseconds. */
  readonly timeout?: number;
}

/** What says how updates are checked. */
export interface SchemaOptions {
  readonly schema?: string;
  /** A file with options of the client, of which the schema is one. */
  readonly config?: string;
  /** Options of `defineOrderUpdate` that are data, from orders.json. */
  readonly orderUpdate?: OrderUpdateDefinition;
}

/** A client, and where it sends. */
export interface Connection {
  readonly client: OrdersClient;
  readonly baseUrl: string;
  /** The option of `--config` that makes the client connect in another way than Node does. */
  readonly connector: (typeof connectors)[number] | undefined;
}

const connectors = ['proxy', 'dispatcher', 'tls'] as const;

/** What a command adds to the options of its client. */
export interface ConnectionRequest extends Pick<OrdersClientOptions, 'rateLimit' | 'retry' | 'timeouts'> {
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Whether no key is needed, since nothing is sent. */
  readonly isDry?: boolean;
}

/**
 * Makes the client of a command. Flags come before the environment, and that before the file of `--config`.
 *
 * @throws CommandError
 */
export async function connect(
  options: ConnectionOptions,
  { terminal, env, isDry = false, ...own }: ConnectionRequest,
): Promise<Connection> {
  // First, so that nothing that a module throws can show it.
  const key = isDry ? undefined : await readKey(options, { terminal, env });
  if (key !== undefined) terminal.addSecret(key);
  const config = options.config === undefined ? {} : await loadConfig(options.config, terminal);
  const baseUrl = options.baseUrl || config.baseUrl;
  if (!baseUrl)
    throw new CommandError('Where is the service?', 2, { hint: 'Set ORDERS_BASE_URL, or pass --base-url.' });
  const { credentials, apiKey, ...rest } = config;
  const authorization =
    key !== undefined
      ? { apiKey: key }
      : {
          ...(apiKey && { apiKey: hideKey(apiKey, terminal) }),
          ...(credentials && { credentials: hideKey(credentials, terminal) }),
        };
  const isMissing = Object.keys(authorization).length === 0;
  if (isMissing && !isDry)
    throw new CommandError('There is no key.', 2, {
      hint: 'Set ORDERS_API_KEY, or pass --api-key-file or --api-key-command.',
    });
  const schema = await loadSchema(options, terminal);
  const { createOrdersClient } = await import('@orders/client');
  const timeouts = { ...own.timeouts, ...config.timeouts };
  try {
    const client = createOrdersClient({
      ...rest,
      baseUrl,
      ...(isMissing ? { apiKey: () => undefined } : authorization),
      ...(options.allowInsecureHttp && { allowInsecureHttp: true }),
      ...(schema && { schema }),
      ...(own.rateLimit && { rateLimit: own.rateLimit }),
      retry: { ...own.retry, ...config.retry },
      timeouts: { ...timeouts, ...limitAttempts(options.timeout, timeouts.total) },
    });
    const connector = connectors.find((name) => config[name] !== undefined);
    return { client, baseUrl: normalizeUrl(baseUrl), connector };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(nameFlags(error.message), 2);
  }
}

/** Whether a URL is one of this machine, so that no network sees what is sent to it over plain http. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** A base URL as it is compared and printed, whichever way it is written. */
export function normalizeUrl(baseUrl: string | URL): string {
  return new URL(baseUrl).href.replace(/\/+$/, '');
}

/** The time limits of `--timeout`: a call may take as long as one of its attempts. */
function limitAttempts(timeout: number | undefined, total = 45_000): OrdersClientOptions['timeouts'] {
  if (timeout === undefined) return {};
  return { attempt: timeout, connect: timeout, ...(timeout > total && { total: timeout }) };
}

/** A key of a module, or the function that reads it, so that neither it nor the message of what the function throws is printed. */
function hideKey<Key>(
  given: Key | (() => Key | PromiseLike<Key>),
  terminal: Terminal,
): Key | (() => Promise<Key>) {
  if (typeof given !== 'function') {
    addKey(given, terminal);
    return given;
  }
  return async () => {
    try {
      const key = await (given as () => Key | PromiseLike<Key>)();
      addKey(key, terminal);
      return key;
    } catch (error) {
      throw new Error(`it threw ${kindOfError(error)}; its message may hold a key and is left out`);
    }
  };
}

/** Prints a key nowhere, whether it is given as a text, as a secret, or as the value of a header. */
function addKey(given: unknown, terminal: Terminal): void {
  const text = typeof given === 'string' ? given : (given as { reveal?(): unknown } | undefined)?.reveal?.();
  if (typeof text !== 'string') return;
  const [, basic, bearer] = text.match(/^(?:basic (.+)|bearer (.+))$/i) ?? [];
  if (basic !== undefined) terminal.addSecret(Buffer.from(basic, 'base64').toString().replace(/:$/, ''));
  else terminal.addSecret(bearer ?? text);
}

/** Options of the client have the names of code; who reads this wrote flags. */
function nameFlags(message: string): string {
  const flags: Readonly<Record<string, string>> = {
    baseUrl: '--base-url',
    allowInsecureHttp: '--allow-insecure-http',
    'timeouts.attempt': '--timeout',
    'rateLimit.requestsPerSecond': '--rate',
  };
  return message
    .replace(/^createOrdersClient: /, '--config: ')
    .replace('pass the key as apiKey instead', 'set ORDERS_API_KEY instead')
    .replace('set allowInsecureHttp', 'pass --allow-insecure-http')
    .replace(/^(baseUrl|timeouts\.attempt|rateLimit\.requestsPerSecond)\b/, (name) => flags[name] ?? name);
}

/** The key that was given; an empty variable counts as none. @throws CommandError */
export async function readKey(
  { apiKeyFile, apiKeyCommand }: KeyOptions,
  { terminal, env }: Pick<ConnectionRequest, 'terminal' | 'env'>,
): Promise<string | undefined> {
  if (apiKeyFile !== undefined) {
    // It may be a pipe, such as that of <(pass show orders).
    const reading = terminal.waitFor('--api-key-file', readFile(apiKeyFile, 'utf8'));
    const text = await reading.catch(({ code }: NodeJS.ErrnoException) => {
      throw new CommandError(`--api-key-file: cannot read the file (${code}).`, 3, {
        hint: 'Write its name, never the key itself; so the name is left out here.',
      });
    });
    return oneLine('--api-key-file', text);
  }
  if (apiKeyCommand === undefined) return env['ORDERS_API_KEY'] || undefined;
  const [program = '', ...args] = splitWords(apiKeyCommand);
  if (program === '') throw new CommandError('--api-key-command: expected a command, got nothing.', 2);
  const running = promisify(execFile)(program, args, {
    timeout: 60_000,
    // One that ignores SIGTERM would be waited for without end.
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  // A command that reads its input would never end.
  running.child.stdin?.end();
  const ended = terminal.waitFor('--api-key-command', running);
  const { stdout } = await ended.catch((error: NodeJS.ErrnoException & { readonly killed?: boolean }) => {
    if (error.syscall?.startsWith('spawn'))
      throw new CommandError(`--api-key-command: cannot start the program (${error.code}).`, 3, {
        hint: 'Write a command that prints the key, never the key itself; so the name is left out here.',
      });
    const what = error.killed ? 'took longer than 60 s' : `failed (${error.code})`;
    throw new CommandError(`--api-key-command: ${basename(program)} ${what}. Run it by itself to see why.`);
  });
  return oneLine('--api-key-command', stdout);
}

function oneLine(flag: string, text: string): string {
  const key = text.replace(/^\ufeff|\r?\n$/g, '');
  if (key.includes('\0')) throw new CommandError(`${flag}: expected a key in UTF-8, got UTF-16.`);
  if (/^[^\r\n]+$/.test(key)) return key;
  throw new CommandError(`${flag}: expected the key on one line, got ${key === '' ? 'nothing' : 'several'}.`);
}

/** Splits a command into words; quotes keep spaces together, and a backslash is part of a path of Windows. */
export function splitWords(command: string): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

type Config = Partial<Omit<OrdersClientOptions, keyof CallHooks>>;

/** Loads the options of the client from a module's default export, or from JSON. @throws CommandError */
async function loadConfig(file: string, terminal: Terminal): Promise<Config> {
  // What reads a setting of a module runs its code.
  const copy = (value: unknown): Record<string, unknown> | undefined =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  const found =
    extname(file) === '.json'
      ? copy(await readJsonFile(file, { terminal, describe: describeWithoutText }))
      : await loadModule('--config', file, { terminal, read: (module) => copy(module['default']) });
  if (found !== undefined) return found as Config;
  const how = extname(file) === '.json' ? 'an object' : 'export default { baseUrl: "https://..." }';
  throw new CommandError(`--config: ${file}: expected options of createOrdersClient. Write ${how}.`, 2);
}

function describeWithoutText(issue: Omit<RowIssue, 'row'>): string {
  if (issue.code === 'duplicate_name') return describeIssue(issue);
  const what = issue.code === 'malformed' ? 'it is not JSON' : 'JavaScript does not have this number';
  return `${what}. Its text may hold a key and is left out.`;
}

/** The schema of updates: of `--schema`, of `--config` or of the folder; without them that of the client. @throws CommandError */
export async function loadSchema(
  { schema: file, config, orderUpdate }: SchemaOptions,
  terminal: Terminal,
): Promise<OrderUpdateSchema | undefined> {
  if (file !== undefined) {
    const schema = await loadModule('--schema', file, {
      terminal,
      read: (module) => module['default'] ?? module['schema'],
    });
    return checkSchema(schema, `--schema: ${file}: write export default defineOrderUpdate({ ... }).`);
  }
  const { schema } = config === undefined ? {} : await loadConfig(config, terminal);
  if (schema) return checkSchema(schema, `--config: ${config}: schema: write defineOrderUpdate({ ... }).`);
  if (orderUpdate === undefined) return undefined;
  const { defineOrderUpdate } = await import('@orders/schema');
  try {
    return defineOrderUpdate(orderUpdate) as OrderUpdateSchema;
  } catch (error) {
    throw new CommandError(`orders.json: orderUpdate: ${describeError(error)}`, 2);
  }
}

function checkSchema(schema: unknown, advice: string): OrderUpdateSchema {
  if (typeof Object(schema).safeParse === 'function') return schema as OrderUpdateSchema;
  throw new CommandError(advice, 2);
}

/**
 * Loads a module, and reads what it exports.
 *
 * @throws CommandError whose message holds nothing of a module that may know a key.
 */
export async function loadModule<T>(
  flag: string,
  file: string,
  {
    terminal,
    read,
  }: { readonly terminal: Terminal; readonly read: (module: Readonly<Record<string, unknown>>) => T },
): Promise<T> {
  try {
    return read(await terminal.waitFor(`${flag} ${file} to load`, import(pathToFileURL(resolve(file)).href)));
  } catch (error) {
    const { code } = Object(error) as NodeJS.ErrnoException;
    const why =
      code === 'ERR_MODULE_NOT_FOUND'
        ? describeError(error)
        : `it threw ${kindOfError(error)}. Its message may hold a key and is left out: "node ${file}" prints it.`;
    throw new CommandError(`${flag}: cannot load ${file}: ${why}`, 3);
  }
}

const folderFile = 'orders.json';

/** What orders.json may set: what can neither reach a key nor run code. */
const folderSettings: readonly string[] = [
  'concurrency',
  'decimals',
  'orderUpdate',
  'rate',
  'stopOnRejected',
  'timeout',
];

/** What an orders.json that lies in a folder may not choose: where the key goes, how it is read, which code runs. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['baseurl', 'Set ORDERS_BASE_URL, or pass --base-url or --config'],
  ['apikey', 'Set ORDERS_API_KEY'],
  ['apikeyfile', 'Pass --api-key-file'],
  ['apikeycommand', 'Pass --api-key-command'],
  ['credentials', 'Pass --config'],
  ['config', 'Pass --config'],
  ['schema', 'Pass --schema'],
  ['allowinsecurehttp', 'Pass --allow-insecure-http'],
]);

/** The settings of orders.json in this folder, if there is one. @throws CommandError */
export async function readFolderSettings(): Promise<Readonly<Record<string, unknown>>> {
  const stats = statSync(folderFile, { throwIfNoEntry: false });
  if (!stats) return {};
  // A pipe would be waited for.
  if (!stats.isFile() || stats.size > 65_536)
    throw new CommandError(`${folderFile} in this folder is not a file of at most 64 KiB.`, 2);
  const found = await readJsonFile(folderFile);
  for (const name of Object.keys(Object(found))) {
    const advice = refusals.get(name.toLowerCase().replace(/[-_]/g, ''));
    if (advice !== undefined)
      throw new CommandError(
        `${folderFile} may not set "${name}": a file that lies in a folder must not choose where your key goes or which code runs. ${advice}.`,
        2,
      );
  }
  try {
    // `null` would hold no options.
    checkOptions(`${folderFile} in this folder`, found ?? [], folderSettings);
  } catch (error) {
    throw new CommandError(describeError(error), 2);
  }
  const settings = found as Readonly<Record<string, unknown>>;
  if ('fields' in Object(settings['orderUpdate']))
    throw new CommandError(
      `${folderFile}: orderUpdate.fields: a schema of a field is code. Pass --schema.`,
      2,
    );
  return settings;
}
