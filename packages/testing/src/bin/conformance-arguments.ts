import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { conformanceCases } from '../conformance/conformance-cases.ts';
import type { ConformanceNames, ConformanceOptions } from '../conformance/conformance-options.ts';
import { readOptions } from '../conformance/read-options.ts';
import type { ImpliedWeight } from './conformance-exit-code.ts';
import { readWholeOption } from './read-whole-option.ts';
import { tellMistake } from './tell-mistake.ts';

/** What the command line asks for. */
export type ConformanceArguments =
  | { readonly wish: 'run'; readonly options: ConformanceOptions; readonly shown: Shown }
  | { readonly wish: 'list'; readonly asJson: boolean }
  | { readonly wish: 'print'; readonly text: string }
  | { readonly wish: 'none'; readonly mistake: string };

export interface Shown {
  readonly asJson: boolean;
  readonly implied: ImpliedWeight;
}

export interface ConformanceEnvironment {
  readonly key: string | undefined;
  readonly otherKey: string | undefined;
  readonly version: string;
}

/** Reads the words after the program's name; a mistake is one line that never shows a key. */
export function readConformanceArguments(
  words: readonly string[],
  env: ConformanceEnvironment,
): ConformanceArguments {
  let printed = '';
  const program = createProgram(env.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    program.parse(words, { from: 'user' });
    // The words themselves are not repeated: a key given without its flag would be among them.
    if (program.args.length > 0) throw new InvalidArgumentError('Every argument is an option; see --help.');
    const given = program.opts<Options>();
    if (given.list) return { wish: 'list', asJson: given.json ?? false };
    return {
      wish: 'run',
      options: toOptions(given, env),
      shown: { asJson: given.json ?? false, implied: given.implied },
    };
  } catch (error) {
    if (error instanceof TypeError) return { wish: 'none', mistake: nameFlag(error.message) };
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: tellMistake(error.message) };
  }
}

interface Options {
  readonly baseUrl?: string;
  readonly key?: string;
  readonly token?: string;
  readonly disposable?: true;
  readonly otherKey?: string;
  readonly name?: readonly NamedField[];
  readonly currency?: string;
  readonly shippingAddress?: Readonly<Record<string, unknown>>;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly timeout: number;
  readonly allowInsecureHttp?: true;
  readonly implied: ImpliedWeight;
  readonly json?: true;
  readonly list?: true;
}

function createProgram(version: string): Command {
  return new Command('orders-conformance')
    .description(
      'Asks an order service what the interface document promises, and tells which answers differ.',
    )
    .option('--base-url <url>', 'what comes before /v2')
    .option('--key <key>', 'key of type SalesChannelApiKey; ORDERS_API_KEY does not show it to other users')
    .option('--token <token>', 'token of an order that can be updated')
    .option('--disposable', 'that order may be changed for good; without it nothing is changed')
    .option('--other-key <key>', 'key of another type, or ORDERS_OTHER_API_KEY')
    .option('--name <field=name>', `name of ${FIELDS.join(', ')}; metadata twice`, collectName)
    .option('--currency <code>', 'a currency that the service takes')
    .option('--shipping-address <json>', 'an address that the service takes', readObject)
    .option('--only <ids>', 'try these cases alone, by commas', collectIds)
    .option('--skip <ids>', 'skip these cases, by commas', collectIds)
    .option('--timeout <ms>', 'how long each request may take', readWholeOption(1, 999_999_999), 10_000)
    .option('--allow-insecure-http', 'let keys travel over plain http to another machine')
    .option('--implied <warn|fail>', 'what a difference means that is implied only', readWeight, 'fail')
    .option('--json', 'print the report, or the list, as JSON')
    .option('--list', 'list the cases and send nothing')
    .version(version, '--version', 'show the version')
    .helpOption('--help', 'show this help')
    .addHelpText('after', AFTER_HELP)
    .showSuggestionAfterError(false)
    .allowExcessArguments();
}

const AFTER_HELP = `
Cases are skipped for which no --token, --other-key, --name, --currency or --shipping-address is given, and, without
--disposable, those that could change the order.

Ends with 0 when all that was tried passed, 1 when an answer differs, 2 for a mistake in the arguments, and 3 when
something could not be judged, as when the service cannot be reached, or when nothing was tried.`;

function toOptions(given: Options, env: ConformanceEnvironment): ConformanceOptions {
  const apiKey = given.key ?? env.key;
  const otherTypeKey = given.otherKey ?? env.otherKey;
  const { baseUrl, token, currency, shippingAddress, only } = given;
  if (baseUrl === undefined) throw new InvalidArgumentError("Give the service's address with --base-url.");
  if (!apiKey) throw new InvalidArgumentError('Give the key in ORDERS_API_KEY, or with --key.');
  const options: ConformanceOptions = {
    baseUrl,
    apiKey,
    disposable: given.disposable ?? false,
    names: toNames(given.name ?? []),
    skip: given.skip ?? [],
    timeoutMs: given.timeout,
    allowInsecureHttp: given.allowInsecureHttp ?? false,
    ...(token === undefined ? {} : { orderToken: token }),
    ...(otherTypeKey ? { otherTypeKey } : {}),
    ...(currency === undefined ? {} : { currency }),
    ...(shippingAddress === undefined ? {} : { shippingAddress }),
    ...(only === undefined ? {} : { only }),
  };
  // Throws what is wrong before anything is sent.
  readOptions(options);
  return options;
}

const FIELDS = ['metadata', 'total', 'vat', 'qr-session'] as const;

interface NamedField {
  readonly field: (typeof FIELDS)[number];
  readonly name: string;
}

function collectName(text: string, before: readonly NamedField[] = []): readonly NamedField[] {
  const [, word, name = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const field = FIELDS.find((known) => known === word);
  if (field === undefined) throw new InvalidArgumentError(`Write ${FIELDS.join('=… or ')}=….`);
  const most = field === 'metadata' ? 2 : 1;
  if (before.filter((one) => one.field === field).length === most) {
    throw new InvalidArgumentError(`It names ${field} once too often.`);
  }
  return [...before, { field, name }];
}

function toNames(named: readonly NamedField[]): ConformanceNames {
  const namesOf = (field: NamedField['field']) =>
    named.filter((one) => one.field === field).map(({ name }) => name);
  const [first, second] = namesOf('metadata');
  const [totalAmount] = namesOf('total');
  const [vatAmount] = namesOf('vat');
  const [qrSessionId] = namesOf('qr-session');
  return {
    ...(first === undefined ? {} : { metadata: second === undefined ? [first] : [first, second] }),
    ...(totalAmount === undefined ? {} : { totalAmount }),
    ...(vatAmount === undefined ? {} : { vatAmount }),
    ...(qrSessionId === undefined ? {} : { qrSessionId }),
  };
}

function collectIds(text: string, before: readonly string[] = []): readonly string[] {
  const ids = text.split(',').map((id) => id.trim());
  const unknown = ids.find((wanted) => !conformanceCases.some(({ id }) => id === wanted));
  if (unknown !== undefined) throw new InvalidArgumentError('There is no such case; --list shows all.');
  return [...before, ...ids];
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // What cannot be read is told as what is no object.
  }
  throw new InvalidArgumentError('Write an object in JSON.');
}

function readWeight(text: string): ImpliedWeight {
  if (text === 'warn' || text === 'fail') return text;
  throw new InvalidArgumentError('Write warn or fail.');
}

const FLAGS: Readonly<Partial<Record<string, string>>> = {
  baseUrl: '--base-url',
  apiKey: 'ORDERS_API_KEY or --key',
  otherTypeKey: 'ORDERS_OTHER_API_KEY or --other-key',
  orderToken: '--token',
  disposable: '--disposable',
  currency: '--currency',
  timeoutMs: '--timeout',
};

/** The options of the function have the names of code; a reader at a prompt knows the flags. */
function nameFlag(message: string): string {
  return message.replace(/\b[a-z]+[A-Z]\w*|^\w+/g, (word) => FLAGS[word] ?? word);
}
