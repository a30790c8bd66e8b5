import { convertSchema } from './convert-schema.ts';
import { type CsvRecord, CsvScanner } from './csv-records.ts';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { checkRecord, findAmountsWithDecimals } from './file-json.ts';
import {
  type FileIssue,
  type FileSource,
  findTokenIssue,
  type Position,
  type ReadRow,
  type Segment,
  show,
  unreadableRow,
} from './file-row.ts';
import { FileFault } from './file-text.ts';
import { createFormReader, type FormIssue } from './form.ts';
import { readFormValues } from './form-values.ts';
import { formatSegments, parseJsonRecord } from './json-records.ts';
import type { OrderUpdate } from './order-update.ts';
import { isMisspelling, normalizeName } from './spelling.ts';
import { findDamage } from './spreadsheet-damage.ts';

/** Excel reads the separator from a first line such as `sep=;`, which it neither shows nor counts. */
const separatorLine = /^"?sep=([,;|\t])"?[\t ]*(?:[\r\n]|$)/i;

/** Reads the rows of CSV as spreadsheets, shops and databases write it. The first one names the columns. */
export async function* readCsv({ head, chunks, schema, options }: FileSource): AsyncGenerator<ReadRow> {
  const [, declared] = separatorLine.exec(head) ?? [];
  const separator = declared ?? findSeparator(head);
  const scanner = new CsvScanner(separator, declared === undefined ? 1 : 0);
  let readRow: ((record: CsvRecord) => ReadRow) | undefined;
  try {
    for await (const record of scan(chunks, scanner)) {
      if (readRow) yield readRow(record);
      else if (record.row > 0) {
        const { names, issues } = readHeader(record, schema);
        const [first, ...others] = issues;
        if (first) return yield unreadableRow([first, ...others]);
        readRow = createRowReader(names, { schema, options, separator });
      }
    }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    yield unreadableRow([error.toIssue({ row: scanner.row, line: scanner.line })]);
  }
}

async function* scan(chunks: AsyncIterable<string>, scanner: CsvScanner): AsyncGenerator<CsvRecord> {
  for await (const chunk of chunks) yield* scanner.push(chunk);
  yield* scanner.end();
}

/** The character that separates the columns of the first row: no path of a field holds one. */
function findSeparator(head: string): string {
  const [line = ''] = head.trimStart().split(/[\r\n]/, 1);
  const count = (separator: string): number => line.split(separator).length;
  const [most = ','] = [',', ';', '\t', '|'].toSorted((one, other) => count(other) - count(one));
  return most;
}

interface Header {
  readonly names: readonly string[];
  readonly issues: readonly FileIssue[];
}

const maxColumns = 1_000;
/** A path as issues write it. The fields of an address are of one level: the text does not show what is a list. */
const fieldName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Finds all that is wrong in the first row: no token, a column that is no field or there twice. */
function readHeader({ cells, row, line }: CsvRecord, schema: OrderUpdateSchema): Header {
  const names = cells.map((name) => name.trim());
  const known = [...columnsOf(schema).keys()];
  const seen = new Set<string>();
  const issues: FileIssue[] = [];
  const add = (column: number, message: string, hint?: string): void =>
    void issues.push({
      row,
      line,
      column,
      code: 'unknown_column',
      path: names[column - 1] ?? '',
      message,
      ...(hint !== undefined && { hint }),
    });
  const isTable = names.some((name) => isKnown(name, known));
  if (!names.includes('token'))
    issues.push({
      row,
      line,
      column: 1,
      code: 'unknown_column',
      path: 'token',
      message: 'The first row has no column "token"',
      hint: 'Name the columns in it: token,order_id,cart.items[0].sku.',
    });
  if (!isTable) return { names, issues };
  if (names.length > maxColumns)
    add(maxColumns + 1, `A file has at most ${maxColumns} columns`, 'Write it as NDJSON.');
  else if (
    names.includes('update') &&
    names.some((name) => name !== '' && name !== 'token' && name !== 'update')
  )
    add(
      names.indexOf('update') + 1,
      'A column "update" holds whole updates as JSON, so no other may hold a part of one',
      'Leave one out.',
    );
  else
    for (const [index, name] of names.entries()) {
      // A column without a name may be one that a spreadsheet left blank: its cells show it.
      if (name === '') continue;
      if (seen.has(name)) add(index + 1, `The column "${name}" is there twice`, 'Leave one out.');
      else if (name !== 'update' && !isKnown(name, known))
        add(index + 1, `The column "${name}" is no field`, suggest(name, known));
      seen.add(name);
    }
  return { names, issues };
}

/** A field that is unknown would be sent, and perhaps ignored. */
function isKnown(name: string, known: readonly string[]): boolean {
  const [prefix = '', ...rest] = name.split('.');
  if (known.includes(`${prefix}.*`))
    return rest.length === 1 && fieldName.test(rest[0] ?? '') && rest[0] !== '__proto__';
  return known.includes(toFirstLine(name));
}

/** An index is written in one way, so that one item has one name. */
const toFirstLine = (name: string): string => name.replace(/\[(?:0|[1-9]\d{0,3})\]/g, '[0]');

/** The columns of a field: itself, or the parts of an object or a list. */
const columnsIn = (path: string, columns: readonly string[]): readonly string[] =>
  columns.filter(
    (column) => column === path || (column.startsWith(path) && /[.[]/.test(column[path.length] ?? '')),
  );

/** The column to show of a field. An item needs its sku before anything else. */
function exampleOf(path: string, known: readonly string[]): string {
  const inside = columnsIn(toFirstLine(path), known);
  return (inside.find((column) => column.endsWith('.sku')) ?? inside[0] ?? path).replace('*', 'name');
}

function suggest(name: string, known: readonly string[]): string {
  const example = name === '' ? name : exampleOf(name, known);
  if (example !== name && !known.includes(`${name}.*`))
    return `Write a column for each of its fields, such as ${example}.`;
  const written = normalizeName(toFirstLine(name));
  const like = (part: (path: string) => string): readonly string[] =>
    known.filter((path) => isMisspelling(written, normalizeName(part(path)), 4));
  const [whole] = like((path) => path);
  // A column `sku`, as many tables have it: the path of the one field that ends so.
  const ends = like((path) => path.replace(/.*\./, ''));
  const meant = whole ?? (ends.length === 1 ? ends[0] : undefined);
  return meant === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
}

/** The columns that a schema has, with the type of each; `shipping_address.*` for an object whose fields are free. */
function columnsOf(schema: OrderUpdateSchema): ReadonlyMap<string, string | undefined> {
  const columns = new Map<string, string | undefined>([['token', 'string']]);
  const addColumns = ({ type, properties = {}, items }: JsonSchemaNode, path: string): void => {
    const inside = Object.entries(properties);
    if (items) addColumns(items, `${path}[0]`);
    else if (inside.length === 0) columns.set(type === 'object' ? `${path}.*` : path, type);
    else for (const [name, inner] of inside) addColumns(inner, (path && `${path}.${name}`) || name);
  };
  addColumns(convertSchema(schema, 'any') as JsonSchemaNode, '');
  return columns;
}

interface JsonSchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchemaNode>>;
  readonly items?: JsonSchemaNode;
}

interface RowReaderOptions extends Pick<FileSource, 'schema' | 'options'> {
  readonly separator: string;
}

function createRowReader(
  names: readonly string[],
  { schema, options: { decimals = 0 }, separator }: RowReaderOptions,
): (record: CsvRecord) => ReadRow {
  const types = columnsOf(schema);
  const known = [...types.keys()];
  const typeOf = (name: string): string => types.get(toFirstLine(name)) ?? 'string';
  const indexes = new Map(names.map((name, index) => [name, index]));
  const fields = new Map(names.map((name, index) => [name.replace(/\[(\d+)\]/g, '.$1'), index]));
  const tokenAt = names.indexOf('token');
  const updateAt = names.indexOf('update');
  // With three decimals or more, a comma may separate thousands.
  const decimalSeparator = separator === ';' && decimals < 3 ? ',' : '.';
  const amounts = { decimals, decimalSeparator } as const;
  const form = createFormReader(schema, { amounts });
  /** What an invalid row says, as far as it can be read. */
  const readPart = (values: URLSearchParams): OrderUpdate =>
    readFormValues(schema, values, { amountsIn: () => amounts, newLine: {}, ignore: [] }).body as OrderUpdate;

  return ({ cells, row, line }) => {
    const locate = (path: string): Position => {
      const index = indexes.get(path) ?? (updateAt >= 0 ? updateAt : undefined);
      return { line, ...(index !== undefined && { column: index + 1 }) };
    };
    const issues: FileIssue[] = [];
    const warnings: FileIssue[] = [];
    const token = cells[tokenAt] ?? '';
    const tokenIssue = findTokenIssue(token);
    if (tokenIssue) issues.push({ row, ...locate('token'), ...tokenIssue });
    const misfit = findMisfit(cells, names);
    if (misfit) issues.push({ row, line, path: '', code: 'malformed', ...misfit });
    const values = new URLSearchParams();
    for (const [name, index] of indexes) {
      const cell = cells[index] ?? '';
      if (!misfit && typeOf(name) === 'string' && index !== updateAt && cell.trim() !== '') {
        const damage = findDamage(name, cell);
        if (damage) warnings.push({ row, ...locate(name), path: name, found: show(cell), ...damage });
      }
      if (name !== '' && name !== 'token') values.append(name, cell);
    }
    const rest = {
      row,
      lastRow: row,
      line,
      token,
      warnings,
      locate: (path: readonly Segment[]) => locate(formatSegments(path)),
    };
    if (misfit) return { ...rest, update: readPart(values), issues };
    if (updateAt >= 0) {
      const {
        value,
        changes,
        decimals: written,
      } = parseJsonRecord({ text: cells[updateAt] ?? '', line: 1, column: 1 });
      const position = { row, ...locate('update') };
      issues.push(...changes.map((change) => ({ ...change, ...position })));
      if (changes.length > 0) return { ...rest, update: {} as OrderUpdate, issues };
      const checked = checkRecord(value, schema);
      issues.push(...checked.issues.map((issue) => ({ ...issue, ...position })));
      warnings.push(...checked.warnings.map((issue) => ({ ...issue, ...position })));
      for (const each of findAmountsWithDecimals(written, schema))
        (decimals > 0 ? issues : warnings).push({ ...each, ...position });
      return { ...rest, update: value as OrderUpdate, issues };
    }
    const result = form.read(values);
    if (!result.ok)
      for (const issue of result.issues) {
        const path = issue.field.replace(/\.(\d+)/g, '[$1]');
        const isMissing = issue.code === 'required';
        const index =
          fields.get(issue.field) ?? (isMissing ? indexes.get(columnsIn(path, names)[0] ?? path) : undefined);
        const isWithoutColumn = isMissing && index === undefined;
        issues.push({
          row,
          line,
          ...(index !== undefined && { column: index + 1 }),
          path: names[index ?? -1] ?? path,
          ...(isWithoutColumn ? describeMissing(path, known) : describeCell(issue, decimals)),
        });
      }
    return { ...rest, update: result.ok ? (result.data as OrderUpdate) : readPart(values), issues };
  };
}

/** What makes a row none of the table: cells that belong to no column, of which a spreadsheet adds blank ones, or its first row again. */
function findMisfit(
  cells: readonly string[],
  names: readonly string[],
): Pick<FileIssue, 'message' | 'hint' | 'column' | 'found'> | undefined {
  // Files that were joined have it again, some after a byte order mark, which is blank.
  if (cells.length === names.length && cells.every((cell, index) => cell.trim() === names[index]))
    return { column: 1, message: 'The row repeats the names of the columns', hint: 'Leave it out.' };
  if (cells.length < names.length)
    return {
      column: cells.length,
      message: `Expected ${names.length} cells, got ${cells.length}`,
      hint: 'Write the separators of blank cells, too; Excel does when the last column is filled in each row.',
    };
  const stray = cells.findIndex((cell, index) => !names[index] && cell.trim() !== '');
  if (stray < 0) return undefined;
  const position = { column: stray + 1, found: show(cells[stray]) };
  if (stray < names.length)
    return { ...position, message: 'The column has no name', hint: 'Name it, or leave it out.' };
  return {
    ...position,
    message: `Expected ${names.length} cells, got ${cells.length}`,
    hint: 'Write quotes around a cell that holds the separator.',
  };
}

/** A required field that no cell can fill in. */
function describeMissing(path: string, known: readonly string[]) {
  const example = exampleOf(path, known);
  return {
    code: 'required',
    message: `The file has no column for ${path}`,
    hint: `Add a column ${example === path ? '' : 'such as '}${example}.`,
  };
}

/** An issue of the form kit, for somebody who looks at a table. */
function describeCell({ code, message, received }: FormIssue, decimals: number) {
  const found = received === undefined ? {} : { found: show(received) };
  if (decimals === 0 && code === 'too_many_decimals')
    return {
      ...found,
      code: 'undeclared_decimals',
      message: 'Amounts are sent as integers',
      hint: 'Write the integer that is sent, or declare how many decimals amounts have in the file.',
    };
  const isBoolean = code === 'invalid_type' && message === 'Choose yes or no.';
  return { ...found, code, message: isBoolean ? 'Write true or false.' : message };
}
