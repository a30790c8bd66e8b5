import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type FaultRule, readFaultRule } from '../service/faults/fault-rule.ts';
import { isRecord } from '../service/faults/field-check.ts';
import { findKeyProblem, type ServiceKey } from '../service/key-ring.ts';
import { readWholeOption } from './read-whole-option.ts';
import { tellMistake } from './tell-mistake.ts';

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
  readonly maxBodyBytes: number;
  readonly historyLimit: number;
  readonly faults: readonly FaultRule[];
  readonly control: boolean;
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
    const {
      key,
      latency,
      maxBody,
      history,
      fault,
      control = false,
      log = false,
      ...options
    } = program.opts<Options>();
    // The words themselves are not repeated: a key given without its flag would be among them.
    if (program.args.length > 0) throw new InvalidArgumentError('Every argument is an option; see --help.');
    const keys = key.map((text, index) => readKey(text, `--key number ${index + 1}`));
    if (env.key) keys.push(readKey(env.key, 'ORDERS_SERVICE_KEY'));
    if (new Set(keys.map((entry) => entry.key)).size < keys.length) {
      throw new InvalidArgumentError('A key is given twice.');
    }
    if (options.host === '') throw new InvalidArgumentError('--host is empty; give an address or a name.');
    const faults = fault.map((text, index) => readFaultText(text, `--fault number ${index + 1}`));
    const settings = {
      ...options,
      keys,
      faults,
      latencyMs: latency,
      maxBodyBytes: maxBody,
      historyLimit: history,
      control,
      log,
    };
    return { wish: 'start', settings };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: tellMistake(error.message) };
  }
}

interface Options extends Pick<Settings, 'port' | 'host' | 'orders'> {
  readonly key: readonly string[];
  readonly fault: readonly string[];
  readonly latency: number;
  readonly maxBody: number;
  readonly history: number;
  readonly control?: true;
  readonly log?: true;
}

function createProgram(version: string): Command {
  return new Command('orders-service')
    .description('Runs an order service on this machine, to test against.')
    .option('--port <number>', 'port to listen on; 0 for a free one', readWholeOption(0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(list('--key <key:type>', 'key to take, repeatable', 'one made at random'))
    .option('--orders <number>', 'how many orders to make', readWholeOption(1, 100_000), 5)
    .option('--latency <ms>', 'how long to hold back each answer', readWholeOption(0, 600_000), 0)
    .option('--max-body <bytes>', 'largest body to take', readWholeOption(0, 268_435_456), 1_048_576)
    .addOption(list('--fault <json>', 'what goes wrong, repeatable', 'nothing'))
    .option('--history <number>', 'how many requests to remember', readWholeOption(0, 1_000_000), 10_000)
    .option('--control', 'serve the control API at /_control')
    .option('--log', 'print a line for each request')
    .version(version, '--version', 'show the version')
    .helpOption('--help', 'show this help')
    .addHelpText('after', AFTER_HELP)
    .showSuggestionAfterError(false)
    .allowExcessArguments();
}

const AFTER_HELP = `
A key's type is SalesChannelApiKey where :type is left out. Without any key, one is made for the run and printed.
ORDERS_SERVICE_KEY (key:type) adds a key that the list of processes does not show.

A fault by itself happens to every request; a rule says when it does:
  --fault '{"fault":"latency","ms":200}'
  --fault '{"when":"next","play":{"fault":"status","status":503},"times":2}'
  --fault '{"when":"sometimes","play":{"fault":"truncation"},"probability":0.1}'

The control API takes any of the keys. It scripts faults, shows orders, ledger and journal, and sends webhooks.`;

function list(flags: string, description: string, otherwise: string): Option {
  const collect = (text: string, before: readonly string[]) => [...before, text];
  return new Option(flags, description).argParser<readonly string[]>(collect).default([], otherwise);
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

/** A fault by itself is one that always happens. */
function readFaultText(text: string, place: string): FaultRule {
  const value = parseJson(text);
  if (value === undefined) throw new InvalidArgumentError(`${place} is not JSON; put it in single quotes.`);
  const isFault = isRecord(value.json) && 'fault' in value.json && !('when' in value.json);
  // What a rule must be is checked here, so its type is known only afterwards.
  const rule = (isFault ? { when: 'always', play: value.json } : value.json) as FaultRule;
  try {
    readFaultRule(rule);
    return rule;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidArgumentError(`${place}: ${error.message}`);
  }
}

function parseJson(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
