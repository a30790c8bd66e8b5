#!/usr/bin/env node
import process from 'node:process';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import {
  type ConformanceOptions,
  type ConformanceReport,
  conformanceCases,
  formatConformance,
  runConformance,
} from '../conformance.ts';
import { formatUsageError, readVersion, readWholeOption } from './command-line.ts';

const program = new Command('orders-conformance')
  .description('Sends an order service what the API documents, and reports which responses conform.')
  .option('--base-url <url>', 'what comes before /v2')
  .addOption(new Option('--key <key>', 'key of type SalesChannelApiKey').env('ORDERS_API_KEY'))
  .option('--token <token>', 'token of an order that can be updated')
  .option('--disposable', 'that order may be changed for good; without it nothing is changed')
  .addOption(new Option('--other-key <key>', 'key of another type').env('ORDERS_OTHER_API_KEY'))
  .option('--names <json>', 'names for metadata (array), totalAmount, vatAmount, qrSessionId', readObject)
  .option('--currency <code>', 'a currency that the service accepts')
  .option('--shipping-address <json>', 'an address that the service accepts', readObject)
  .option('--only <ids>', 'run only these cases, separated by commas', readIds)
  .option('--skip <ids>', 'skip these cases, separated by commas', readIds)
  .option('--timeout <ms>', 'time limit of each request', readWholeOption(1, 999_999_999), 10_000)
  .option('--allow-insecure-http', 'send keys over plain http to another machine')
  .addOption(
    new Option('--implied <effect>', 'effect of a failure that the document only implies')
      .choices(['warn', 'fail'])
      .default('fail'),
  )
  .option('--json', 'print the report, or the list, as JSON')
  .option('--list', 'list the cases, and send nothing')
  .version(readVersion(), '--version', 'show the version')
  .helpOption('--help', 'show this help')
  .addHelpText(
    'after',
    `
Cases are skipped that need a --token, --other-key, --currency, --shipping-address or --names, and, without
--disposable, those that could change the order. Other users of this machine can read a --key, but not the environment.

Exit codes: 0 when every case that ran passed; 1 when one failed; 2 for a mistake in the arguments; 3 when one was
inconclusive, as when the service cannot be reached, or when none ran.`,
  )
  .showSuggestionAfterError(false)
  .configureOutput({ writeErr: () => {} })
  .allowExcessArguments()
  .exitOverride();

interface Settings
  extends Pick<
    ConformanceOptions,
    | 'baseUrl'
    | 'disposable'
    | 'names'
    | 'currency'
    | 'shippingAddress'
    | 'only'
    | 'skip'
    | 'allowInsecureHttp'
  > {
  readonly key: string;
  readonly token?: string;
  readonly otherKey?: string;
  readonly timeout: number;
  readonly implied: 'warn' | 'fail';
  readonly json?: true;
  readonly list?: true;
}

// The reader of the output may leave; the exit code still reports the result.
process.stdout.on('error', () => {});

try {
  program.parse();
  // The words themselves are not repeated: a key that was given without its flag would be among them.
  if (program.args.length > 0) throw new InvalidArgumentError('Every argument is an option; see --help.');
  await run(program.opts<Settings>());
} catch (error) {
  // Without a catch, Node would exit with 1, as if a case had failed.
  if (error instanceof TypeError) fail(toFlags(error.message), 2);
  else if (!(error instanceof CommanderError)) fail(`the run failed: ${error}`, 3);
  else if (error.exitCode !== 0) fail(formatUsageError(error.message), 2);
}

async function run({
  key,
  token,
  otherKey,
  timeout,
  implied,
  json,
  list,
  ...settings
}: Settings): Promise<void> {
  if (list) {
    const lines = conformanceCases.map(
      ({ id, title, source, strength }) => `${id}\n  ${title} (${source}, ${strength})`,
    );
    process.stdout.write(`${json ? JSON.stringify(conformanceCases, undefined, 2) : lines.join('\n')}\n`);
    return;
  }
  const clearLine = '\r\u001b[K';
  const report = await runConformance({
    ...settings,
    apiKey: key,
    ...(token === undefined ? {} : { orderToken: token }),
    ...(otherKey ? { otherTypeKey: otherKey } : {}),
    timeoutMs: timeout,
    onResult: ({ id }) => process.stderr.isTTY && process.stderr.write(clearLine + id),
  });
  if (process.stderr.isTTY) process.stderr.write(clearLine);
  const text = json
    ? JSON.stringify(report, undefined, 2)
    : formatConformance(report, { stream: process.stdout });
  process.stdout.write(`${text}\n`);
  process.exitCode = exitCodeOf(report, implied);
}

function exitCodeOf({ results, counts }: ConformanceReport, implied: Settings['implied']): 0 | 1 | 3 {
  const failures = results.filter(({ verdict }) => verdict === 'fail');
  if (failures.some(({ strength }) => strength === 'stated' || implied === 'fail')) return 1;
  return counts.inconclusive > 0 || counts.pass + counts.fail === 0 ? 3 : 0;
}

function readIds(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map((id) => id.trim())];
}

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same advice as for other JSON.
  }
  throw new InvalidArgumentError('Write an object in JSON.');
}

/** Messages about options of the function name them as in code. */
function toFlags(message: string): string {
  const flags: Readonly<Partial<Record<string, string>>> = {
    apiKey: 'ORDERS_API_KEY or --key',
    otherTypeKey: 'ORDERS_OTHER_API_KEY or --other-key',
    orderToken: '--token',
    baseUrl: '--base-url',
    allowInsecureHttp: '--allow-insecure-http',
  };
  const named = message.replace(
    /\b(?:apiKey|otherTypeKey|orderToken|baseUrl|allowInsecureHttp)\b/g,
    (name) => flags[name] ?? name,
  );
  return named.replace(/^(?=(?:disposable|currency|only|skip)\b)/, '--');
}

function fail(message: string, exitCode: number): void {
  process.stderr.write(`orders-conformance: ${message.replace(/\s+/g, ' ')}\n`);
  process.exitCode = exitCode;
}
