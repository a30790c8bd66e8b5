import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Journal } from './journal.ts';
import { CommandError, describeError, escapeControls, toJson } from './terminal.ts';

/** @throws CommandError when a result cannot be written under this name */
export function checkResultName(name: string): void {
  if (!/\.(csv|ndjson|jsonl)$/i.test(name))
    throw new CommandError('--result: end the name in .csv or .ndjson.', 2);
}

/** Tries the place of a result before there is one. @throws CommandError */
export async function tryResult(name: string): Promise<void> {
  const draft = `${name}.${randomUUID()}`;
  try {
    await writeFile(draft, '', { flag: 'wx', mode: 0o600 });
    await rm(draft);
    if ((await stat(name).catch(() => undefined))?.isDirectory()) throw new Error('it is a folder');
  } catch (error) {
    throw new CommandError(`Cannot write ${name}: ${describeError(error)}. Nothing was sent.`);
  }
}

/** Writes what became of each row that is in the journal; only its owner can read it. @throws CommandError */
export async function writeResult(name: string, journal: Journal): Promise<void> {
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
    const next = journal.isInPlace() ? ' The journal has it all: run the same command again.' : '';
    throw new CommandError(`Cannot write ${name}: ${describeError(error)}.${next}`);
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

/** What a run that has ended leaves in these states; the outcome of what is being sent could not be written. */
const outcomes = { queued: 'not_sent', ready: 'not_sent', sending: 'unknown' } as const;

function* resultsOf(journal: Journal): Generator<Readonly<Record<string, unknown>>> {
  for (const { state, orderId, requestId, sentAt, ...rest } of journal.list())
    yield {
      ...rest,
      outcome: outcomes[state as keyof typeof outcomes] ?? state,
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
