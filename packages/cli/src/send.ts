import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { OrdersError } from '@orders/client';
import { type Connection, type ConnectionOptions, connect, loadSchema, normalizeUrl } from './connection.ts';
import { createJournal, type Journal, type JournalKey, openJournal } from './journal.ts';
import { type FileOptions, type ReadOptions, readingOf, UnreadableFileError } from './read-file.ts';
import { type DecisionOptions, decideRows, isDecision, journalOf, sendLine } from './send-decisions.ts';
import { checkResultName, tryResult, writeResult } from './send-result.ts';
import { countOpenRows, type RunEnd, sendRows } from './send-rows.ts';
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
import { type FileSums, sumFile } from './unchanged-file.ts';
import { drawIssues, validateFiles } from './validate.ts';

interface SendOptions extends ConnectionOptions, DecisionOptions, FileOptions {
  readonly rate?: number;
  readonly concurrency?: number;
  readonly stopOnRejected?: boolean;
  readonly skipInvalid?: boolean;
  readonly result?: string;
  readonly journal?: string;
}

/** What all steps of a run need. */
interface Context {
  readonly file: string;
  readonly journalFile: string;
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
  const { journal: journalFile = journalOf(file), result } = options;
  if (await isSameFile(journalFile, file))
    throw new CommandError(`--journal: ${journalFile} is the file that is sent.`, 2);
  if (result !== undefined) {
    checkResultName(result);
    if ((await isSameFile(result, file)) || (await isSameFile(result, journalFile)))
      throw new CommandError(`--result: ${result} would overwrite what it is made of.`, 2);
  }
  if (isDecision(options)) return decideRows(options, { file, journalFile, terminal });
  if (result !== undefined) await tryResult(result);
  const reading = { ...readingOf(options), schema: await loadSchema(options, terminal) };
  return sendFile({ file, journalFile, options, reading, terminal, env });
}

/** Whether two names are those of one file, through whatever links. */
async function isSameFile(name: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([name, other].map(identify));
  return one === two;
}

/** What a file is known by; one that is not there yet, by its name in its folder. */
async function identify(name: string): Promise<string> {
  const found = await stat(name, { bigint: true }).catch(() => undefined);
  if (found) return `${found.dev} ${found.ino}`;
  const path = resolve(name);
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

/** Sends what is not sent yet. A file is checked as a whole before the first byte of it leaves. */
async function sendFile(given: Context): Promise<ExitCode> {
  const { file, journalFile, options, terminal } = given;
  // What is in flight is little, and the heap would still grow over a long file: to 291 MB instead of 125, for twice the time of the processor.
  setFlagsFromString('--optimize-for-size');
  let journal = await openJournal(journalFile);
  try {
    const sums = await terminal.waitFor(`the end of ${file}`, sumFile(file)).catch((error: unknown) => {
      throw new UnreadableFileError(file, error);
    });
    const { sha256, bytes } = sums;
    const context = { ...given, reading: { ...readAsBefore(given.reading, journal?.key), sums } };
    if (journal) checkUnchanged(context, journal.key, sums);
    const rows = journal?.key.rows ?? (await checkFile(context));
    if (rows === undefined) return 1;
    const isResumed = journal !== undefined;
    if (journal && countOpenRows(journal) === 0) {
      await checkTargetOfFinished(context, journal.key.baseUrl);
      return await finish(context, journal, { sent: 0, isResumed });
    }
    const { client, baseUrl } = await connectTo(context, journal?.key.baseUrl);
    try {
      const { decimals = 0, rows: rowsAre, format, strict } = context.reading;
      const key = { sha256, bytes, rows, decimals, rowsAre, format, strict, baseUrl };
      journal ??= await createJournal(journalFile, key);
      const { concurrency = 16, stopOnRejected = false, skipInvalid = false } = options;
      const { reading } = context;
      const end = await sendRows({
        file,
        reading,
        journal,
        client,
        terminal,
        concurrency,
        stopOnRejected,
        skipInvalid,
      });
      return await finish(context, journal, { ...end, isResumed });
    } finally {
      await client.close();
    }
  } finally {
    await journal?.close();
  }
}

/** Who only goes on need not repeat how the file is read. What was checked is not checked in another way. */
function readAsBefore(reading: ReadOptions, key: JournalKey | undefined): ReadOptions {
  const { decimals = key?.decimals, rows = key?.rowsAre } = reading;
  const { format, strict } = key ?? reading;
  return { ...reading, decimals, rows, format, strict };
}

/** @throws CommandError when a file, or how it is read, is not what the journal belongs to */
function checkUnchanged({ file, journalFile, reading }: Context, key: JournalKey, found: FileSums): void {
  const refuse = (what: string, hint: string): never => {
    throw new CommandError(`${what}. Nothing was sent. What was sent is in ${journalFile}`, 3, { hint });
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
  if (found.sha256 !== key.sha256)
    refuse(
      `${file} has changed since its first row was sent: it had ${formatNumberOf(key.bytes, 'byte')}, and has ${formatNumberOf(found.bytes, 'byte')}`,
      'Restore the file, and write new and fixed rows to a file of their own.',
    );
}

const flagOf = (rowsAre: JournalKey['rowsAre']): string => (rowsAre === 'group' ? '--group' : '--each-row');

/** Reads the whole file, and returns how many rows it has; `undefined` when a part of it is invalid. */
async function checkFile({ file, reading, options, terminal }: Context): Promise<number | undefined> {
  const progress = await terminal.progress();
  const onRow = (rows: number): void =>
    progress.update(() => `Checking ${file}: ${formatNumberOf(rows, 'row')}`);
  const report = await validateFiles([file], { ...reading, limit: 20, onRow }).finally(progress.stop);
  const [{ rows, malformedRow, isMissing } = { rows: 0 }] = report.files;
  if (isMissing) throw new CommandError(report.issues[0]?.message ?? `Cannot read ${file}.`);
  // Rows that are left out may hold items of an order whose other rows are sent; of no rows, none are left.
  const isWhole =
    malformedRow === undefined &&
    !['no_rows', 'row_per_item', 'row_without_token'].some((code) => code in report.rules);
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

/** Connects to where the rows before were sent, and tries the key. @throws CommandError */
async function connectTo(
  { file, journalFile, options, terminal, env }: Context,
  before: string | undefined,
): Promise<Connection> {
  const { rate, timeout = 0 } = options;
  const connection = await connect(options, {
    terminal,
    env,
    // Through a restart of the service, and through pauses, rows wait rather than fail.
    retry: { maxAttempts: 8 },
    timeouts: { total: 600_000 },
    ...(rate !== undefined && { rateLimit: { requestsPerSecond: rate, burst: Math.ceil(rate / 20) } }),
  });
  const { client, baseUrl } = connection;
  if (before !== undefined) checkTarget({ file, journalFile }, before, baseUrl);
  const echo = client.echo({ retry: { maxAttempts: 3 }, timeouts: { total: Math.max(30_000, timeout) } });
  await terminal.waitFor(`${baseUrl} to accept the key`, echo).catch((error: unknown) => {
    throw new CommandError(`Nothing was sent. ${describeError(error)}`, 3, {
      ...(error instanceof OrdersError && { code: error.code }),
      hint: '"orders check" says what to do.',
    });
  });
  return connection;
}

/** A finished file sends nothing, and must not look as if it had been sent elsewhere. @throws CommandError */
async function checkTargetOfFinished(context: Context, before: string): Promise<void> {
  const { options, terminal, env } = context;
  if (!options.baseUrl && options.config === undefined) return;
  const { client, baseUrl } = await connect(options, { terminal, env, isDry: true });
  await client.close();
  checkTarget(context, before, baseUrl);
}

/** @throws CommandError when the rows before were sent elsewhere */
function checkTarget(
  { file, journalFile }: Pick<Context, 'file' | 'journalFile'>,
  before: string,
  baseUrl: string,
): void {
  if (normalizeUrl(before) !== baseUrl)
    throw new CommandError(
      `${file} was sent to ${before}, and now the base URL is ${baseUrl}. Nothing was sent.`,
      3,
      { hint: `For a second service, name another --journal than ${journalFile}.` },
    );
}

/** Writes what is left to write, reports, and writes the result. @throws CommandError when that cannot be written */
async function finish(
  context: Context,
  journal: Journal,
  { sent, stopped, isResumed }: RunEnd & { readonly isResumed: boolean },
): Promise<ExitCode> {
  const { file, journalFile, options, terminal } = context;
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
  const { applied = 0, rejected = 0, discarded = 0, invalid = 0, sending = 0, ...open } = journal.count();
  // Nothing is in flight any more: the outcome of what is still being sent could not be written.
  const unknown = (open.unknown ?? 0) + sending;
  const { rows } = journal.key;
  const waiting = rows - applied - rejected - unknown - discarded - invalid;
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
    journal: journalFile,
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
      waiting: problem === undefined ? 'behind rows of their order that wait for a decision' : 'not sent yet',
    }).filter(([name]) => name === 'applied' || report[name as 'applied'] > 0);
    const earlier = applied === rows ? ': all were applied before' : '';
    const now =
      sent === 0 ? `nothing was sent in this run${earlier}` : `${formatCount(sent)} sent in this run`;
    return [
      `${file}: ${formatNumberOf(rows, journal.key.rowsAre === 'group' ? 'order' : 'row')}${isResumed || sent === 0 ? `, ${now}` : ''}`,
      ...(await terminal.table(
        shown.map(([name, what]) => ['', name, formatCount(report[name as 'applied']).padStart(9), what]),
      )),
      ...(unknown + rejected > 0 ? ['To decide:', `  ${sendLine(file, journalFile, '--review')}`] : []),
    ];
  });
  if (problem !== undefined) {
    let next = 'Nothing is lost: run the same command again to go on.';
    if (sending > 0)
      next = 'Run the same command again to go on: what could not be written waits for a decision.';
    if (!journal.isInPlace()) next = describeLoss(journal);
    await terminal.fail(`${joinSentences(`stopped: ${problem}`)} ${next}`);
  }
  // Last: that it cannot be written must not hide the rest.
  if (options.result !== undefined) await writeResult(options.result, journal);
  if (problem !== undefined) return 3;
  return rejected + unknown + invalid + waiting > 0 ? 1 : 0;
}

/** What was sent according to a journal that the next run would not find. */
function describeLoss(journal: Journal): string {
  const { applied = 0, unknown = 0, sending = 0 } = journal.count();
  let last = 0;
  for (const { row, state } of journal.list()) if (state !== 'ready' && state !== 'queued') last = row;
  return `Of the rows up to ${last}, ${formatCount(applied)} were applied and ${formatCount(unknown + sending)} may have been. A run without this journal sends them again: put it back first, beside its -wal.`;
}
