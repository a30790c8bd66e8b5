import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { findKeyProblem, type ServiceKey } from '../service/key-ring.ts';

/** What the command line asks for. */
export type Arguments =
  | { readonly wish: 'start'; readonly settings: Settings }
  | { readonly wish: 'print'; readonly text: string }
  | { readonly wish: 'none'; readonly mistake: string };

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Empty when the service is to make one itself. */
  readonly keys: readonly ServiceKey[];
  readonly orders: number;
  readonly latencyMs: number;
  readonly log: boolean;
}

/** Reads the words after the program's name; a mistake is one line that never shows a key. */
export function readArguments(
  words: readonly string[],
  env: { key: string | undefined; version: string },
): Arguments {
  let printed = '';
  const program = createProgram(env.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    program.parse(words, { from: 'user' });
    const { key, latency, ...options } = program.opts<Options>();
    // The words themselves are not repeated: a key given without its flag would be among them.
    if (program.args.length > 0) throw new InvalidArgumentError('Every argument is an option; see --help.');
    const keys = key.map((text, index) => readKey(text, `--key number ${index + 1}`));
    if (env.key) keys.push(readKey(env.key, 'ORDERS_SERVICE_KEY'));
    if (new Set(keys.map((entry) => entry.key)).size < keys.length) {
      throw new InvalidArgumentError('A key is given twice.');
    }
    if (options.host === '') throw new InvalidArgumentError('--host is empty; give an address or a name.');
    return { wish: 'start', settings: { ...options, keys, latencyMs: latency } };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: tellMistake(error.message) };
  }
}

interface Options extends Omit<Settings, 'keys' | 'latencyMs'> {
  readonly key: readonly string[];
  readonly latency: number;
}

function createProgram(version: string): Command {
  return new Command('orders-service')
    .description('Runs an order service on this machine, to test against.')
    .option('--port <number>', 'port to listen on; 0 for a free one', readWhole(0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--key <key:type>', 'key to take, repeatable; ":type" may be left out', collect, [])
    .option('--orders <number>', 'how many orders to make', readWhole(1, 100_000), 5)
    .option('--latency <ms>', 'how long to hold back each answer', readWhole(0, 600_000), 0)
    .option('--log', 'print a line for each request', false)
    .version(version, '--version', 'show the version')
    .helpOption('--help', 'show this help')
    .addHelpText('after', AFTER_HELP)
    .showSuggestionAfterError(false)
    .allowExcessArguments();
}

const AFTER_HELP = `
A key's type is SalesChannelApiKey unless named. Without any key, one is made for the run and printed.
ORDERS_SERVICE_KEY (key:type) adds a key that the list of processes does not show.`;

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
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

function tellMistake(message: string): string {
  // What follows the equals sign of a misspelled option may be a key.
  const oneLine = message.replace(/\s+/g, ' ').replace(/^error: /, '');
  return oneLine.replace(/^(unknown option '[^=']*)=.*$/, "$1'");
}
