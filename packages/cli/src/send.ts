import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { OrdersError } from '@orders/client';
import { type Connection, type ConnectionOptions, connect, loadSchema } from './connection.ts';
import {
  createJournal,
  type Decision,
  type Journal,
  type JournalKey,
  type JournalRow,
  openJournal,
  type SendFlags,
} from './journal.ts';
import { type FileOptions, type ReadOptions, readingOf, readRows, UnreadableFileError } from './read-file.ts';
import { digestOf, openRows, type RunEnd, sendRows } from './send-rows.ts';
import {
  CommandError,
  type CommandInput,
  commandLine,
  describeError,
  type Environment,
  type ExitCode,
  escapeControls,
  formatCount,
  formatNumberOf,
  joinSentences,
  type Terminal,
  toJson,
} from './terminal.ts';
import { drawIssues, validateFiles } from './validate.ts';

interface SendOptions
  extends ConnectionOptions,
    Partial<Record<Decision, readonly number[] | 'all' | 'rejected'>>,
    FileOptions {
  readonly rate?: number;
  readonly concurrency?: number;
  readonly stopOnRejected?: boolean;
  readonly skipInvalid?: boolean;
  readonly result?: string;
  readonly journal?: string;
  readonly review?: true;
  readonly yes?: true;
}

/** What all steps of a run need. */
interface Context {
  readonly file: string;
  /** Where the journal is. */
  readonly place: string;
  readonly options: SendOptions;
  readonly reading: ReadOptions;
  readonly terminal: Terminal;
  readonly env: Environment;
}

/** Sends the updates of a file, or lists and settles those that wait for a person. @throws CommandError */
export async function runSend({
  args,
  options,
  terminal,
  env,
}: CommandInput<SendOptions>): Promise<ExitCode> {
  const [file = ''] = args;
  // A pipe, or a device, gives its rows once, and cannot be read again to go on.
  const found = file === '-' ? undefined : await stat(file).catch(() => undefined);
  if (file === '-' || (found && !found.isFile() && !found.isDirectory()))
    throw new CommandError('send needs a file, whose journal stands beside it.', 2, {
      hint: 'Save the input first.',
    });
  const place = options.journal ?? `${file}.orders-journal`;
  if (options.result !== undefined) checkResultName(options.result, [file, place]);
  const reading = { ...readingOf(options), schema: await loadSchema(options, terminal) };
  const context: Context = { file, place, options, reading, terminal, env };
  const decisions = (['resolve', 'retry', 'discard'] as const).filter((name) => options[name] !== undefined);
  if (options.review || decisions.length > 0) return settleRows(context, decisions);
  return sendFile(context);
}

/** The command line of another call for the file and its journal. */
function lineOf({ file, options: { journal } }: Context, ...words: readonly string[]): string {
  return commandLine([
    'orders',
    'send',
    // Without it, the name would be read as an option.
    file.startsWith('-') ? `./${file}` : file,
    ...(journal === undefined ? [] : ['--journal', journal]),
    ...words,
  ]);
}

/** The command line that goes on as the last run did. */
function resumeLine(context: Context, flags: SendFlags = {}): string {
  const { baseUrl, allowInsecureHttp, apiKeyFile, input, schema, config, rate, result } = flags;
  const values = {
    '--base-url': baseUrl,
    '--api-key-file': apiKeyFile,
    '--input': input,
    '--schema': schema,
    '--config': config,
    '--rate': rate,
    '--result': result,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return lineOf(
    context,
    ...given.flat().map(String),
    ...(allowInsecureHttp ? ['--allow-insecure-http'] : []),
    ...(flags.stopOnRejected ? ['--stop-on-rejected'] : []),
    ...(flags.skipInvalid ? ['--skip-invalid'] : []),
    ...(flags.strict ? ['--strict'] : []),
  );
}

/** Flags of this run that another one needs; --api-key-command is not kept, since it may hold a secret. */
function flagsOf({ options, env }: Context): SendFlags {
  const { allowInsecureHttp, apiKeyFile, input, schema, config, rate, result } = options;
  const { stopOnRejected, skipInvalid, strict } = options;
  const baseUrl = options.baseUrl === env['ORDERS_BASE_URL'] ? undefined : options.baseUrl;
  const places = { baseUrl, allowInsecureHttp, apiKeyFile };
  return { ...places, input, schema, config, rate, stopOnRejected, skipInvalid, strict, result };
}

async function settleRows(context: Context, decisions: readonly Decision[]): Promise<ExitCode> {
  const { file, place, options, terminal } = context;
  const journal = await openJournal(place);
  if (!journal) throw new CommandError(`There is no journal ${resolve(place)}: nothing of ${file} was sent.`);
  try {
    const refused: string[] = [];
    const notes: string[] = [];
    const settled: { readonly row: number; readonly decision: Decision }[] = [];
    for (const decision of decisions) {
      const given = options[decision] ?? [];
      const state = given === 'all' ? 'unknown' : 'rejected';
      const isList = typeof given !== 'string';
      const rows = isList ? given : [...journal.list([state])].map(({ row }) => row);
      if (!isList && rows.length > 0 && !options.yes) {
        const question = questions[state][decision].replace(
          'ROWS',
          formatNumberOf(rows.length, `${state} row`),
        );
        if (!(await terminal.confirm(question))) throw new CommandError('Nothing was changed.');
      }
      if (!isList && rows.length === 0) notes.push(describeNone(state, decision, journal));
      for (const row of rows) {
        const why = journal.decide(row, decision);
        if (why === undefined) settled.push({ row, decision });
        else refused.push(why);
      }
    }
    const waiting = [...journal.list(['unknown', 'rejected'])];
    await terminal.report({ settled, refused, waiting }, async () => [
      ...(settled.length > 0
        ? [
            `Settled: ${formatNumberOf(settled.length, 'row')}. To go on:`,
            `  ${resumeLine(context, journal.key.flags)}`,
          ]
        : []),
      ...(options.review ? await drawReview(waiting, context) : []),
    ]);
    terminal.note(...notes, ...refused);
    if (refused.length > 0) return 1;
    return (options.review || notes.length > 0) && waiting.length > 0 ? 1 : 0;
  } finally {
    await journal.close();
  }
}

/** Why "all" or "rejected" settles nothing. */
function describeNone(state: 'unknown' | 'rejected', decision: Decision, journal: Journal): string {
  const other = state === 'unknown' ? 'rejected' : 'unknown';
  const { [other]: count = 0 } = journal.count();
  const found = `Nothing was settled: no row is ${state}`;
  if (count === 0) return `${found}, and none is ${other}.`;
  return `${found}. For the ${formatNumberOf(count, `${other} row`)}, pass --${decision} ${other === 'unknown' ? 'all' : other}.`;
}

const questions: Readonly<Record<'unknown' | 'rejected', Readonly<Record<Decision, string>>>> = {
  unknown: {
    resolve: 'Note ROWS as applied?',
    retry: 'Send ROWS again, though they may have been applied?',
    discard: 'Give up ROWS?',
  },
  rejected: {
    resolve: 'Note ROWS as applied, though the service rejected them?',
    retry: 'Send ROWS again?',
    discard: 'Give up ROWS?',
  },
};

/** How many rows `--review` shows to people. */
const maxReviewed = 100;

/** The rows that wait, those with the same reason together, and what to do about them. */
async function drawReview(waiting: readonly JournalRow[], context: Context): Promise<readonly string[]> {
  const { terminal } = context;
  if (waiting.length === 0) return ['No row waits for a decision.'];
  const reasons = new Map<string, JournalRow[]>();
  for (const row of waiting.slice(0, maxReviewed)) {
    const { state, status, code, message } = row;
    // The client's message begins with the operation, and the token is there already.
    const why = (message ?? '').replace(/^PATCH \S+: /, '');
    const colour = state === 'unknown' ? 'yellow' : 'red';
    // A message about a status begins with it.
    const kind = status === null ? ` (${code})` : '';
    const reason = `${terminal.style(colour, state)}${kind}: ${why}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), row]);
  }
  const lines: string[] = [];
  for (const [reason, rows] of reasons) {
    const cells = rows.map(({ row, sentAt, orderId, token }) => [
      '',
      row,
      sentAt?.slice(0, 19).replace('T', ' ') ?? '',
      orderId && orderId.length > 20 ? `${orderId.slice(0, 19)}…` : (orderId ?? ''),
      token,
    ]);
    lines.push(
      ...(await terminal.table([[reason]])),
      ...(await terminal.table([['', 'row', 'sent (UTC)', 'order_id', 'token'], ...cells])),
      '',
    );
  }
  if (waiting.length > maxReviewed)
    lines.push(`and ${formatCount(waiting.length - maxReviewed)} more: --json prints all.`, '');
  const unknown = waiting.find(({ state }) => state === 'unknown');
  const row = String((unknown ?? waiting[0])?.row);
  return [
    ...lines,
    ...(unknown
      ? [
          'An unknown row may have been applied: look at its order. Then, for one row,',
          'several such as 17,19, or all unknown rows with "all":',
        ]
      : [
          'A rejected row was not applied. For one row, several such as 17,19, or all',
          'rejected rows with "rejected":',
        ]),
    `  it was applied:  ${lineOf(context, '--resolve', row)}`,
    `  send it again:   ${lineOf(context, '--retry', row)}`,
    `  give it up:      ${lineOf(context, '--discard', row)}`,
  ];
}

/** Sends what is not sent yet. A file is checked as a whole before the first byte of it leaves. */
async function sendFile(context: Context): Promise<ExitCode> {
  const { file, place, options, terminal } = context;
  // What is in flight is little, and the heap would still grow over a long file: to 291 MB instead of 125, for twice the time of the processor.
  setFlagsFromString('--optimize-for-size');
  let journal = await openJournal(place);
  try {
    const hashed = await terminal.waitFor(`the end of ${file}`, hashFile(file));
    // Who only goes on need not repeat it.
    const decimals = options.decimals ?? journal?.key.decimals ?? 0;
    const rowsAre = context.reading.rows ?? journal?.key.rowsAre;
    const reading = { ...context.reading, decimals, rows: rowsAre };
    const isNew = !journal || (await hasFixedRows({ ...context, reading }, journal, hashed));
    const rows = isNew ? await checkFile({ ...context, reading }) : journal?.key.rows;
    if (rows === undefined) return 1;
    const isResumed = journal !== undefined;
    let end: RunEnd = { sent: 0 };
    if (!journal || isNew || openRows(journal) > 0) {
      const { client, baseUrl } = await connectTo(context, journal?.key.baseUrl);
      try {
        // Not before the service is there: fixed rows may be changed until they are sent.
        if (isNew) journal?.replaceFile({ ...hashed, rows });
        journal ??= await createJournal(place, { ...hashed, rows, decimals, rowsAre, baseUrl });
        const { concurrency = 16, stopOnRejected = false, skipInvalid = false } = options;
        journal.noteFlags(flagsOf(context));
        const run = { file, reading, journal, client, terminal, concurrency, stopOnRejected, skipInvalid };
        end = await sendRows(run);
      } finally {
        await client.close();
      }
    } else if (options.baseUrl || options.config !== undefined) {
      // A finished file sends nothing, and must not look as if it had been sent elsewhere.
      const { client, baseUrl } = await connect(options, { terminal, env: context.env, isDry: true });
      await client.close();
      checkTarget(context, journal.key.baseUrl, baseUrl);
    }
    return await finish(context, journal, { ...end, isResumed });
  } finally {
    await journal?.close();
  }
}

/** Connects to where the rows before were sent, and tries the key. @throws CommandError */
async function connectTo(
  { file, place, options, terminal, env }: Context,
  before: string | undefined,
): Promise<Connection> {
  const { rate } = options;
  const connection = await connect(options, {
    terminal,
    env,
    // Through a restart of the service, and through pauses, rows wait rather than fail.
    retry: { maxAttempts: 8 },
    timeouts: { total: 600_000 },
    ...(rate !== undefined && { rateLimit: { requestsPerSecond: rate, burst: Math.ceil(rate / 20) } }),
  });
  const { client, baseUrl } = connection;
  if (before !== undefined) checkTarget({ file, place }, before, baseUrl);
  const echo = client.echo({ retry: { maxAttempts: 3 }, timeouts: { total: 30_000 } });
  await terminal.waitFor(`${baseUrl} to accept the key`, echo).catch((error: unknown) => {
    throw new CommandError(`Nothing was sent. ${describeError(error)}`, 3, {
      ...(error instanceof OrdersError && { code: error.code }),
      hint: '"orders check" says what to do.',
    });
  });
  return connection;
}

/** @throws CommandError when the rows before were sent elsewhere */
function checkTarget(
  { file, place }: Pick<Context, 'file' | 'place'>,
  before: string,
  baseUrl: string,
): void {
  if (before !== baseUrl)
    throw new CommandError(
      `${file} was sent to ${before}, and now the base URL is ${baseUrl}. Nothing was sent.`,
      3,
      { hint: `For a second service, name another --journal than ${place}.` },
    );
}

type Hashed = Pick<JournalKey, 'sha256' | 'bytes'>;

async function hashFile(file: string): Promise<Hashed> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw new UnreadableFileError(file, error);
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Reads the whole file, and returns how many rows it has; `undefined` when a part of it is invalid. */
async function checkFile({ file, reading, options, terminal }: Context): Promise<number | undefined> {
  const progress = await terminal.progress();
  const onRow = (rows: number): void =>
    progress.update(() => `Checking ${file}: ${formatNumberOf(rows, 'row')}`);
  const report = await validateFiles([file], { ...reading, limit: 20, onRow }).finally(progress.stop);
  const [{ rows, malformedRow, isMissing } = { rows: 0 }] = report.files;
  if (isMissing) throw new CommandError(report.issues[0]?.message ?? `Cannot read ${file}.`);
  // Rows that are left out may hold items of an order whose other rows are sent.
  const isWhole =
    malformedRow === undefined && !['row_per_item', 'row_without_token'].some((code) => code in report.rules);
  if (report.issueCount === 0 || (options.skipInvalid && isWhole)) {
    terminal.note(...(await drawIssues({ ...report, issueCount: 0, issues: [], rules: {} }, terminal)));
    return rows;
  }
  await terminal.report({ sent: 0, ...report }, async () => [
    ...(await drawIssues(report, terminal)),
    `Nothing was sent. Fix the file${isWhole && !options.group ? ', or send the other rows with --skip-invalid' : ''}.`,
  ]);
  return undefined;
}

/**
 * Whether rows have changed that were invalid and not sent, and nothing else: they are new rows.
 *
 * @throws CommandError when the file is otherwise not the one that the journal belongs to; the message says what has changed.
 */
async function hasFixedRows(
  { file, place, reading }: Context,
  { key, digestOf: sentDigest, states, count, findLater }: Journal,
  { sha256, bytes }: Hashed,
): Promise<boolean> {
  const refuse = (found: string, hint: string): never => {
    throw new CommandError(`${found}. Nothing was sent. What was sent is in ${place}`, 3, { hint });
  };
  if (reading.decimals !== key.decimals)
    refuse(
      `${file} was sent with --decimals ${key.decimals}, and now it is ${reading.decimals}`,
      `Pass --decimals ${key.decimals}.`,
    );
  if (reading.rows !== key.rowsAre && (key.rowsAre ?? 'each') !== reading.rows)
    refuse(
      `${file} was sent with ${flagOf(key.rowsAre)}, and now with ${flagOf(reading.rows)}`,
      `Leave ${flagOf(reading.rows)} out: the journal has how the file was sent.`,
    );
  if (sha256 === key.sha256) return false;
  // Of a file without rows, nothing can have changed.
  if (key.rows === 0) return true;
  const { invalid = 0 } = count();
  let [rows, same] = [0, 0];
  const changed: number[] = [];
  let late: { readonly row: number; readonly later: number } | undefined;
  try {
    for await (const row of readRows(file, reading)) {
      if (row.isUnreadable) break;
      rows++;
      const digest = sentDigest(row.row);
      if (!digest || states(row.row, row.row).get(row.row) === 'invalid') {
        // A fixed row may have been moved to a number that no row had, such as that of a blank line.
        const later = row.issues.length === 0 ? findLater(row.row, row.token) : undefined;
        if (later !== undefined) late ??= { row: row.row, later };
      } else digestOf(row).equals(digest) ? same++ : changed.push(row.row);
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
  }
  const advice = `Restore the file, and write new ${invalid > 0 ? 'and fixed ' : ''}rows to a file of their own.`;
  if (invalid > 0 && rows === key.rows && same === rows - invalid) {
    if (!late) return true;
    const { row, later } = late;
    refuse(
      `${file}: row ${row} was invalid, and is fixed now that row ${later}, a later one of its order, was sent`,
      advice,
    );
  }
  const rest = changed.length > 3 ? ` and ${formatCount(changed.length - 3)} more` : '';
  const sent =
    changed.length === 0
      ? 'no row that was sent is different'
      : `rows that were sent are different: ${changed.slice(0, 3).join(', ')}${rest}`;
  return refuse(
    `${file} has changed since its first row was sent: it had ${describeSize(key)} and has ${describeSize({ rows, bytes })}; ${sent}`,
    advice,
  );
}

const flagOf = (rowsAre: JournalKey['rowsAre']): string => (rowsAre === 'group' ? '--group' : '--each-row');

function describeSize({ rows, bytes }: Pick<JournalKey, 'rows' | 'bytes'>): string {
  return `${formatNumberOf(rows, 'row')} (${formatNumberOf(bytes, 'byte')})`;
}

/** Writes what is left to write, and reports. */
async function finish(
  context: Context,
  journal: Journal,
  { sent, stopped, isResumed }: RunEnd & { readonly isResumed: boolean },
): Promise<ExitCode> {
  const { file, place, options, terminal } = context;
  let problem = stopped;
  try {
    journal.flush();
  } catch (error) {
    problem = describeError(error);
    // Of another row, the journal has that it was not sent.
    for (const { row, state, status } of journal.unwritten)
      if (journal.states(row, row).get(row) === 'sending')
        terminal.note(
          `Row ${row} was ${state} (${status ?? 'no response'}), which could not be written: it becomes unknown.`,
        );
  }
  const { applied = 0, rejected = 0, unknown = 0, discarded = 0, invalid = 0 } = journal.count();
  const { rows } = journal.key;
  const waiting = rows - applied - rejected - unknown - discarded - invalid;
  if (options.result !== undefined) await writeResult(options.result, journal);
  const report = {
    file,
    rows,
    sent,
    applied,
    rejected,
    unknown,
    discarded,
    invalid,
    waiting,
    journal: place,
    result: options.result,
    stopped: problem,
  };
  await terminal.report(report, async () => {
    const shown = Object.entries({
      applied: '',
      rejected: 'not applied',
      unknown: 'may have been applied',
      discarded: '',
      invalid: 'not sent',
      waiting:
        unknown > 0 && problem === undefined
          ? 'behind rows of their order that wait for a decision'
          : 'not sent yet',
    }).filter(([name]) => name === 'applied' || report[name as 'applied'] > 0);
    const earlier = rows > 0 && applied === rows ? ': all were applied before' : '';
    const now =
      sent === 0 ? `nothing was sent in this run${earlier}` : `${formatCount(sent)} sent in this run`;
    return [
      `${file}: ${formatNumberOf(rows, journal.key.rowsAre === 'group' ? 'order' : 'row')}${isResumed || sent === 0 ? `, ${now}` : ''}`,
      ...(await terminal.table(
        shown.map(([name, what]) => ['', name, formatCount(report[name as 'applied']).padStart(9), what]),
      )),
      ...(unknown + rejected > 0 ? ['To decide:', `  ${lineOf(context, '--review')}`] : []),
    ];
  });
  if (problem !== undefined) {
    await terminal.fail(
      `${joinSentences(`stopped: ${problem}`)} Nothing is lost: run the same command again to go on.`,
    );
    return 3;
  }
  return rejected + unknown + invalid + waiting > 0 ? 1 : 0;
}

function checkResultName(name: string, taken: readonly string[]): void {
  if (!/\.(csv|ndjson|jsonl)$/i.test(name))
    throw new CommandError('--result: end the name in .csv or .ndjson.', 2);
  if (taken.some((other) => resolve(other) === resolve(name)))
    throw new CommandError(`--result: ${name} would overwrite what it is made of.`, 2);
}

/** Writes what became of each row that is in the journal; only its owner can read it. @throws CommandError */
async function writeResult(name: string, journal: Journal): Promise<void> {
  const draft = `${name}.${randomUUID()}`;
  const output = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
  try {
    if (/\.csv$/i.test(name)) {
      const { stringify } = await import('csv-stringify');
      const toCsv = stringify({ header: true, columns: resultColumns, escape_formulas: true });
      await pipeline(Readable.from(toCells(resultsOf(journal))), toCsv, output);
    } else {
      await pipeline(Readable.from(toLines(resultsOf(journal))), output);
    }
    await rename(draft, name);
  } catch (error) {
    await rm(draft, { force: true });
    throw new CommandError(
      `Cannot write ${name}: ${describeError(error)}. The journal has it all: run the same command again.`,
    );
  }
}

const resultColumns = [
  'row',
  'token',
  'order_id',
  'outcome',
  'decided',
  'status',
  'code',
  'request_id',
  'attempts',
  'sent_at',
  'at',
  'message',
];

function* resultsOf(journal: Journal): Generator<Readonly<Record<string, unknown>>> {
  for (const { state, orderId, requestId, sentAt, ...rest } of journal.list())
    yield {
      ...rest,
      outcome: state === 'queued' || state === 'ready' ? 'not_sent' : state,
      order_id: orderId,
      request_id: requestId,
      sent_at: sentAt,
    };
}

/** What the service says is shown on a terminal, too. */
function* toCells(
  results: Iterable<Readonly<Record<string, unknown>>>,
): Generator<Readonly<Record<string, unknown>>> {
  const toCell = (text: unknown): unknown => (typeof text === 'string' ? escapeControls(text) : text);
  for (const { request_id, message, ...rest } of results)
    yield { ...rest, request_id: toCell(request_id), message: toCell(message) };
}

function* toLines(results: Iterable<Readonly<Record<string, unknown>>>): Generator<string> {
  for (const result of results)
    yield `${toJson(Object.fromEntries(resultColumns.map((name) => [name, result[name]])))}\n`;
}
