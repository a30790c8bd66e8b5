import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { stdin } from 'node:process';
import { pipeline, Readable } from 'node:stream';
import type { DocumentNode, ValueNode } from '@humanwhocodes/momoa';
import { explain, isOrderToken, OrderUpdate, type OrderUpdateSchema } from '@orders/schema';
import { checkOptions } from '@orders/schema/check-options';
import { CommandError, describeError, joinSentences } from './terminal.ts';

/** One update of a file, or what is wrong with it. */
export interface Row {
  /** Its number: that of the line in CSV and NDJSON as a spreadsheet or an editor counts, else its place in the list. */
  readonly row: number;
  readonly token: string;
  readonly update: OrderUpdate;
  readonly issues: readonly RowIssue[];
}

export interface RowIssue {
  /** The rule: a code of `@orders/schema`, or `malformed`. */
  readonly code: string;
  readonly row: number;
  /** Where it is in the text of the file, from 1. In CSV the column is that of the table. */
  readonly line?: number;
  readonly column?: number;
  /** The field; empty for the whole update. */
  readonly path: string;
  /** What is there, as JSON. */
  readonly found?: string;
  readonly message: string;
  readonly hint?: string;
}

export interface ReadOptions {
  /** @default OrderUpdate */
  readonly schema?: OrderUpdateSchema | undefined;
  /** Decimals of amounts in CSV. */
  readonly decimals?: number | undefined;
  readonly input?: 'json' | 'ndjson' | 'csv' | undefined;
  /** Whether a JSON update may come without a token. */
  readonly needsToken?: boolean;
  /** Called with each chunk of the file. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

type Malformation = Omit<RowIssue, 'code' | 'path'>;

/** A file that cannot be read to its end, as the issues of a row. */
export class MalformedFileError extends CommandError {
  readonly row: number;
  readonly issues: readonly RowIssue[];

  constructor(file: string, first: Malformation, ...others: readonly Malformation[]) {
    const issues = [first, ...others].map((issue) => ({ code: 'malformed', path: '', ...issue }));
    const text = issues.map(({ message, hint }) => joinSentences(message, hint)).join(' ');
    super(`${file}: row ${first.row}: ${text}`, 1, { code: 'malformed' });
    this.row = first.row;
    this.issues = issues;
  }
}

/** A step of a path, as zod writes it. */
type Segment = string | number;

/** What reading a file needs. */
interface Source {
  readonly file: string;
  readonly head: string;
  readonly chunks: AsyncIterable<string>;
  readonly schema: OrderUpdateSchema;
  readonly options: ReadOptions;
}

/**
 * Reads the updates of a file as a stream: CSV and NDJSON of any size, JSON as a whole. "-" is standard input.
 *
 * @throws MalformedFileError, or CommandError when it cannot be read.
 */
export async function* readRows(file: string, options: ReadOptions = {}): AsyncGenerator<Row> {
  const { schema = OrderUpdate as unknown as OrderUpdateSchema } = options;
  const [head, chunks] = await peek(decode(file, options.onChunk));
  const source: Source = { file, head, chunks, schema, options };
  const format = options.input ?? formatOfName(file) ?? formatOfText(head);
  if (format === 'csv') yield* readCsv(source);
  else if (format === 'ndjson') yield* readNdjson(source);
  else yield* readJson(source);
}

/** Reads a JSON file of one update, which the client checks. @throws CommandError */
export async function readOneUpdate(file: string): Promise<OrderUpdate> {
  const text = await readAll(decode(file));
  const value = parseJson(text, file, 1);
  if (typeof value === 'object' && value !== null && 'token' in value && 'update' in value)
    throw new CommandError(`${file} holds { "token", "update" }, as a file for "orders send" does.`, 1, {
      hint: 'Write the update alone: { "cart": ... }.',
    });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as OrderUpdate;
  throw new CommandError(`${file}: expected one update such as { "cart": { "items": [] } }.`, 1);
}

function formatOfName(file: string): ReadOptions['input'] {
  const [, extension = ''] = /\.(csv|tsv|json|ndjson|jsonl)$/i.exec(file) ?? [];
  return ({ csv: 'csv', tsv: 'csv', json: 'json', ndjson: 'ndjson', jsonl: 'ndjson' } as const)[
    extension.toLowerCase()
  ];
}

function formatOfText(head: string): NonNullable<ReadOptions['input']> {
  const [line = ''] = head.trimStart().split('\n', 1);
  if (!/^[[{]/.test(line)) return 'csv';
  // The first line of a list or of an update on several lines is no object by itself.
  return line.startsWith('{') && isJson(line) ? 'ndjson' : 'json';
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** The text of a file, in pieces. Text in another encoding is refused, since names in it would change unnoticed. */
async function* decode(file: string, onChunk: ReadOptions['onChunk'] = () => {}): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  try {
    const stream = file === '-' ? stdin : createReadStream(file, { highWaterMark: 16_384 });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onChunk(chunk);
      yield decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
    }
    yield decoder.decode();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new CommandError(
        `${file} is not UTF-8 (after byte ${bytes}): save it as UTF-8, in Excel as "CSV UTF-8".`,
        1,
      );
    throw readFailure(file, error);
  }
}

export function readFailure(file: string, error: unknown): CommandError {
  const { code = '' } = error as NodeJS.ErrnoException;
  // Its whole path shows the folder where it is looked for.
  return new CommandError(`Cannot read ${resolve(file)}: ${readProblems[code] ?? describeError(error)}.`);
}

const readProblems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
};

/** The first piece that is not blank, and all of them. */
async function peek(chunks: AsyncGenerator<string>): Promise<readonly [string, AsyncIterable<string>]> {
  let head = '';
  for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
    head += step.value;
    if (head.trim() !== '') break;
  }
  async function* all(): AsyncGenerator<string> {
    yield head;
    yield* chunks;
  }
  return [head, all()];
}

async function* readNdjson(source: Source): AsyncGenerator<Row> {
  let row = 0;
  for await (const line of lines(source)) {
    row++;
    if (line.trim() === '') continue;
    yield await toRow(parseJson(line, source.file, row), row, source, {
      at: [],
      locate: createLocate(line, row),
    });
  }
}

/** A longer line, or list, is not read: it would fill the memory. A row of CSV is one update. */
const longestText = 64 * 1_048_576;
const longestRecord = 4 * 1_048_576;

async function* lines({ chunks, file }: Source): AsyncGenerator<string> {
  let rest = '';
  let row = 1;
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    row += parts.length;
    yield* parts;
    if (rest.length > longestText)
      throw new MalformedFileError(file, { row, message: 'the line is longer than 64 MiB' });
  }
  if (rest !== '') yield rest;
}

async function* readJson(source: Source): AsyncGenerator<Row> {
  const text = await readAll(source.chunks, source.file);
  const value = parseJson(text, source.file, 1);
  const locate = createLocate(text);
  if (!Array.isArray(value)) yield await toRow(value, 1, source, { at: [], locate });
  else
    for (const [index, one] of value.entries())
      yield await toRow(one, index + 1, source, { at: [index], locate });
}

async function readAll(chunks: AsyncIterable<string>, file = ''): Promise<string> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > longestText)
      throw new CommandError(
        `${file} is longer than 64 MiB: write it as NDJSON, which is read line by line.`,
        1,
      );
  }
  return text;
}

/** @throws MalformedFileError */
function parseJson(text: string, file: string, row: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = describeError(error);
    const [, line = 1, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
    throw new MalformedFileError(file, {
      row,
      line: row + Number(line) - 1,
      ...(column !== undefined && { column: Number(column) }),
      message: `not JSON: ${message}`,
    });
  }
}

/** Where a value is: in the value that was read, and, by its line and column, in the text. */
interface Place {
  readonly at: readonly Segment[];
  readonly locate: Locate;
}

type Locate = (segments: readonly Segment[]) => Promise<{ readonly line: number; readonly column: number }>;

async function toRow(
  value: unknown,
  row: number,
  { schema, options }: Source,
  { at, locate }: Place,
): Promise<Row> {
  const isRecord = typeof value === 'object' && value !== null && 'update' in value;
  const { token, update } = isRecord
    ? (value as { readonly token?: unknown; readonly update: unknown })
    : { token: undefined, update: value };
  const issues: { issue: Omit<RowIssue, 'row'>; segments: readonly Segment[] }[] = [];
  const isStray = !isRecord && 'token' in Object(value);
  if (isStray)
    issues.push({
      segments: ['token'],
      issue: {
        code: 'misplaced',
        path: 'token',
        message: 'A token beside the fields of the update',
        hint: 'Write { "token": "...", "update": { "cart": ... } }.',
      },
    });
  else if ((isRecord || options.needsToken) && !isOrderToken(token))
    issues.push({ segments: isRecord ? ['token'] : [], issue: tokenIssue(token) });
  const parsed = schema.safeParse(update);
  if (!parsed.success) {
    const prefix = isRecord ? ['update'] : [];
    for (const [index, issue] of explain(parsed.error).entries()) {
      const path = (parsed.error.issues[index]?.path ?? []) as readonly Segment[];
      issues.push({ segments: [...prefix, ...path], issue: { ...issue, ...found(update, path) } });
    }
  }
  if (issues.length === 0) return { row, token: token as string, update: update as OrderUpdate, issues: [] };
  return {
    row,
    token: typeof token === 'string' ? token : '',
    update: update as OrderUpdate,
    issues: await Promise.all(
      issues.map(async ({ issue, segments }) => ({ row, ...(await locate([...at, ...segments])), ...issue })),
    ),
  };
}

function tokenIssue(token: unknown): Omit<RowIssue, 'row'> {
  const rule = { code: 'invalid_token', path: 'token' };
  if (token === undefined || token === '')
    return {
      ...rule,
      message: 'The token is missing',
      hint: 'Write the order token that the service generated.',
    };
  return {
    ...rule,
    message: 'Expected the order token that the service generated',
    hint: 'Write it as it is: text that is not "." or "..", without control characters.',
    found: show(token),
  };
}

function found(update: unknown, path: readonly Segment[]): { readonly found?: string } {
  const value = path.reduce<unknown>((inner, key) => Object(inner)[key], update);
  return value === undefined || typeof value === 'object' ? {} : { found: show(value) };
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** Finds the line and the column of a value, or of what holds it. The text is parsed again, once: this is rare. */
function createLocate(text: string, firstLine = 1): Locate {
  let parsed: DocumentNode | undefined;
  return async (segments) => {
    const { parse } = await import('@humanwhocodes/momoa');
    parsed ??= parse(text, { mode: 'json' });
    let node = parsed.body;
    for (const key of segments) {
      const inner = valueAt(node, key);
      if (!inner) break;
      node = inner;
    }
    const { line, column } = node.loc.start;
    return { line: firstLine + line - 1, column };
  };
}

function valueAt(node: ValueNode, key: Segment): ValueNode | undefined {
  if (node.type === 'Array') return node.elements[Number(key)]?.value;
  if (node.type !== 'Object') return undefined;
  return node.members.find(({ name }) => (name.type === 'String' ? name.value : name.name) === key)?.value;
}

async function* readCsv({ file, head, chunks, schema, options }: Source): AsyncGenerator<Row> {
  const { parse } = await import('csv-parse');
  const { decimals = 0 } = options;
  // No path holds either, so the first row shows which one separates its cells.
  const [line = ''] = head.trimStart().split('\n', 1);
  const delimiter = [';', '\t'].find((mark) => line.includes(mark)) ?? ',';
  const parser = parse({ delimiter, info: true, skip_empty_lines: true, max_record_size: longestRecord });
  // What fails is thrown by the parser.
  pipeline(Readable.from(chunks, { highWaterMark: 1 }), parser, () => {});
  let reader: CsvReader | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      const row = info.records + info.empty_lines;
      if (reader) yield reader(record, row, info.lines);
      else reader = await createCsvReader(record, { file, schema, decimals, delimiter });
    }
  } catch (error) {
    const {
      code,
      lines,
      records = 0,
      empty_lines = 0,
    } = error as Partial<CsvInfo> & { readonly code?: string };
    if (!code?.startsWith('CSV_')) throw error;
    throw new MalformedFileError(file, {
      row: records + empty_lines + 1,
      ...(lines !== undefined && { line: lines }),
      ...(code === 'CSV_MAX_RECORD_SIZE'
        ? {
            message: 'the row is longer than 4 MiB',
            hint: 'Is a quote in it, or in a row before, not closed?',
          }
        : { message: describeError(error) }),
    });
  }
}

interface CsvInfo {
  readonly records: number;
  readonly lines: number;
  readonly empty_lines: number;
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: CsvInfo;
}

type CsvReader = (record: readonly string[], row: number, line: number) => Row;

interface CsvFormat {
  readonly file: string;
  readonly schema: OrderUpdateSchema;
  readonly decimals: number;
  readonly delimiter: string;
}

/** @throws MalformedFileError with all that is wrong in the first row: no token, a column that is no field or there twice. */
async function createCsvReader(
  header: readonly string[],
  { file, schema, decimals, delimiter }: CsvFormat,
): Promise<CsvReader> {
  const { createFormReader } = await import('@orders/schema/form');
  const { toJsonSchema } = await import('@orders/schema/json-schema');
  const names = header.map((name) => name.trim());
  const known = ['token', ...columnsOf(toJsonSchema(schema) as JsonSchemaNode)];
  const problems = names.flatMap((name, index) => {
    const problem = names.indexOf(name) < index ? duplicateColumn(name) : findColumnProblem(name, known);
    return problem ? [{ column: index + 1, ...problem }] : [];
  });
  // One list is enough for all columns that are like no field.
  const strange = problems.find(({ hint }) => hint === undefined);
  if (strange)
    strange.hint = `Known: ${known.join(', ')}. Fields of your own: --schema, or orderUpdate in orders.json.`;
  if (!names.includes('token'))
    problems.unshift({
      column: 1,
      message: 'the first row has no column "token"',
      hint: 'Name the columns in it: token,order_id,cart.items[0].sku.',
    });
  const [first, ...others] = problems.map((problem) => ({ row: 1, line: 1, ...problem }));
  if (first) throw new MalformedFileError(file, first, ...others);
  const fields = names.map((name) => name.replace(/\[(\d+)\]/g, '.$1'));
  const tokenAt = names.indexOf('token');
  const form = createFormReader(schema, {
    // With three decimals or more, a comma may separate thousands.
    amounts: { decimals, decimalSeparator: delimiter === ';' && decimals < 3 ? ',' : '.' },
    translate: ({ message }) => (message === 'Choose yes or no.' ? 'Write true or false.' : undefined),
  });
  return (record, row, line) => {
    const token = record[tokenAt] ?? '';
    const entries = record.flatMap((cell, index) =>
      index === tokenAt ? [] : [[fields[index] ?? '', cell] as [string, string]],
    );
    const result = form.read(new URLSearchParams(entries));
    const issues: RowIssue[] = isOrderToken(token)
      ? []
      : [{ row, line, column: tokenAt + 1, ...tokenIssue(token) }];
    if (!result.ok)
      for (const { field, code, message, received } of result.issues) {
        const index = fields.indexOf(field);
        const column = index === -1 ? {} : { column: index + 1 };
        const isUndeclared = decimals === 0 && code === 'too_many_decimals';
        issues.push({
          row,
          line,
          ...column,
          code,
          path: names[index] ?? field.replace(/\.(\d+)/g, '[$1]'),
          ...(received !== undefined && { found: show(received) }),
          message: isUndeclared ? 'Amounts are sent as integers' : message,
          ...(isUndeclared && {
            hint: `Write the integer, or declare the decimals: with --decimals 2, 258${String(received).includes(',') ? ',' : '.'}00 is sent as 25800.`,
          }),
        });
      }
    return { row, token, update: (result.ok ? result.data : {}) as OrderUpdate, issues };
  };
}

interface ColumnProblem {
  readonly message: string;
  hint?: string;
}

function duplicateColumn(name: string): ColumnProblem {
  return { message: `the column "${name}" is there twice`, hint: 'Leave one out.' };
}

/** What is wrong with the name of a column. A field that is unknown would be sent, and perhaps ignored. */
function findColumnProblem(name: string, columns: readonly string[]): ColumnProblem | undefined {
  if (name === '') return { message: 'a column has no name', hint: 'Name it, or leave it out.' };
  // An object whose fields are undocumented has any.
  const known = columns.find((each) => each.endsWith('.*') && name.startsWith(each.slice(0, -1)));
  const generic = name.replace(/\[\d{1,4}\]/g, '[0]');
  if (known !== undefined || columns.includes(generic)) return undefined;
  const message = `the column "${name}" is no field`;
  try {
    checkOptions('', { [generic]: true }, columns);
  } catch (error) {
    const [hint] = /Did you mean .*/.exec(describeError(error)) ?? [];
    return { message, ...(hint !== undefined && { hint }) };
  }
  return undefined;
}

function columnsOf({ type, properties = {}, items }: JsonSchemaNode, path = ''): readonly string[] {
  if (items) return columnsOf(items, `${path}[0]`);
  if (Object.keys(properties).length === 0) return [type === 'object' ? `${path}.*` : path];
  return Object.entries(properties).flatMap(([name, inner]) =>
    columnsOf(inner, (path && `${path}.${name}`) || name),
  );
}

interface JsonSchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchemaNode>>;
  readonly items?: JsonSchemaNode;
}
