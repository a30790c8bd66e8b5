import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { type Connection, type ConnectionOptions, connect, loadSchema } from './connection.ts';
import {
  createJournal,
  type Decision,
  type Journal,
  type JournalKey,
  type JournalRow,
  openJournal,
} from './journal.ts';
import { type ReadOptions, readFailure, readRows } from './read-file.ts';
import { digestOf, openRows, sendRows } from './send-rows.ts';
import {
  CommandError,
  type CommandInput,
  describeError,
  type Environment,
  type ExitCode,
  formatCount,
  formatNumberOf,
  joinSentences,
  type Terminal,
} from './terminal.ts';
import { drawIssues, validateFiles } from './validate.ts';

interface SendOptions
  extends ConnectionOptions,
    Partial<Record<Decision, readonly number[] | 'all'>>,
    Pick<ReadOptions, 'decimals' | 'input'> {
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
  if (file === '-')
    throw new CommandError('send needs a file, whose journal stands beside it. Save the input first.', 2);
  const place = options.journal ?? `${file}.orders-journal`;
  if (options.result !== undefined) checkResultName(options.result, [file, place]);
  const reading = { ...options, schema: await loadSchema(options), needsToken: true };
  const context: Context = { file, place, options, reading, terminal, env };
  const decisions = (['resolve', 'retry', 'discard'] as const).filter((name) => options[name] !== undefined);
  if (options.review || decisions.length > 0) return settleRows(context, decisions);
  return sendFile(context);
}

async function settleRows(
  { file, place, options, terminal }: Context,
  decisions: readonly Decision[],
): Promise<ExitCode> {
  const journal = await openJournal(place);
  if (!journal) throw new CommandError(`There is no journal ${place}: nothing of ${file} was sent.`);
  try {
    const refused: string[] = [];
    const settled: { readonly row: number; readonly decision: Decision }[] = [];
    for (const decision of decisions) {
      const given = options[decision] ?? [];
      const rows = given === 'all' ? [...journal.list(['unknown'])].map(({ row }) => row) : given;
      if (given === 'all' && rows.length > 0 && !options.yes) {
        const question = questions[decision].replace('ROWS', formatNumberOf(rows.length, 'unknown row'));
        if (!(await terminal.confirm(question))) throw new CommandError('Nothing was changed.');
      }
      for (const row of rows) {
        const why = journal.decide(row, decision);
        if (why === undefined) settled.push({ row, decision });
        else refused.push(why);
      }
    }
    const waiting = [...journal.list(['unknown', 'rejected'])];
    await terminal.report({ settled, refused, waiting }, async () => [
      ...(decisions.length > 0
        ? [`Settled: ${formatNumberOf(settled.length, 'row')}. To go on: orders send ${file}`]
        : []),
      ...(options.review ? await drawReview(waiting, file, terminal) : []),
    ]);
    for (const why of refused) terminal.note(why);
    if (refused.length > 0) return 1;
    return options.review && waiting.length > 0 ? 1 : 0;
  } finally {
    journal.close();
  }
}

const questions: Readonly<Record<Decision, string>> = {
  resolve: 'Note ROWS as applied?',
  retry: 'Send ROWS again, though they may have been applied?',
  discard: 'Give up ROWS?',
};

async function drawReview(
  waiting: readonly JournalRow[],
  file: string,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (waiting.length === 0) return ['No row waits for a decision.'];
  const shown = waiting.slice(0, 100);
  const rows = shown.map(({ row, state, status, code, token, message }) => [
    row,
    terminal.style(state === 'unknown' ? 'yellow' : 'red', state),
    status ?? code ?? '',
    token.length > 24 ? `${token.slice(0, 23)}…` : token,
    // The client's message begins with the operation, and the token is there already.
    (message ?? '').replace(/^PATCH \S+: /, ''),
  ]);
  return [
    ...(await terminal.table([['row', 'state', 'status', 'order', ''], ...rows])),
    ...(waiting.length > shown.length
      ? [`and ${formatCount(waiting.length - shown.length)} more: --json prints all.`]
      : []),
    '',
    'An unknown row may have been applied: look at its order. Then:',
    `  orders send ${file} --resolve ${waiting[0]?.row}   it was applied`,
    `  orders send ${file} --retry ${waiting[0]?.row}     send it again`,
    `  orders send ${file} --discard ${waiting[0]?.row}   give it up`,
  ];
}

/** Sends what is not sent yet. A file is checked as a whole before the first byte of it leaves. */
async function sendFile(context: Context): Promise<ExitCode> {
  const { file, place, options, terminal } = context;
  // What is in flight is little, and the heap would still grow over a long file: to 291 MB instead of 125, for twice the time of the processor.
  setFlagsFromString('--optimize-for-size');
  let journal = await openJournal(place);
  try {
    const hashed = await hashFile(file);
    if (journal) await checkUnchanged(context, journal, hashed);
    const checked = journal?.key ?? (await checkFile(context, hashed));
    if (!checked) return 1;
    let stopped: string | undefined;
    const reading = { ...context.reading, decimals: checked.decimals };
    if (!journal || openRows(journal) > 0) {
      const { client, baseUrl } = await connectTo(context, journal?.key.baseUrl);
      try {
        journal ??= await createJournal(place, { ...checked, baseUrl });
        const { concurrency = 16, stopOnRejected = false } = options;
        stopped = await sendRows({ file, reading, journal, client, terminal, concurrency, stopOnRejected });
      } finally {
        await client.close();
      }
    } else if (options.baseUrl || options.config !== undefined) {
      // A finished file sends nothing, and must not look as if it had been sent elsewhere.
      const { client, baseUrl } = await connect(options, { terminal, env: context.env, isDry: true });
      await client.close();
      checkTarget(context, journal.key.baseUrl, baseUrl);
    }
    return await finish(context, journal, stopped);
  } finally {
    journal?.close();
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
  await client.echo({ retry: { maxAttempts: 3 }, timeouts: { total: 30_000 } }).catch((error: unknown) => {
    throw new CommandError(`Nothing was sent. ${describeError(error)} "orders check" says what to do.`);
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
      `${file} was sent to ${before}, and now the base URL is ${baseUrl}. Nothing was sent. For a second service, name another --journal than ${place}.`,
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
    throw readFailure(file, error);
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Reads the whole file; `undefined` when a part of it is invalid. */
async function checkFile(
  { file, reading, options, terminal }: Context,
  hashed: Hashed,
): Promise<JournalKey | undefined> {
  const progress = await terminal.progress();
  const onRow = (rows: number): void =>
    progress.update(() => `Checking ${file}: ${formatNumberOf(rows, 'row')}`);
  const report = await validateFiles([file], { ...reading, limit: 20, onRow }).finally(progress.stop);
  const rows = report.files[0]?.rows ?? 0;
  const isMalformed = 'malformed' in report.rules;
  if (report.issueCount === 0 || (options.skipInvalid && !isMalformed))
    return { ...hashed, rows, decimals: options.decimals ?? 0, baseUrl: '' };
  await terminal.report({ sent: 0, ...report }, async () => [
    ...(await drawIssues(report, terminal)),
    `Nothing was sent. Fix the file${isMalformed ? '' : ', or send the other rows with --skip-invalid'}.`,
  ]);
  return undefined;
}

/** @throws CommandError when the file is not the one that the journal belongs to; the message says what has changed. */
async function checkUnchanged(
  { file, place, reading, options }: Context,
  { key, digestOf: sentDigest }: Journal,
  { sha256, bytes }: Hashed,
): Promise<void> {
  // Who only goes on need not repeat it.
  const { decimals = key.decimals } = options;
  const advice = `Nothing was sent. What was sent is in ${place}`;
  if (sha256 === key.sha256) {
    if (decimals === key.decimals) return;
    throw new CommandError(
      `${file} was sent with --decimals ${key.decimals}, and now it is ${decimals}. ${advice}: pass --decimals ${key.decimals}.`,
    );
  }
  let rows = 0;
  const changed: number[] = [];
  try {
    for await (const row of readRows(file, { ...reading, decimals: key.decimals })) {
      rows++;
      const digest = sentDigest(row.row);
      if (digest && !digestOf(row).equals(digest)) changed.push(row.row);
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
  }
  const rest = changed.length > 3 ? ` and ${formatCount(changed.length - 3)} more` : '';
  const sent =
    changed.length === 0
      ? 'no row that was sent is different'
      : `rows that were sent are different: ${changed.slice(0, 3).join(', ')}${rest}`;
  throw new CommandError(
    `${file} has changed since its first row was sent: it had ${describeSize(key)} and has ${describeSize({ rows, bytes })}; ${sent}. ${advice}: restore the file, and write new rows to a file of their own.`,
  );
}

function describeSize({ rows, bytes }: Pick<JournalKey, 'rows' | 'bytes'>): string {
  return `${formatNumberOf(rows, 'row')} (${formatNumberOf(bytes, 'byte')})`;
}

/** Writes what is left to write, and reports. */
async function finish(
  { file, place, options, terminal }: Context,
  journal: Journal,
  stopped: string | undefined,
): Promise<ExitCode> {
  let problem = stopped;
  try {
    journal.flush();
  } catch (error) {
    problem = describeError(error);
    for (const { row, state, status } of journal.unwritten)
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
    const lines = Object.entries({
      applied: '',
      rejected: 'not applied',
      unknown: `may have been applied: orders send ${file} --review`,
      discarded: '',
      invalid: 'not sent',
      waiting:
        unknown > 0 && problem === undefined
          ? 'behind rows of their order that wait for a decision'
          : 'not sent yet',
    });
    const shown = lines.filter(([name]) => name === 'applied' || report[name as 'applied'] > 0);
    return [
      `${file}: ${formatNumberOf(rows, 'row')}`,
      ...(await terminal.table(
        shown.map(([name, what]) => ['', name, formatCount(report[name as 'applied']).padStart(9), what]),
      )),
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
      await pipeline(Readable.from(resultsOf(journal)), toCsv, output);
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
  'outcome',
  'status',
  'code',
  'request_id',
  'attempts',
  'at',
  'message',
];

function* resultsOf(journal: Journal): Generator<Readonly<Record<string, unknown>>> {
  for (const { state, requestId, ...rest } of journal.list())
    yield { ...rest, outcome: state === 'queued' ? 'not_sent' : state, request_id: requestId };
}

function* toLines(results: Iterable<Readonly<Record<string, unknown>>>): Generator<string> {
  for (const result of results)
    yield `${JSON.stringify(Object.fromEntries(resultColumns.map((name) => [name, result[name]])))}\n`;
}
