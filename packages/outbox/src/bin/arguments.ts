import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CommandError } from './errors.ts';

/** Where an outbox is. */
export type Place = { readonly databaseSchema: string } & (
  | { readonly folder: string }
  /** It may hold a password. */
  | { readonly connectionString: string }
);

/** Options of all commands; durations are in milliseconds. Those without a default are there when they were given. */
export interface Options {
  readonly databaseUrl?: string;
  readonly folder?: string;
  readonly databaseSchema: string;
  readonly json?: true;
  readonly baseUrl?: string;
  readonly allowInsecureHttp?: true;
  readonly client?: string;
  readonly concurrency?: number;
  readonly localConcurrency?: number;
  readonly rate?: number;
  readonly burst?: number;
  readonly onUnknown?: 'review' | 'resend';
  readonly onRejected?: 'continue' | 'hold';
  readonly maxRetryDelay?: number;
  readonly keepSettled?: number;
  readonly keepRejected?: number;
  readonly grace?: number;
  readonly metrics: boolean;
  readonly metricsHost: string;
  readonly metricsPort: number;
  readonly watch?: true;
  readonly all?: true;
  readonly yes?: true;
  readonly needsReview?: true;
  readonly rejected?: true;
  readonly code?: string;
  readonly limit?: number;
  readonly by?: string;
  readonly note?: string;
}

/** A command as it was given. */
export interface GivenCommand {
  readonly name: string;
  readonly args: readonly string[];
  readonly place: Place;
  readonly options: Options;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the arguments of the command. A text is help or the version, to be printed.
 *
 * @throws CommandError in one line that shows no key and no password.
 */
export function parseArguments(
  words: readonly string[],
  env: Environment,
  version: string,
): GivenCommand | string {
  let printed = '';
  let given: GivenCommand | undefined;
  const program = createProgram(version, (command) => {
    const options = command.opts<Options>();
    given = {
      name: command.name(),
      args: [...new Set(command.args)],
      place: readPlace(options, env),
      options,
    };
    checkOptions(given, env);
  });
  // The subcommands exist already and inherit nothing.
  for (const each of [program, ...program.commands])
    each.exitOverride().configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return printed;
    throw new CommandError(formatUsageError(error), 2);
  }
  return given ?? printed;
}

/** A usage error without words that may be a key. */
function formatUsageError({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'Write a command; see --help.';
  if (code === 'commander.unknownCommand') return 'There is no such command; see --help.';
  if (code === 'commander.excessArguments') return 'There are too many arguments; see --help.';
  const line = message.replace(/\s+/g, ' ').replace(/^error: /, '');
  return line.replace(/^(unknown option '[^=']*)=.*$/, "$1'");
}

function createProgram(version: string, onCommand: (command: Command) => void): Command {
  const program = new Command('orders-outbox')
    .description('Sends the order updates of an outbox, and shows and settles what waits for a person.')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .addHelpText('after', footer)
    .showSuggestionAfterError(false);

  function add(name: string, description: string): Command {
    return program
      .command(name)
      .description(description)
      .helpOption('--help', 'print this help')
      .addOption(
        new Option('--database-url <url>', 'PostgreSQL that holds the outbox, or DATABASE_URL').conflicts(
          'folder',
        ),
      )
      .option('--folder <path>', 'folder in which PGlite holds the outbox', nonEmpty)
      .option('--database-schema <name>', 'database schema of its tables', 'orders_outbox')
      .option('--json', 'print JSON')
      .addHelpText('after', footer)
      .showSuggestionAfterError(false)
      .action((...all: unknown[]) => onCommand(all.at(-1) as Command));
  }

  add('start', 'Sends accepted updates until SIGTERM or Ctrl-C; a second signal ends it at once.')
    .addOption(new Option('--base-url <url>', 'URL before /v2, or ORDERS_BASE_URL').conflicts('client'))
    .option('--allow-insecure-http', 'send the key over plain http to another machine')
    .option('--client <file>', 'module whose export "client" sends instead', nonEmpty)
    .option('--concurrency <number>', 'updates in flight at once, over all processes (default: 32)', count)
    .option('--local-concurrency <number>', 'updates in flight at once in this process (default: 32)', count)
    .option('--rate <number>', 'updates per second, over all processes', number(0.001, 1e6, false))
    .option('--burst <number>', 'updates that leave at once after a quiet time (default: 1)', count)
    .addOption(choice('--on-unknown <choice>', 'what to do with an unknown outcome', ['review', 'resend']))
    .addOption(choice('--on-rejected <choice>', 'what an order does after a rejection', ['continue', 'hold']))
    .option('--max-retry-delay <duration>', 'longest delay before a retry (default: 60s)', duration(1))
    .option('--keep-settled <duration>', 'how long applied ones are kept (default: 7d)', duration())
    .option('--keep-rejected <duration>', 'how long rejected ones are kept (default: 30d)', duration())
    .option(
      '--grace <duration>',
      'how long updates in flight may take at the end (default: 10s)',
      duration(1),
    )
    .option('--metrics-host <host>', 'where to serve health and metrics', nonEmpty, '127.0.0.1')
    .option('--metrics-port <port>', 'their port; 0 chooses a free one', number(0, 65_535), 4011)
    .addOption(new Option('--no-metrics', 'serve neither').conflicts(['metricsHost', 'metricsPort']));
  add('status', 'Shows the backlog, and what holds it up.').option('--watch', 'show it every second');
  addFilters(add('list', 'Lists the updates that need review or were rejected, oldest first.')).addOption(
    limit('100; with --json, all'),
  );
  add('show', 'Shows one update, with its body while it may still be sent.').argument('<id>');
  add('history', 'Shows the latest updates of an order, newest first.')
    .argument('<token>')
    .addOption(limit('100'));
  addDecision(add('retry', 'Sends updates again. One that needs review may then be applied twice.'));
  addDecision(add('discard', 'Gives updates up, for good.')).option('--yes', 'do not ask before --all');
  addReason(add('resolve', 'Notes that updates were applied after all, as a person found out.')).argument(
    '<id...>',
  );
  add('resume', 'Ends the pause after a 429, in all processes.');
  add('migrate', 'Makes the tables, or brings them up to date; running it again changes nothing.');
  return program;
}

const footer = `
Examples:
  ORDERS_API_KEY=… orders-outbox start --folder ./outbox --base-url https://api.example.com
  DATABASE_URL=postgres://… orders-outbox status --watch
  orders-outbox retry --folder ./outbox --all --rejected --code 401
  orders-outbox resolve --folder ./outbox 0197fcaa-2b7c-7000-8000-000000000000 --note "seen in the ledger"

The outbox is in PostgreSQL (--database-url, or DATABASE_URL) or in a folder (--folder). Beside a "start" on the same
folder, the other commands ask that process. The key is read from ORDERS_API_KEY only.
Durations are written as 500ms, 30s, 5m, 2h or 7d.

Exit codes: 0 done, 1 something could not be done, 2 wrong arguments.`;

function addFilters(command: Command): Command {
  return command
    .option('--needs-review', 'only those whose outcome is unknown')
    .option('--rejected', 'only those that the service rejected')
    .option('--code <code>', 'only those with this code, such as timeout, or this HTTP status');
}

function addReason(command: Command): Command {
  return command
    .option('--by <name>', 'who decides, stored with the update')
    .option('--note <text>', 'why, stored with the update');
}

function addDecision(command: Command): Command {
  return addReason(addFilters(command))
    .argument('[id...]')
    .option('--all', 'all that need review or were rejected');
}

function choice(flags: string, what: string, choices: readonly [string, string]): Option {
  return new Option(flags, `${what} (default: ${choices[0]})`).choices(choices);
}

function limit(usual: string): Option {
  return new Option('--limit <number>', `how many at most (default: ${usual})`).argParser(count);
}

function nonEmpty(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It is empty.');
}

function number(min: number, max: number, isWhole = true): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`Write a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}.`);
  };
}

const count = number(1, 100_000);

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function duration(maxDays = 36_500): (text: string) => number {
  return (text) => {
    const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhd])$/.exec(text) ?? [];
    const value = Number(number) * unitMs[unit as keyof typeof unitMs];
    if (value <= maxDays * unitMs.d) return value;
    throw new InvalidArgumentError(
      `Write a duration of at most ${maxDays}d, such as 500ms, 30s, 5m, 2h or 7d.`,
    );
  };
}

function readPlace({ folder, databaseUrl, databaseSchema }: Options, env: Environment): Place {
  const connectionString = databaseUrl ?? env['DATABASE_URL'];
  // A secret that is missing must not look like a choice.
  if (connectionString === '') fail('DATABASE_URL is empty: write a URL, or unset it and use --folder.');
  if (folder !== undefined && connectionString !== undefined)
    fail('The outbox is either in --folder or in DATABASE_URL: leave one of them out.');
  if (folder !== undefined) return { folder, databaseSchema };
  if (connectionString !== undefined) return { connectionString, databaseSchema };
  return fail('Write where the outbox is: --database-url (or DATABASE_URL) for PostgreSQL, or --folder.');
}

function checkOptions({ name, args, options }: GivenCommand, env: Environment): void {
  if (name === 'start') {
    if (options.burst !== undefined && options.rate === undefined) fail('--burst needs --rate.');
    if (options.client !== undefined) return;
    if (!(options.baseUrl ?? env['ORDERS_BASE_URL']))
      fail('Write --base-url or set ORDERS_BASE_URL, or pass a client with --client.');
    if (!env['ORDERS_API_KEY']) fail('Set ORDERS_API_KEY.');
  }
  if (name !== 'retry' && name !== 'discard') return;
  const { all, needsReview, rejected, code } = options;
  if (all && args.length > 0) fail('Write either ids or --all.');
  if (!all && args.length === 0) fail('Write the ids of updates, or --all; "list" shows them.');
  if (!all && (needsReview || rejected || code !== undefined))
    fail('--needs-review, --rejected and --code need --all.');
}

function fail(message: string): never {
  throw new InvalidArgumentError(message);
}
