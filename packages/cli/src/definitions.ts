import { InvalidArgumentError, Option } from 'commander';
import type { CommandInput, ExitCode } from './terminal.ts';

/** A command: what it shows, what it takes, and the module that runs it, which is loaded when it is given. */
export interface Definition {
  /** Its name and arguments. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly Option[];
  /** What help says besides. */
  readonly details?: string;
  readonly examples?: readonly string[];
  /** Whether the folder's orders.json applies. */
  readonly readsFolder?: true;
  readonly commands?: readonly Definition[];
  readonly load?: () => Promise<(input: CommandInput<never>) => Promise<ExitCode>>;
}

const years = duration(0, '36500d');
const counted = count(1, 100_000);

const insecureHttp = new Option('--allow-insecure-http', 'send the key over plain http to another machine');
const baseUrl = [new Option('--base-url <url>', 'URL before /v2').env('ORDERS_BASE_URL'), insecureHttp];
const credentials = [
  new Option('--api-key-file <file>', 'read the key from a file, not from ORDERS_API_KEY'),
  new Option('--api-key-command <command>', 'read it from what a command prints; no shell runs it').conflicts(
    'apiKeyFile',
  ),
];
const config = new Option('--config <file>', 'module or JSON file with options of the client');
const schema = new Option('--schema <file>', 'module that exports the schema of updates');
const json = new Option('--json', 'print JSON');
const timeout = option(
  '--timeout <duration>',
  'limit of each attempt (default: 15s, connecting: 5s)',
  duration(),
);
const decimals = option('--decimals <number>', 'decimals of amounts in CSV (default: 0)', count(0, 15));
const decimalsOfJson = option(
  '--decimals <number>',
  'above 0, amounts written as 258.00 are refused (default: 0)',
  count(0, 15),
);
const inputFormat = new Option(
  '--input <format>',
  'format of the file, if its name does not show it',
).choices(['json', 'ndjson', 'csv']);
/** How a file of updates is read. */
const reading = [
  new Option('--group', 'rows of one order next to each other are one update').conflicts('eachRow'),
  new Option('--each-row', 'each of such rows is an update of its own'),
  new Option('--strict', 'treat warnings as issues'),
];
/** Options of each command that reaches the service. */
const connectionOptions = [...baseUrl, ...credentials, config, timeout];
/** Options of each command of an outbox. */
const store = [
  new Option('--database-url <url>', 'PostgreSQL that holds it (or DATABASE_URL)').conflicts('folder'),
  new Option('--folder <path>', 'folder in which PGlite holds it'),
  new Option('--database-schema <name>', 'schema of its tables').default('orders_outbox'),
  json,
];
const filters = [
  new Option('--needs-review', 'only those whose outcome is unknown'),
  new Option('--rejected', 'only those that the service rejected'),
  new Option('--code <code>', 'only those with this code, such as timeout, or HTTP status'),
];
const decisionOptions = [
  ...store,
  new Option('--all', 'all that need review or were rejected'),
  ...filters,
  new Option('--yes', 'do not ask before --all'),
  new Option('--by <name>', 'who decides, stored with the update'),
  new Option('--note <text>', 'why, stored with the update'),
];

const csvDetails = `The first row of a CSV file has the columns "token" and paths such as cart.items[0].sku;
each row is one update. Numbers are sent as they are written; --decimals 2 sends
258,00 and 258.00 as 25800. A blank cell is left out. NDJSON has { "token", "update" }
on each line; JSON is one update, or a list of { "token", "update" }.

A file with one row for each item of an order is refused: --group makes one update of
rows next to each other that have one token; of a field of the order, they may hold one
value, in one row or in each. --each-row sends an update for each, of which the last
replaces the items of the others. What a spreadsheet may have changed, such as
6.93217E+12 for a code, is a warning.`;

/** Every command but `completion`, which is made of them. */
export const definitions: readonly Definition[] = [
  {
    usage: 'check',
    summary: 'Check that the service accepts the key',
    options: [...connectionOptions, json],
    details: 'It sends the echo, which changes nothing. Each line passes or says what to do.',
    examples: ['ORDERS_API_KEY=... orders check --base-url https://api.example.com'],
    readsFolder: true,
    load: async () => (await import('./check.ts')).runCheck,
  },
  {
    usage: 'validate <file...>',
    summary: 'Explain what is wrong in files of updates',
    options: [
      schema,
      decimals,
      inputFormat,
      ...reading,
      new Option('--format <format>', 'how issues are printed')
        .choices(['text', 'json', 'github', 'sarif'])
        .conflicts('json'),
      option('--limit <number>', 'how many issues are printed (default: 100)', count(1, 100_000)),
      json,
    ],
    details: `It sends nothing and needs no key. "-" is standard input.\n\n${csvDetails}`,
    examples: [
      'orders validate updates.csv --decimals 2',
      'orders validate carts/*.json --format github',
      'cat updates.ndjson | orders validate - --input ndjson --json',
    ],
    readsFolder: true,
    load: async () => (await import('./validate.ts')).runValidate,
  },
  {
    usage: 'update <token> <file>',
    summary: 'Send one update from a JSON file',
    options: [
      new Option('--dry-run', 'print the request as a curl command; nothing is sent'),
      decimalsOfJson,
      ...connectionOptions,
      schema,
      json,
    ],
    details: '"-" is standard input. JSON holds the integers that are sent.',
    examples: ['orders update ord_123 cart.json', 'orders update ord_123 cart.json --dry-run'],
    readsFolder: true,
    load: async () => (await import('./update.ts')).runUpdate,
  },
  {
    usage: 'send <file>',
    summary: 'Send a file of updates, and resume it',
    options: [
      option('--rate <number>', 'updates per second, on average', positive),
      option('--concurrency <number>', 'updates in flight (default: 16)', count(1, 1_000)),
      new Option('--stop-on-rejected', 'later rows of an order wait behind a rejected one'),
      new Option('--skip-invalid', 'send the valid rows of a file that has others').conflicts('group'),
      new Option('--result <file>', 'write what became of each row, as .csv or .ndjson'),
      new Option('--journal <file>', 'where it is noted (default: <file>.orders-journal)'),
      new Option('--review', 'list the rows that wait for your decision'),
      option('--resolve <rows>', 'they were applied, as you found out: 17,19, "all", "rejected"', rows),
      option('--retry <rows>', 'the next run sends them again', rows),
      option('--discard <rows>', 'give them up', rows),
      new Option('--yes', 'do not ask before "all" and "rejected"'),
      decimals,
      inputFormat,
      ...reading,
      schema,
      ...connectionOptions,
      json,
    ],
    details: `Each row is noted in a journal beside the file before a byte of it is sent. However a
run ends, the same command goes on and sends nothing twice. A row whose outcome is
unknown (a timeout, a 5xx, a run that was killed) may have been applied: it waits for
--resolve, --retry or --discard, and later rows of its order wait behind it; "all" stands
for all unknown rows, "rejected" for all rejected ones. A file that has changed, or changes
while it is sent, is refused: new and fixed rows go to a file of their own.

${csvDetails}`,
    examples: [
      'orders send updates.csv --decimals 2 --rate 50 --result results.csv',
      'orders send updates.csv --review',
      'orders send updates.csv --resolve 17,19',
      'orders send updates.csv --retry rejected',
    ],
    readsFolder: true,
    load: async () => (await import('./send.ts')).runSend,
  },
  {
    usage: 'mock',
    summary: 'Run a mock order service on this machine',
    options: [
      option('--port <number>', 'port to listen on; 0 for a free one', count(0, 65_535)).default(8402),
      new Option('--host <address>', 'address to listen on').default('127.0.0.1'),
      list('--key <key[:type]>', 'accepted key, repeatable (default: a random one)'),
      list('--order <token>', 'token of an order, repeatable'),
      new Option('--orders-file <file>', 'JSON list of tokens, or of { "token", "data" }'),
      option('--orders <number>', 'orders with random tokens (default: 5 without others)', count(1, 100_000)),
      option('--latency <duration>', 'delay of each response', duration(0, '10m')),
      option('--max-body <bytes>', 'largest accepted body (default: 1048576)', count(0, 268_435_456)),
      list('--fault <scenario or JSON>', 'fault or rule, repeatable'),
      option('--history <number>', 'requests to remember', count(0, 1_000_000)).default(10_000),
      new Option('--admin', 'serve the admin API at /__admin'),
      new Option('--log', 'print a line for each request to standard error'),
      json,
    ],
    details: `A key's type is SalesChannelApiKey by default. Without any key, one is made for the
run and printed. ORDERS_MOCK_KEY (key or key:type) adds a key that the list of processes
does not show.

A fault by itself is met by every request; a rule says which requests meet it.
Scenarios: slow, rateLimited, unavailable, lostResponse, down. The admin API needs one
of the keys. It adds orders and faults, shows orders, requests and the ledger, and sends
webhooks.`,
    examples: [
      'orders mock --key my-test-key --order ord_1 --admin --log',
      'orders mock --fault unavailable',
      `orders mock --fault '{"type":"latency","ms":200}'`,
      `orders mock --fault '{"when":"next","fault":"lostResponse","times":2}'`,
      `orders mock --fault '{"when":"sometimes","fault":"slow","probability":0.1}'`,
    ],
    load: async () => (await import('./mock.ts')).runMock,
  },
  {
    usage: 'trigger <event>',
    summary: 'Send a webhook to an endpoint of yours, repeated, shuffled or late',
    options: [
      new Option('--forward-to <url>', 'the endpoint').makeOptionMandatory(),
      list(
        '--token <token>',
        'order of the event, repeatable (default: the first of --mock, or a random one)',
      ),
      option('--events <number>', 'how many events', count(1, 1_000)).default(1),
      option('--times <number>', 'how often each is delivered', count(1, 100)).default(1),
      new Option('--shuffle', 'deliver in random order'),
      option('--late <duration>', 'the last delivery of each comes so much later', duration()),
      new Option('--webhooks <file>', 'module that exports payload and sign of your webhooks'),
      new Option('--mock <url>', 'the "orders mock --admin" to which the endpoint sends updates'),
      option('--wait <duration>', 'how long its updates are waited for', duration()).default(10_000, '10s'),
      new Option('--allow-remote', 'send to another machine'),
      insecureHttp,
      ...credentials,
      json,
    ],
    details: `start_qr_session carries a session identifier. With --mock, it is looked for in the updates
that the endpoint sends: once for each event, and in sequence for each order, whatever is
repeated. The key of the mock service is read as everywhere. The API shows no payload and no
signature: --webhooks names a module with yours, payload({ id, event, token, sessionId })
and sign(body), as in startMockOrderService. It exits with 1 where an event was refused last,
had two effects or overtook another, and with 3 where no effect was seen.`,
    examples: [
      'orders trigger start_qr_session --forward-to http://localhost:3000/webhooks',
      'orders trigger start_qr_session --forward-to http://localhost:3000/ --times 3',
    ],
    load: async () => (await import('./trigger.ts')).runTrigger,
  },
  {
    usage: 'conformance [url]',
    summary: 'Compare a service with what the API documents',
    options: [
      ...baseUrl,
      ...credentials,
      new Option('--token <token>', 'token of an order that can be updated'),
      new Option('--disposable', 'that order may be changed for good; else nothing is changed'),
      option('--names <json>', 'names for metadata (array), totalAmount, vatAmount, qrSessionId', readObject),
      new Option('--currency <code>', 'a currency that the service accepts'),
      option('--shipping-address <json>', 'an address that the service accepts', readObject),
      option('--only <ids>', 'run only these cases, separated by commas', ids),
      option('--skip <ids>', 'skip these cases, separated by commas', ids),
      option('--timeout <duration>', 'time limit of each request (default: 10s)', duration()),
      new Option('--implied <effect>', 'effect of a failure that the document only implies')
        .choices(['warn', 'fail'])
        .default('fail'),
      new Option('--list', 'list the cases, and send nothing'),
      json,
    ],
    details: `Cases are skipped that need a --token, --currency, --shipping-address, --names or, in
ORDERS_OTHER_API_KEY, a key of another type; without --disposable, those too that could
change the order. It ends with 3 when a case is inconclusive, as when the service cannot
be reached, or when none ran.`,
    examples: [
      'orders conformance https://staging.example.com',
      'orders conformance https://staging.example.com --token ord_123 --disposable',
      'orders conformance --list',
    ],
    load: async () => (await import('./conformance.ts')).runConformanceSuite,
  },
  {
    usage: 'judge [command...]',
    summary: 'Compare what a client reports with what was applied',
    options: [
      option('--case <names>', 'run only these cases, separated by commas', ids),
      new Option('--list', 'list the cases, and run nothing'),
      option('--orders <number>', 'orders of each case, with 4 updates each', count(1, 10_000)).default(3),
      option('--timeout <duration>', 'time limit of an attempt, in ORDERS_TIMEOUT_MS', duration()).default(
        2_000,
        '2s',
      ),
      option('--limit <duration>', 'the program is killed when a case takes longer', duration()).default(
        30_000,
        '30s',
      ),
      json,
    ],
    details: `It runs the program once for each case, against a mock service with one fault.
The program gets ORDERS_BASE_URL, ORDERS_API_KEY, ORDERS_TIMEOUT_MS and, in ORDERS_FILE,
the path of a file with one update a line: { "id", "token", "update" }. It prints one
line of JSON for each: { "id", "outcome" }, which is applied, rejected, not_sent or unknown,
or { "id", "ok" }, which is true or false. With one --case, its standard error is shown.

It exits with 1 when anything was wrong: a report was missing, not understood or not true;
an update was applied twice, changed, out of sequence, or not at all although no fault was in
the way; a request arrived after the report of its update, or took the key to another host;
the program was killed or crashed. It exits with 2 for wrong usage, and with 3 when the
program cannot be started or Ctrl-C ended the run.`,
    examples: [
      'orders judge -- node client.js',
      'orders judge --case stalled,applied-503 -- python3 client.py',
      'orders judge --list',
    ],
    load: async () => (await import('./judge.ts')).runJudge,
  },
  {
    usage: 'outbox',
    summary: 'Run and operate an outbox',
    details: `A program of yours fills the outbox, with enqueue() of @orders/outbox. It is in PostgreSQL
(--database-url or DATABASE_URL), for any number of processes, or in a folder (--folder),
which one process at a time can open. Beside a "start" on a folder, the other commands
ask that process, and no program can enqueue: let the program call start() itself, or use
PostgreSQL.`,
    commands: [
      {
        usage: 'start',
        summary: 'Send accepted updates until Ctrl-C or SIGTERM',
        options: [
          ...store,
          ...connectionOptions,
          schema,
          option('--concurrency <number>', 'updates in flight, over all processes (default: 32)', counted),
          option('--local-concurrency <number>', 'those of this process (default: 32)', counted),
          option('--rate <number>', 'updates per second, over all processes', positive),
          option('--burst <number>', 'updates that leave at once after a quiet time (default: 1)', counted),
          new Option('--on-unknown <choice>', 'what to do with an unknown outcome (default: review)').choices(
            ['review', 'resend'],
          ),
          new Option('--on-rejected <choice>', 'what its order does then (default: continue)').choices([
            'continue',
            'hold',
          ]),
          option('--max-retry-delay <duration>', 'longest delay before a retry (default: 60s)', duration(0)),
          option('--keep-settled <duration>', 'how long applied ones are kept (default: 7d)', years),
          option('--keep-rejected <duration>', 'how long rejected ones are kept (default: 30d)', years),
          option('--grace <duration>', 'time for what is in flight at the end (default: 10s)', duration(0)),
          new Option('--metrics-host <host>', 'where health and metrics are served').default('127.0.0.1'),
          option('--metrics-port <port>', 'their port; 0 for a free one', count(0, 65_535)).default(4011),
          new Option('--no-metrics', 'serve neither').conflicts(['metricsHost', 'metricsPort']),
        ],
        details: `It serves /livez, /readyz and /metrics (Prometheus). What is in flight at the end has
--grace to finish; a second Ctrl-C leaves it to review.`,
        examples: [
          'orders outbox start --folder ./outbox --base-url https://api.example.com',
          'DATABASE_URL=postgres://... orders outbox start --rate 50 --keep-settled 30d',
        ],
        readsFolder: true,
        load: async () => (await import('./outbox/start.ts')).runStart,
      },
      {
        usage: 'status',
        summary: 'Show the backlog, and what holds it up',
        options: [...store, new Option('--watch', 'show it every second')],
        details: `It exits with 1 when updates need review or were rejected, and with --watch always with 0.`,
        examples: ['orders outbox status --folder ./outbox --watch'],
        load: async () => (await import('./outbox/commands.ts')).runStatus,
      },
      {
        usage: 'list',
        summary: 'List updates and events that wait for a decision, oldest first',
        options: [...store, ...filters, limit('100; with --json, all')],
        details: 'It exits with 0, whatever it lists.',
        examples: [
          'orders outbox list --folder ./outbox --needs-review',
          'DATABASE_URL=postgres://... orders outbox list --rejected --code 401 --json',
        ],
        load: async () => (await import('./outbox/commands.ts')).runList,
      },
      {
        usage: 'show <id>',
        summary: 'Show one update: what was sent, and its receipt; or one event',
        options: store,
        details: 'What may be a secret is hidden. The body of an applied or discarded one is deleted.',
        examples: ['orders outbox show --folder ./outbox 0197fcaa-2b7c-7000-8000-000000000000'],
        load: async () => (await import('./outbox/commands.ts')).runShow,
      },
      {
        usage: 'history <token>',
        summary: 'Show the latest updates and events of an order, newest first',
        options: [...store, limit('100')],
        examples: ['orders outbox history --folder ./outbox ord_123'],
        load: async () => (await import('./outbox/commands.ts')).runHistory,
      },
      {
        usage: 'retry [id...]',
        summary: 'Send updates again, or handle events again',
        options: decisionOptions,
        details: 'One that needs review may then be applied twice.',
        examples: [
          'orders outbox retry --folder ./outbox 0197fcaa-2b7c-7000-8000-000000000000',
          'orders outbox retry --folder ./outbox --all --rejected --code 401',
        ],
        load: async () => (await import('./outbox/commands.ts')).decide('retry'),
      },
      {
        usage: 'resolve [id...]',
        summary: 'Note that updates were applied after all',
        options: decisionOptions,
        examples: [
          'orders outbox resolve --folder ./outbox 0197fcaa-2b7c-7000-8000-000000000000',
          'orders outbox resolve --folder ./outbox --all --code worker_lost --by ada',
        ],
        load: async () => (await import('./outbox/commands.ts')).decide('resolve'),
      },
      {
        usage: 'discard [id...]',
        summary: 'Give updates or events up, for good',
        options: decisionOptions,
        examples: ['orders outbox discard --folder ./outbox --all --needs-review --by ada'],
        load: async () => (await import('./outbox/commands.ts')).decide('discard'),
      },
      {
        usage: 'resume',
        summary: 'End the pause after a 429, in all processes',
        options: store,
        examples: ['DATABASE_URL=postgres://... orders outbox resume'],
        load: async () => (await import('./outbox/commands.ts')).runResume,
      },
      {
        usage: 'restored',
        summary: 'After a backup was restored: send what is open to review',
        options: [...store, new Option('--yes', 'do not ask')],
        details: `What was open in a backup may have been applied since. Run it before any worker starts:
nothing is sent twice by itself then. A folder that was copied or restored is noticed
when it is opened, without it.`,
        examples: ['DATABASE_URL=postgres://... orders outbox restored'],
        load: async () => (await import('./outbox/commands.ts')).runRestored,
      },
      {
        usage: 'migrate',
        summary: 'Make the tables, or bring them up to date',
        options: store,
        details: 'Running it again changes nothing.',
        examples: ['DATABASE_URL=postgres://owner@... orders outbox migrate'],
        load: async () => (await import('./outbox/commands.ts')).runMigrate,
      },
    ],
  },
];

function option<T>(flags: string, description: string, parse: (text: string, before?: T) => T): Option {
  return new Option(flags, description).argParser<T>(parse);
}

function count(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
  };
}

function positive(text: string): number {
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('Write a number above 0, such as 50 or 0.5.');
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function toMs(text: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhd])$/.exec(text) ?? [];
  return Number(number) * unitMs[unit as keyof typeof unitMs];
}

/** Reads a duration as milliseconds; timers hold 24 days. */
export function duration(leastMs = 1, longest = '24d'): (text: string) => number {
  return (text) => {
    const value = toMs(text);
    if (value >= leastMs && value <= toMs(longest)) return value;
    throw new InvalidArgumentError(
      `Write a duration of at most ${longest}, such as 500ms, 30s, 5m, 2h or 7d.`,
    );
  };
}

/** An option that may be repeated. Its values are read later: commander repeats one that it refuses, which may be a key. */
function list(flags: string, description: string): Option {
  return option(flags, description, (text, before: readonly string[] = []) => [...before, text]);
}

function ids(text: string, before: readonly string[] = []): readonly string[] {
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

function limit(usual: string): Option {
  return option('--limit <number>', `how many at most (default: ${usual})`, counted);
}

type Rows = readonly number[] | 'all' | 'rejected';

/** Reads numbers of rows, or which of them; the option may be given again with more numbers. */
function rows(text: string, before?: Rows): Rows {
  const isWord = text === 'all' || text === 'rejected';
  if (typeof before === 'string' || (isWord && before))
    throw new InvalidArgumentError('"all" and "rejected" stand alone.');
  if (isWord) return text;
  if (/^\d{1,9}(,\d{1,9})*$/.test(text)) return [...(before ?? []), ...text.split(',').map(Number)];
  throw new InvalidArgumentError('Write the numbers of rows, such as 17,19, or "all" or "rejected".');
}
