import { CommanderError, InvalidArgumentError } from 'commander';
import { checkSchemaName } from '../schema-name.ts';
import type { DecisionFilter } from './decision-filter.ts';
import type { Place } from './place.ts';
import { createProgram, type GivenCommand, type GivenOptions } from './program.ts';
import { tellMistake } from './tell-mistake.ts';
import type { Sender, WorkSettings } from './work-settings.ts';

/** What the command line asks for. */
export type Arguments =
  | ({ readonly wish: 'work'; readonly settings: WorkSettings } & Asked)
  | ({ readonly wish: 'status'; readonly once: boolean; readonly watch: boolean } & Asked)
  | ({ readonly wish: 'dead'; readonly filter: DecisionFilter; readonly limit: number } & Asked)
  | ({ readonly wish: 'retry' | 'discard'; readonly which: readonly string[] | DecisionFilter } & Asked)
  | ({ readonly wish: 'show'; readonly id: string } & Asked)
  | ({ readonly wish: 'history'; readonly token: string; readonly limit: number } & Asked)
  | ({ readonly wish: 'migrate' } & Asked)
  | { readonly wish: 'print'; readonly text: string }
  | { readonly wish: 'none'; readonly mistake: string };

interface Asked {
  readonly place: Place;
  readonly asJson: boolean;
}

/** What the environment gives. */
export interface Environment {
  readonly databaseUrl: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly version: string;
}

/** Reads the words after the program's name; a mistake is one line that shows no key and no password. */
export function readArguments(words: readonly string[], env: Environment): Arguments {
  let printed = '';
  let wanted: Arguments | undefined;
  const program = createProgram(env.version, {
    settle: (made) =>
      made.exitOverride().configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} }),
    onCommand: (given) => {
      wanted = toWish(given, env);
    },
  });
  try {
    program.parse(words, { from: 'user' });
    return wanted ?? { wish: 'none', mistake: tellMistake({ code: 'commander.help', message: '' }) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { wish: 'print', text: printed };
    return { wish: 'none', mistake: tellMistake(error) };
  }
}

/** How many updates are shown where nobody says. */
const usualLimit = 100;

function toWish({ name, words, options }: GivenCommand, env: Environment): Arguments {
  const asked: Asked = { place: readPlace(options, env), asJson: options.json ?? false };
  const { limit, once = false, watch = false } = options;
  switch (name) {
    case 'work':
      checkCount(words, 0);
      return { wish: 'work', settings: readWorkSettings(options, env), ...asked };
    case 'status':
      checkCount(words, 0);
      if (watch && !asked.asJson)
        refuse('--watch goes with --json: without it a terminal is kept up to date.');
      return { wish: 'status', once, watch, ...asked };
    case 'dead':
      checkCount(words, 0);
      return {
        wish: 'dead',
        filter: readFilter(options),
        limit: limit ?? (asked.asJson ? Number.POSITIVE_INFINITY : usualLimit),
        ...asked,
      };
    case 'retry':
    case 'discard':
      return { wish: name, which: readWhich(words, options), ...asked };
    case 'show':
      return { wish: 'show', id: checkCount(words, 1), ...asked };
    case 'history':
      return { wish: 'history', token: checkCount(words, 1), limit: limit ?? usualLimit, ...asked };
    default:
      checkCount(words, 0);
      return { wish: 'migrate', ...asked };
  }
}

function readPlace({ folder, schema }: GivenOptions, { databaseUrl }: Environment): Place {
  try {
    checkSchemaName(schema);
  } catch (error) {
    refuse(`--${(error as TypeError).message}`);
  }
  if (folder === '') refuse('--folder is empty; give a path.');
  if (databaseUrl === '') refuse('DATABASE_URL is empty; give an address, or unset it to use a folder.');
  if (databaseUrl === undefined) return { where: { folder: folder ?? '.orders-outbox' }, schema };
  if (folder === undefined) return { where: { connectionString: databaseUrl }, schema };
  return refuse('The outbox is either in --folder or in DATABASE_URL; leave one of them out.');
}

function readWorkSettings(options: GivenOptions, env: Environment): WorkSettings {
  const { concurrency, localConcurrency, rate, burst, onUnknown, onRejected } = options;
  const { maxRetryDelay, keepSettled, grace, host, port, metrics } = options;
  if (burst !== undefined && rate === undefined) refuse('--burst goes with --rate.');
  if (host === '') refuse('--host is empty; give an address or a name.');
  return {
    sender: readSender(options, env),
    outbox: {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(localConcurrency === undefined ? {} : { localConcurrency }),
      ...(rate === undefined ? {} : { rate: { perSecond: rate, ...(burst === undefined ? {} : { burst }) } }),
      ...(onUnknown === undefined ? {} : { onUnknown }),
      ...(onRejected === undefined ? {} : { onRejected }),
      ...(maxRetryDelay === undefined ? {} : { maxRetryDelayMs: maxRetryDelay * 1_000 }),
      ...(keepSettled === undefined ? {} : { keepSettledMs: keepSettled * 86_400_000 }),
    },
    graceMs: grace * 1_000,
    listen: metrics ? { host, port } : undefined,
  };
}

function readSender(
  { client, baseUrl: given, allowInsecureHttp = false }: GivenOptions,
  env: Environment,
): Sender {
  if (client === '') refuse('--client is empty; give the path of a module.');
  if (client !== undefined) return { file: client };
  const baseUrl = given ?? env.baseUrl;
  if (!baseUrl) {
    return refuse(
      "Give the service's address with --base-url or in ORDERS_BASE_URL, or a client with --client.",
    );
  }
  if (!env.apiKey) return refuse('Give the key in ORDERS_API_KEY.');
  return { baseUrl, apiKey: env.apiKey, allowInsecureHttp };
}

function readWhich(ids: readonly string[], options: GivenOptions): readonly string[] | DecisionFilter {
  const { all, parked, rejected, code } = options;
  if (all && ids.length > 0) refuse('Give either ids or --all.');
  if (all) return readFilter(options);
  if (ids.length === 0) refuse('Give the ids of updates, or --all; "dead" lists them.');
  if (parked || rejected || code !== undefined) refuse('--parked, --rejected and --code go with --all.');
  return [...new Set(ids)];
}

function readFilter({ parked, rejected, code }: GivenOptions): DecisionFilter {
  const states =
    parked === rejected
      ? (['parked', 'rejected'] as const)
      : parked
        ? ['parked' as const]
        : ['rejected' as const];
  return { states, ...(code === undefined ? {} : { code }) };
}

/** The words themselves are not repeated: a key might be among them. */
function checkCount(words: readonly string[], count: number): string {
  if (words.length > count) refuse('There are too many words; see --help.');
  return words[0] ?? '';
}

function refuse(mistake: string): never {
  throw new InvalidArgumentError(mistake);
}
