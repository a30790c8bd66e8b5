import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { explain, OrderToken } from '@orders/schema';
import { createFormReader, type FormReader } from '@orders/schema/form';
import { CsvError, parse } from 'csv-parse';
import { type BulkIssue, bulkLimits } from '../shared/api.ts';
import { ShopUpdate } from '../shared/order-update.ts';
import { ApiError } from './errors.ts';

/** A row of a bulk file. */
export interface FileRow {
  readonly token: string | null;
  /** The update, unless the row has issues. */
  readonly update?: ShopUpdate;
  readonly issues: readonly BulkIssue[];
}

const maxIssues = 20;
const maxShownToken = 200;
const maxColumns = 1_000;

/**
 * Reads a file of updates: CSV whose first row names the columns, `token` and paths such as `cart.items[0].sku`, or NDJSON
 * with `{"token": ..., "update": {...}}` on each line. A row that is wrong comes with its issues.
 *
 * @throws ApiError 422 when the file as a whole cannot be read.
 */
export async function readBulkFile(
  bytes: Uint8Array,
  name: string,
  { decimals = 0 }: { readonly decimals?: number } = {},
): Promise<readonly FileRow[]> {
  const text = decode(bytes);
  const isJson = /\.(ndjson|jsonl)$/i.test(name) || text.trimStart().startsWith('{');
  const rows: FileRow[] = [];
  for await (const row of isJson ? readNdjson(text) : readCsv(text, decimals)) {
    if (rows.push(row) > bulkLimits.rows)
      throw unreadable(`A file has at most ${bulkLimits.rows.toLocaleString('en')} rows. Split it.`, {
        row: rows.length,
      });
    // Other requests get their turn while a large file is checked.
    await nextTurn();
  }
  if (rows.length === 0) throw unreadable('The file has no rows.');
  return rows;
}

function unreadable(
  message: string,
  place: { readonly row?: number; readonly column?: string } = {},
): ApiError {
  return new ApiError(422, 'unreadable_file', message, place);
}

function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // Text never holds it, and binary files nearly always do.
    if (!text.includes('\0')) return text;
  } catch {
    // The same error.
  }
  throw unreadable('The file is not text in UTF-8. In a spreadsheet, save it as "CSV UTF-8".');
}

function* readNdjson(text: string): Generator<FileRow> {
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end).trim();
    start = end + 1;
    if (line !== '') yield readJsonRow(line);
  }
}

function readJsonRow(line: string): FileRow {
  const hint = 'Write {"token": "...", "update": {"cart": {...}}} on one line.';
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return { token: null, issues: [{ path: '', message: 'The line is not JSON', hint }] };
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    return { token: null, issues: [{ path: '', message: 'Expected a JSON object', hint }] };
  const { token, update } = row as { readonly token?: unknown; readonly update?: unknown };
  return checkRow(token, ShopUpdate.safeParse(update));
}

async function* readCsv(text: string, decimals: number): AsyncGenerator<FileRow> {
  // Cells are read as a form is: an empty one leaves its field out.
  const cells = createFormReader(ShopUpdate, { amounts: { decimals } });
  const parser = parse({
    bom: true,
    delimiter: findDelimiter(text),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // 5" in a cell is meant so.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  let columns: readonly string[] | undefined;
  const source = Readable.from(inPieces(Buffer.from(text)));
  try {
    for await (const record of source.pipe(parser) as AsyncIterable<readonly string[]>) {
      if (!columns) columns = readHeader(record);
      // Spreadsheets leave empty rows behind.
      else if (record.some((cell) => cell !== '')) yield readCells(cells, columns, record);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The records before it, the names of the columns among them.
    throw unreadable('A quote that opens in this row is never closed.', { row: Number(error['records']) });
  }
}

/** Bytes, since a cut through text may split a character; the parser takes whatever it is given in one turn. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 65_536) {
    yield bytes.subarray(start, start + 65_536);
    await nextTurn();
  }
}

/** The character that separates `token` from the other columns; without one, that of the first line that is most frequent. */
function findDelimiter(text: string): string {
  const [header = ''] = text
    .slice(0, 65_536)
    .trimStart()
    .split(/[\r\n]/, 1);
  const count = (delimiter: string): number => header.split(delimiter).length;
  return [',', ';', '\t'].toSorted((one, other) => count(other) - count(one))[0] ?? ',';
}

/** A path as issues write it: `cart.items[0].sku`. */
const path = /^[\p{L}_$][\p{L}\p{N}_$-]*(?:\.[\p{L}_$][\p{L}\p{N}_$-]*|\[\d{1,4}\])*$/u;

function readHeader(record: readonly string[]): readonly string[] {
  const columns = record.map((name) => name.trim());
  const fail = (message: string, column = ''): never => {
    throw unreadable(message, { row: 0, column: column.slice(0, 200) });
  };
  if (columns.length > maxColumns) fail(`A file has at most ${maxColumns} columns. Write it as NDJSON.`);
  if (!columns.includes('token'))
    fail('The first row names the columns, and one of them must be token.', 'token');
  const named = columns.filter((name) => name !== '');
  for (const [index, name] of named.entries()) {
    if (!path.test(name)) fail('Name the column after a field, such as order_id or cart.items[0].sku.', name);
    if (named.indexOf(name) !== index) fail('Two columns have this name.', name);
    if (named.some((other) => other.startsWith(`${name}.`) || other.startsWith(`${name}[`)))
      fail('Another column is a part of this one. Keep one of them.', name);
  }
  if (columns.includes('update') && named.length > 2)
    fail('A file with a column update has no other columns but token.', 'update');
  return columns;
}

function readCells(
  cells: FormReader<ShopUpdate>,
  columns: readonly string[],
  record: readonly string[],
): FileRow {
  const token = record[columns.indexOf('token')];
  if (record.length !== columns.length) {
    const message = `Expected ${columns.length} cells, got ${record.length}`;
    const hint = 'Put quotes around a cell that holds the separator.';
    return checkRow(token, { success: false, issues: [{ path: '', message, hint }] });
  }
  const json = record[columns.indexOf('update')];
  if (json) return readJsonCell(token, json);
  const form = new URLSearchParams();
  for (const [index, column] of columns.entries()) {
    const cell = record[index] ?? '';
    if (column === '' && cell !== '')
      return checkRow(token, {
        success: false,
        issues: [{ path: '', message: `The column of "${cell.slice(0, 40)}" has no name` }],
      });
    // Spreadsheets write booleans in capitals.
    if (column !== '' && column !== 'token')
      form.append(column, /^(true|false)$/i.test(cell) ? cell.toLowerCase() : cell);
  }
  const read = cells.read(form);
  // A form leaves out fields that the schema does not have; a cell is sent or refused.
  const unknown = columns.filter((column, index) => record[index]?.trim() && read.leftOut.includes(column));
  if (unknown.length > 0) {
    const hint = 'Name the column after a field, or leave it out.';
    const issues = unknown.map((path) => ({ path, message: 'Unknown field', hint }));
    return checkRow(token, { success: false, issues });
  }
  if (read.ok) return checkRow(token, { success: true, data: read.data });
  const issues = read.issues.map(({ field, message }) => ({
    path: field.replace(/\.(\d+)/g, '[$1]'),
    message,
  }));
  return checkRow(token, { success: false, issues });
}

function readJsonCell(token: unknown, cell: string): FileRow {
  try {
    return checkRow(token, ShopUpdate.safeParse(JSON.parse(cell)));
  } catch {
    const hint = 'Write an update such as {"cart": {"items": []}}.';
    return checkRow(token, { success: false, issues: [{ path: 'update', message: 'Expected JSON', hint }] });
  }
}

type Checked =
  | { readonly success: true; readonly data: ShopUpdate }
  | { readonly success: false; readonly issues: readonly BulkIssue[] }
  | { readonly success: false; readonly error: Parameters<typeof explain>[0] };

function checkRow(token: unknown, checked: Checked): FileRow {
  const issues: BulkIssue[] = [];
  const checkedToken = OrderToken.safeParse(token);
  if (!checkedToken.success)
    for (const issue of explain(checkedToken.error)) issues.push({ ...issue, path: 'token' });
  if (!checked.success) issues.push(...('error' in checked ? explain(checked.error) : checked.issues));
  // A token that is wrong is shown without what a database cannot store.
  const shown =
    typeof token === 'string' ? token.slice(0, maxShownToken).replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD') : null;
  return {
    token: checkedToken.success ? checkedToken.data : shown,
    ...(issues.length === 0 && checked.success && { update: checked.data }),
    issues: issues
      .slice(0, maxIssues)
      .map(({ path, message, hint }) => ({ path, message, ...(hint && { hint }) })),
  };
}
