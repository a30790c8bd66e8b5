import { OrderToken } from '@orders/schema';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { SendsThrough } from '../contract/outbox-view.ts';

/** What the command line asks for. */
export type Arguments =
  | { readonly wish: 'start'; readonly settings: Settings }
  | { readonly wish: 'print'; readonly text: string }
  | { readonly wish: 'none'; readonly mistake: string };

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Where the order service reaches the desk, without a trailing slash; absent: at the desk's own address. */
  readonly publicUrl?: string;
  /** Where everything is kept: in a folder, in memory until the end, or in a PostgreSQL database. */
  readonly data: { readonly folder: string } | { readonly databaseUrl: string } | 'memory';
  /** What sends updates: the desk's own client at once, or an outbox in their turn. */
  readonly sendsThrough: SendsThrough;
  /** The order service to use: one of the desk's own on a port, or another one. */
  readonly service:
    | { readonly kind: 'own'; readonly port: number }
    | {
        readonly kind: 'other';
        readonly baseUrl: string;
        readonly apiKey: string;
        readonly tokens: readonly string[];
      };
}

/** The variables of the environment that matter. */
export interface Environment {
  readonly ORDERS_API_KEY?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
}

/** Reads the words after the program's name; a mistake is one line. */
export function readArguments(words: readonly string[], environment: Environment): Arguments {
  let printed = '';
  const program = createProgram()
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    program.parse(words, { from: 'user' });
    const options = program.opts<Options>();
    const { port, host, publicUrl, outbox } = options;
    const sendsThrough = outbox ? 'outbox' : 'client';
    const service = chooseService(options, environment);
    const data = chooseData(options, environment);
    return {
      wish: 'start',
      settings: {
        port,
        host,
        data,
        service,
        sendsThrough,
        ...(publicUrl === undefined ? {} : { publicUrl }),
      },
    };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: error.message.replace(/\s+/g, ' ').replace(/^error: /, '') };
  }
}

interface Options {
  readonly port: number;
  readonly host: string;
  readonly publicUrl?: string;
  readonly data?: string;
  readonly memory?: true;
  readonly outbox?: true;
  readonly servicePort: number;
  readonly baseUrl?: string;
  readonly order: readonly string[];
}

function createProgram(): Command {
  return new Command('merchant')
    .description("Starts a merchant's desk, and an order service for it to talk to.")
    .option('--port <number>', 'port of the desk; 0 for a free one', readPort, 4000)
    .option('--host <address>', 'address the desk listens on', readHost, '127.0.0.1')
    .option(
      '--public-url <url>',
      'where the order service reaches the desk; its own address by default',
      readUrl,
    )
    .option('--data <folder>', 'where everything is kept; a folder in .merchant-desk by default', readFolder)
    .option('--memory', 'keep nothing')
    .option(
      '--outbox',
      'send through an outbox in the same place, which loses no update and keeps their order',
    )
    .option(
      '--service-port <number>',
      "port of the desk's own order service; 0 for a free one",
      readPort,
      8402,
    )
    .option('--base-url <url>', 'talk to this order service instead; its key is in ORDERS_API_KEY', readUrl)
    .option('--order <token>', 'with --base-url: an order to show, repeatable', collectToken, [])
    .addHelpText(
      'after',
      '\nWith DATABASE_URL in the environment everything is kept in that PostgreSQL database.',
    )
    .helpOption('--help', 'show this help')
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
}

function chooseService(options: Options, { ORDERS_API_KEY: apiKey = '' }: Environment): Settings['service'] {
  const { servicePort, baseUrl, order: tokens } = options;
  if (baseUrl === undefined) {
    if (tokens.length > 0)
      throw new InvalidArgumentError('--order goes with --base-url: the own order service makes its orders.');
    return { kind: 'own', port: servicePort };
  }
  if (apiKey === '')
    throw new InvalidArgumentError(
      '--base-url needs the API key in the environment variable ORDERS_API_KEY.',
    );
  return { kind: 'other', baseUrl, apiKey, tokens };
}

function chooseData(options: Options, { DATABASE_URL: databaseUrl = '' }: Environment): Settings['data'] {
  const { data: folder, memory, baseUrl } = options;
  const ways = [
    folder === undefined ? '' : '--data',
    memory ? '--memory' : '',
    databaseUrl === '' ? '' : 'DATABASE_URL of the environment',
  ].filter((way) => way !== '');
  if (ways.length > 1)
    throw new InvalidArgumentError(`${ways.join(' and ')} each say where to keep everything; give one.`);
  if (memory) return 'memory';
  if (databaseUrl !== '') return { databaseUrl };
  return { folder: folder ?? `.merchant-desk/${baseUrl === undefined ? 'own' : nameFolder(baseUrl)}` };
}

/** A folder for each order service, so that orders of different ones never mix. */
function nameFolder(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  return `${host}${pathname}`.replace(/\/$/, '').replace(/[^\w.-]+/g, '_');
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('Give a whole number from 0 to 65535.');
}

function readHost(text: string): string {
  // An empty host would listen on every address of the machine.
  if (text.trim() === '') throw new InvalidArgumentError('Give an address or a name.');
  return text;
}

function readFolder(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give a folder.');
  return text;
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (isPlain) return text.replace(/\/$/, '');
  throw new InvalidArgumentError('Give an address such as https://orders.example.');
}

function collectToken(text: string, before: readonly string[]): readonly string[] {
  if (!OrderToken.safeParse(text).success) throw new InvalidArgumentError('Give the token of an order.');
  return before.includes(text) ? before : [...before, text];
}
