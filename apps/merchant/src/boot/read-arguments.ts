import { OrderToken } from '@orders/schema';
import { Command, CommanderError, InvalidArgumentError } from 'commander';

/** What the command line asks for. */
export type Arguments =
  | { readonly wish: 'start'; readonly settings: Settings }
  | { readonly wish: 'print'; readonly text: string }
  | { readonly wish: 'none'; readonly mistake: string };

export interface Settings {
  readonly port: number;
  readonly host: string;
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

/** Reads the words after the program's name; a mistake is one line. */
export function readArguments(words: readonly string[], apiKey: string | undefined): Arguments {
  let printed = '';
  const program = createProgram()
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    program.parse(words, { from: 'user' });
    const { port, host, ...service } = program.opts<Options>();
    return { wish: 'start', settings: { port, host, service: chooseService(service, apiKey) } };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: error.message.replace(/\s+/g, ' ').replace(/^error: /, '') };
  }
}

interface Options {
  readonly port: number;
  readonly host: string;
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
      '--service-port <number>',
      "port of the desk's own order service; 0 for a free one",
      readPort,
      4010,
    )
    .option('--base-url <url>', 'talk to this order service instead; its key is in ORDERS_API_KEY', readUrl)
    .option('--order <token>', 'with --base-url: an order to show, repeatable', collectToken, [])
    .helpOption('--help', 'show this help')
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
}

function chooseService(options: Omit<Options, 'port' | 'host'>, apiKey = ''): Settings['service'] {
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

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return text;
  throw new InvalidArgumentError('Give an address such as https://orders.example.');
}

function collectToken(text: string, before: readonly string[]): readonly string[] {
  if (!OrderToken.safeParse(text).success) throw new InvalidArgumentError('Give the token of an order.');
  return before.includes(text) ? before : [...before, text];
}
