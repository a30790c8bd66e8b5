import { Command, Option } from 'commander';
import { readNumberOption, readWholeOption } from './read-number-option.ts';

/** A command with its words and options, as they were given. */
export interface GivenCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly options: GivenOptions;
}

/** Options of all commands; those without a default are there when they were given. */
export interface GivenOptions {
  readonly folder?: string;
  readonly schema: string;
  readonly json?: true;
  readonly baseUrl?: string;
  readonly allowInsecureHttp?: boolean;
  readonly client?: string;
  readonly concurrency?: number;
  readonly localConcurrency?: number;
  readonly rate?: number;
  readonly burst?: number;
  readonly onUnknown?: 'park' | 'resend';
  readonly onRejected?: 'continue' | 'hold';
  /** In seconds. */
  readonly maxRetryDelay?: number;
  /** In days. */
  readonly keepSettled?: number;
  /** In seconds. */
  readonly grace: number;
  readonly host: string;
  readonly port: number;
  readonly metrics: boolean;
  readonly once?: true;
  readonly watch?: true;
  readonly all?: true;
  readonly parked?: true;
  readonly rejected?: true;
  readonly code?: string;
  readonly limit?: number;
}

/** Makes the program; `onCommand` is told of the command that was given. */
export function createProgram(
  version: string,
  { settle, onCommand }: { settle: (program: Command) => void; onCommand: (given: GivenCommand) => void },
): Command {
  const program = new Command('orders-outbox')
    .description('Sends the order updates of an outbox, and lets a person see and decide what waits.')
    .version(version, '--version', 'show the version')
    .helpOption('--help', 'show this help')
    .addHelpText('after', PLACES)
    .showSuggestionAfterError(false);
  // Commands take over what is set before they are made.
  settle(program);

  const add = (name: string, description: string, examples: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--folder <path>', 'folder that PGlite keeps the outbox in (default: .orders-outbox)')
      .option('--schema <name>', 'database schema of its tables', 'orders_outbox')
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExamples:\n${examples.trim().replace(/^ */gm, '  ')}\n${PLACES}`)
      .allowExcessArguments()
      .action((...given: unknown[]) => {
        const command = given.at(-1) as Command;
        onCommand({ name, words: command.args, options: command.opts<GivenOptions>() });
      });

  addWork(add);
  add(
    'status',
    'Shows what is before the outbox: a live table in a terminal, a table once elsewhere.',
    `orders-outbox status
     orders-outbox status --json | jq .parked`,
  )
    .option('--once', 'show it once, in a terminal too')
    .addOption(new Option('--watch', 'with --json, print an object each second').conflicts('once'));
  addDeciding(add);
  add('show', 'Shows one update.', `orders-outbox show 0197fcaa-2b7c-7000-8000-000000000000`).argument(
    '<id>',
    'id of the update',
  );
  add('history', 'Shows the latest updates of an order, newest first.', `orders-outbox history ord_1234`)
    .argument('<token>', 'token of the order')
    .addOption(limit('100'));
  add(
    'migrate',
    'Makes the tables, or brings them up to date; it does no harm to repeat it.',
    `DATABASE_URL=postgres://… orders-outbox migrate`,
  );
  return program;
}

type AddCommand = (name: string, description: string, examples: string) => Command;

function addWork(add: AddCommand): void {
  add(
    'work',
    'Sends accepted updates until SIGTERM or Ctrl-C; then lets what is on its way end. A second signal ends it at once.',
    `ORDERS_API_KEY=… orders-outbox work --base-url https://api.example.com
     DATABASE_URL=postgres://… ORDERS_API_KEY=… orders-outbox work --base-url https://… --rate 50 --json
     orders-outbox work --client ./orders-client.js --port 0`,
  )
    .addOption(
      new Option('--base-url <url>', 'what comes before /v2, or ORDERS_BASE_URL').conflicts('client'),
    )
    .option('--allow-insecure-http', 'let the key travel over plain http to another machine')
    .option('--client <file>', 'module whose export "client" sends, with its own address and key')
    .option('--concurrency <number>', 'updates on their way at once, in all (default: 32)', most)
    .option('--local-concurrency <number>', 'and in this process (default: 32)', most)
    .option('--rate <per second>', 'updates that leave in a second, in all', readNumberOption(0.001, 1e6))
    .option('--burst <number>', 'updates that leave at once after a quiet time (default: 1)', most)
    .addOption(choice('--on-unknown <choice>', 'an update of unknown outcome', ['park', 'resend']))
    .addOption(choice('--on-rejected <choice>', 'an order with a refused update', ['continue', 'hold']))
    .option('--max-retry-delay <seconds>', 'longest wait before another try (default: 60)', upTo(86_400))
    .option('--keep-settled <days>', 'how long applied updates are kept (default: 7)', upTo(36_500))
    .option('--grace <seconds>', 'how long what is on its way may take at the end', upTo(86_400), 10)
    .option('--host <address>', 'address of health and metrics', '127.0.0.1')
    .option('--port <number>', 'their port; 0 for a free one', readWholeOption(0, 65_535), 4011)
    .addOption(new Option('--no-metrics', 'serve neither health nor metrics').conflicts(['host', 'port']));
}

function addDeciding(add: AddCommand): void {
  const filtered = (command: Command): Command =>
    command
      .option('--parked', 'those alone whose outcome is unknown')
      .option('--rejected', 'those alone that the service refused')
      .option('--code <code>', 'those alone with this code, such as timeout, or this HTTP status');
  filtered(
    add(
      'dead',
      'Lists the updates that wait for a decision, oldest first.',
      `orders-outbox dead --rejected
       orders-outbox dead --json | jq -r '.[].id'`,
    ),
  ).addOption(limit('100; with --json, all'));
  const decide = (name: string, description: string, examples: string): Command =>
    filtered(add(name, description, examples))
      .argument('[id...]', 'ids of updates')
      .option('--all', 'all that wait for a decision');
  decide(
    'retry',
    'Sends parked and rejected updates again. One that the service did take may then be applied twice.',
    `orders-outbox retry 0197fcaa-2b7c-7000-8000-000000000000
     orders-outbox retry --all --rejected --code 401`,
  );
  decide(
    'discard',
    'Gives updates up, for good.',
    `orders-outbox discard 0197fcaa-2b7c-7000-8000-000000000000
     orders-outbox discard --all --parked --code timeout`,
  );
}

const most = readWholeOption(1, 100_000);
const upTo = (bound: number) => readNumberOption(0, bound);

function choice(flags: string, what: string, choices: readonly [string, string]): Option {
  return new Option(flags, `what becomes of ${what} (default: ${choices[0]})`).choices(choices);
}

function limit(otherwise: string): Option {
  return new Option('--limit <number>', `the most to show (default: ${otherwise})`).argParser(most);
}

const PLACES = `
The outbox is in the PostgreSQL of DATABASE_URL, or else in a folder. The key is read from ORDERS_API_KEY alone.
Beside a running "work" on the same folder the other commands ask that process.

Ends with 0 when it was done, 1 when something could not be done, and 2 for a mistake in the arguments.`;
