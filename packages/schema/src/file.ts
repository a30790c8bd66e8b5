import { checkOptions } from './check-options.ts';
import type { OrderUpdateSchema } from './define-order-update.ts';
import { readCsv } from './file-csv.ts';
import { readJson, readNdjson } from './file-json.ts';
import {
  type FileIssue,
  type FileIssueCode,
  type ReadRow,
  show,
  type UpdateFileFormat,
  type UpdateFileOptions,
  type UpdateFileRow,
  unreadableRow,
} from './file-row.ts';
import { decodeText, type FileBytes, FileFault, peekText, readAll } from './file-text.ts';
import { joinRows } from './join-rows.ts';
import { type ParsedJson, parseJsonRecord } from './json-records.ts';
import type { OrderUpdate } from './order-update.ts';

export type {
  FileBytes,
  FileIssue,
  FileIssueCode,
  ParsedJson,
  UpdateFileFormat,
  UpdateFileOptions,
  UpdateFileRow,
};

/**
 * Reads the updates of a file, row by row: CSV as spreadsheets, shops and databases write it, NDJSON with
 * `{ "token", "update" }` on each line, JSON with one update or a list of `{ "token", "update" }`. What a row sends is
 * what the file says, or the row has issues. CSV and NDJSON may be of any size, JSON is read as a whole.
 *
 * `@orders/schema/file` needs jsonc-parser: `npm install jsonc-parser`.
 *
 * Every fault of the file is an issue of a row; one that hides what follows is on the last row, with `isUnreadable`. So
 * is that a file has no rows.
 *
 * @param bytes The file, such as a stream of Node, or the `stream()` of a `File` in a browser.
 * @param schema The schema of the updates: `OrderUpdate`, or one of `defineOrderUpdate`.
 * @throws TypeError when an option is unknown or wrong; what `bytes` throws.
 */
export async function* readUpdateFile<Update extends OrderUpdate>(
  bytes: FileBytes,
  schema: OrderUpdateSchema<Update>,
  options: UpdateFileOptions = {},
): AsyncGenerator<UpdateFileRow<Update>> {
  checkFileOptions(options);
  const base = schema as unknown as OrderUpdateSchema;
  const source = { ...(await peekText(decodeText(bytes))), schema: base, options };
  const format = options.format ?? formatOfName(options.name) ?? formatOfText(source.head);
  const rows = withoutNone(readers[format](source));
  for await (const { locate, ...row } of joinRows(rows, { rows: options.rows, schema: base }))
    yield (
      options.strict ? { ...row, issues: [...row.issues, ...row.warnings], warnings: [] } : row
    ) as UpdateFileRow<Update>;
}

/** A file without rows is very likely an export that failed. */
async function* withoutNone(rows: AsyncIterable<ReadRow>): AsyncGenerator<ReadRow> {
  let isEmpty = true;
  for await (const row of rows) {
    isEmpty = false;
    yield row;
  }
  if (isEmpty)
    yield unreadableRow([{ row: 1, line: 1, code: 'no_rows', path: '', message: 'The file has no rows' }]);
}

function checkFileOptions(options: UpdateFileOptions): void {
  checkOptions('readUpdateFile', options, ['name', 'format', 'decimals', 'rows', 'strict', 'requireToken']);
  const refuse = (name: string, known: string): never => {
    throw new TypeError(
      `readUpdateFile: ${name}: got ${show(options[name as keyof UpdateFileOptions])}. Pass ${known}.`,
    );
  };
  const { format = 'csv', rows = 'each', decimals = 0 } = options;
  if (!Object.hasOwn(readers, format)) refuse('format', "'csv', 'ndjson' or 'json'");
  if (rows !== 'each' && rows !== 'group') refuse('rows', "'group' or 'each'");
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 15)
    refuse('decimals', 'an integer from 0 to 15');
}

const readers = { csv: readCsv, ndjson: readNdjson, json: readJson };

const formats: ReadonlyMap<string, UpdateFileFormat> = new Map([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['json', 'json'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
]);

const formatOfName = (name = ''): UpdateFileFormat | undefined =>
  formats.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());

const isJson = (text: string): boolean => parseJsonRecord({ text, line: 1, column: 1 }).value !== undefined;

function formatOfText(head: string): UpdateFileFormat {
  const [line = ''] = head.trimStart().split('\n', 1);
  if (!/^[[{]/.test(line)) return 'csv';
  // The first line of a list, or of an update on several lines, is no object by itself.
  return line.startsWith('{') && isJson(line) ? 'ndjson' : 'json';
}

/**
 * Reads a file of JSON like `JSON.parse`, and lists what that changes without a word: names that are there twice in one
 * object, and numbers that JavaScript does not have.
 *
 * @param bytes The file: UTF-8 or UTF-16 of at most 64 MiB.
 * @throws what `bytes` throws.
 */
export async function readJsonValue(bytes: FileBytes): Promise<ParsedJson> {
  try {
    const { value, changes } = parseJsonRecord({
      text: await readAll(decodeText(bytes)),
      line: 1,
      column: 1,
    });
    return { value, changes };
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    return { value: undefined, changes: [error.toIssue({ row: 1, line: 1 })] };
  }
}
