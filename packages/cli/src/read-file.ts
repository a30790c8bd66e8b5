import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { stdin } from 'node:process';
import { Readable } from 'node:stream';
import { OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import type { FileIssue, UpdateFileOptions, UpdateFileRow } from '@orders/schema/file';
import { CommandError, describeError, type ExitCode, joinSentences, type Terminal } from './terminal.ts';
import { ChangedFileError, type FileSums, readUnchanged } from './unchanged-file.ts';

export type Row = UpdateFileRow;
export type RowIssue = FileIssue;

/** Options of every command that reads a file of updates. */
export interface FileOptions {
  readonly decimals?: number;
  readonly input?: UpdateFileOptions['format'];
  readonly group?: true;
  readonly eachRow?: true;
  readonly strict?: true;
}

export interface ReadOptions extends Omit<UpdateFileOptions, 'name'> {
  readonly schema?: OrderUpdateSchema | undefined;
  /** Says that the end of the file is waited for, where nothing else shows how far it is. */
  readonly terminal?: Terminal | undefined;
  /** What the file held when it was read first. */
  readonly sums?: FileSums | undefined;
}

/** What the flags of a command say about reading its file. */
export function readingOf({ decimals, input, group, eachRow, strict }: FileOptions): ReadOptions {
  return { decimals, format: input, rows: group ? 'group' : eachRow ? 'each' : undefined, strict };
}

/**
 * Reads the updates of a file as a stream. "-" is standard input.
 *
 * @throws UnreadableFileError
 * @throws ChangedFileError where the file is not what it was when it was read first
 */
export async function* readRows(
  file: string,
  { schema, terminal, sums, ...options }: ReadOptions = {},
): AsyncGenerator<Row> {
  const { readUpdateFile } = await import('@orders/schema/file');
  const chunks = chunksOf(file, { terminal, sums });
  try {
    for await (const row of readUpdateFile(chunks, baseOf(schema), { ...options, name: file }))
      yield { ...row, issues: row.issues.map(nameFlags) };
  } finally {
    // Who reads not all rows leaves the file open.
    await chunks.return(undefined);
  }
}

const baseOf = (schema: OrderUpdateSchema | undefined): OrderUpdateSchema =>
  schema ?? (OrderUpdate as unknown as OrderUpdateSchema);

/** Advice of the reader in the words of the command. */
const flagHints: ReadonlyMap<string, string> = new Map([
  [
    'row_per_item',
    'Pass --group to make one update of the rows of an order, or --each-row if each holds all items of its order.',
  ],
  [
    'undeclared_decimals',
    'Write the integer that is sent, or declare with --decimals how many decimals amounts have in the file.',
  ],
]);

function nameFlags(issue: RowIssue): RowIssue {
  const { code, hint = '' } = issue;
  const advice =
    code === 'unknown_column' && hint.startsWith('Known:')
      ? `${hint} Fields of your own: --schema, or orderUpdate in orders.json.`
      : flagHints.get(code);
  return advice === undefined ? issue : { ...issue, hint: advice };
}

interface JsonFileOptions extends Pick<ReadOptions, 'terminal'> {
  /** Called with each part of the file. */
  readonly onChunk?: (chunk: Uint8Array) => void;
  /** @default 2 */
  readonly exitCode?: ExitCode;
  /** What is said about a part of the file. */
  readonly describe?: (issue: Omit<RowIssue, 'row'>) => string;
}

/** Reads a file of one JSON value. What `JSON.parse` would change without a word is an error. @throws CommandError */
export async function readJsonFile(
  file: string,
  { terminal, exitCode = 2, describe = describeIssue, onChunk = () => {} }: JsonFileOptions = {},
): Promise<unknown> {
  const { readJsonValue } = await import('@orders/schema/file');
  const watched = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunksOf(file, { terminal })) {
      onChunk(chunk);
      yield chunk;
    }
  };
  const { value, changes } = await readJsonValue(watched());
  const [change] = changes;
  if (!change) return value;
  throw new CommandError(`${placeOf(file, change)}: ${describe(change)}`, exitCode, { code: change.code });
}

function placeOf(file: string, { line = 1, column }: Omit<RowIssue, 'row'>): string {
  return [file, line, ...(column === undefined ? [] : [column])].join(':');
}

/**
 * Reads a JSON file of one update, which the client checks. What an export may have changed is noted, and amounts that are
 * written with the decimals of `--decimals` are refused, as by `orders validate`.
 *
 * @throws CommandError
 */
export async function readOneUpdate(
  file: string,
  { schema, decimals, terminal }: ReadOptions & { readonly terminal: Terminal },
): Promise<OrderUpdate> {
  const chunks: Uint8Array[] = [];
  const onChunk = (chunk: Uint8Array): void => void chunks.push(chunk);
  const value = await readJsonFile(file, { terminal, exitCode: 1, onChunk });
  if (typeof value === 'object' && value !== null && 'token' in value && 'update' in value)
    throw new CommandError(`${file} holds { "token", "update" }, as a file for "orders send" does.`, 1, {
      hint: 'Write the update alone: { "cart": ... }.',
    });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandError(`${file}: expected one update such as { "cart": { "items": [{ ... }] } }.`, 1);
  const { readUpdateFile } = await import('@orders/schema/file');
  const reading = { format: 'json', requireToken: false, decimals } as const;
  for await (const { issues, warnings } of readUpdateFile(Readable.from(chunks), baseOf(schema), reading)) {
    const amount = issues.find(({ code }) => code === 'written_decimals');
    if (amount)
      throw new CommandError(`${placeOf(file, amount)}: ${describeIssue(amount)}`, 1, { code: amount.code });
    for (const warning of warnings)
      terminal.note(`${placeOf(file, warning)}: ${warning.path}: ${describeIssue(warning)}`);
  }
  return value as OrderUpdate;
}

/** What is wrong, what is there, and what to write instead. */
export function describeIssue({ found, message, hint }: Omit<RowIssue, 'row'>): string {
  const got = found === undefined || message.includes(found) ? '' : `Found ${found}. `;
  return got + joinSentences(message, hint);
}

/** @throws UnreadableFileError | ChangedFileError */
async function* chunksOf(
  file: string,
  { terminal, sums }: Pick<ReadOptions, 'terminal' | 'sums'>,
): AsyncGenerator<Uint8Array> {
  const { promise: end, resolve: ended } = Promise.withResolvers<void>();
  void terminal?.waitFor(`the end of ${file === '-' ? 'standard input' : file}`, end);
  try {
    if (sums) yield* readUnchanged(file, sums);
    else yield* file === '-' ? stdin : createReadStream(file, { highWaterMark: 16_384 });
  } catch (error) {
    if (error instanceof ChangedFileError) throw error;
    throw new UnreadableFileError(file, error);
  } finally {
    ended();
  }
}

/** A file that cannot be opened, or not be read to its end. */
export class UnreadableFileError extends CommandError {
  constructor(file: string, error: unknown) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Its whole path shows the folder where it is looked for.
    super(`Cannot read ${resolve(file)}: ${readProblems.get(code) ?? describeError(error)}.`);
  }
}

const readProblems: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'you may not read it'],
  ['EISDIR', 'it is a folder'],
]);
