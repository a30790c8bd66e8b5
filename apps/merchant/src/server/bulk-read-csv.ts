import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { buildUpdate } from './bulk-build-update.ts';
import { type Column, readColumn } from './bulk-column.ts';
import { BulkFileError } from './bulk-file-error.ts';
import { maxRowBytes } from './bulk-limits.ts';
import { type RawRow, unreadableRow } from './bulk-raw-row.ts';

/**
 * Reads CSV whose first row names the columns: `token`, and paths of the update. Cells are divided by a comma, or by the
 * semicolon or tab that the first row shows.
 *
 * @throws BulkFileError when no column is named `token`, or a quote is never closed.
 */
export async function* readCsv(text: AsyncIterable<string>): AsyncGenerator<RawRow, void, undefined> {
  let columns: readonly Column[] | undefined;
  for await (const { cells, line } of readRecords(text)) {
    if (!columns) {
      columns = cells.map(readColumn);
      if (!columns.some(({ kind }) => kind === 'token')) throw noTokenColumn(columns);
      // A spreadsheet leaves rows behind in which everything was deleted.
    } else if (cells.some((cell) => cell !== '')) yield readRow(columns, cells, line);
  }
}

function readRow(columns: readonly Column[], cells: readonly string[], line: number): RawRow {
  const token = cells[columns.findIndex(({ kind }) => kind === 'token')] || undefined;
  if (cells.length !== columns.length) {
    return unreadableRow({ line, token }, cells, [
      {
        path: '',
        code: 'wrong_cells',
        message: `Expected ${columns.length} cells, got ${cells.length}`,
        hint: 'Put quotes around text that holds the sign between cells, and write nothing for an empty cell.',
      },
    ]);
  }
  const built = buildUpdate(columns, cells);
  if (built.issues.length === 0) return { line, ...built };
  const read = columns.flatMap(({ name }, index): [string, string | undefined][] =>
    cells[index] === '' ? [] : [[name, cells[index]]],
  );
  return unreadableRow({ line, token: built.token }, Object.fromEntries(read), built.issues);
}

interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

async function* readRecords(text: AsyncIterable<string>): AsyncGenerator<CsvRecord, void, undefined> {
  const pieces = text[Symbol.asyncIterator]();
  const start = await readFirstLine(pieces);
  const count = createLineCounter();
  const lineOf = new WeakMap<readonly string[], number>();
  const parser = parse({
    delimiter: findDelimiter(start),
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: maxRowBytes,
    relax_column_count: true,
    // What stands in a cell as `5" pipe` is meant so.
    relax_quotes: true,
    skip_empty_lines: true,
    on_record(cells: string[], { lines }) {
      lineOf.set(cells, count(cells, lines));
      return cells;
    },
  });
  async function* whole() {
    yield start;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  // What fails is told by the iteration of the parser.
  pipeline(Readable.from(whole()), parser, () => {});
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      yield { cells, line: lineOf.get(cells) ?? 0 };
    }
  } catch (error) {
    throw error instanceof CsvError ? explainCsvError(error, count.next()) : error;
  }
}

/** As much of the text as holds its first line. */
async function readFirstLine(pieces: AsyncIterator<string>): Promise<string> {
  let start = '';
  while (start.length <= maxRowBytes) {
    const { done, value } = await pieces.next();
    if (done) break;
    start += value;
    if (/[\r\n]/.test(value) && /\S[^\r\n]*[\r\n]/.test(start)) break;
  }
  return start;
}

/** The sign that makes a cell of the first row `token`; else the one that stands there most often. */
function findDelimiter(start: string): string {
  const [firstLine = ''] = start.trimStart().split(/[\r\n]/, 1);
  const signs = [',', ';', '\t'];
  const isToken = (cell: string) => cell.replaceAll('"', '').trim() === 'token';
  const found = signs.filter((sign) => firstLine.split(sign).some(isToken));
  const mostOften = (candidates: readonly string[]) =>
    candidates.toSorted((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0];
  return mostOften(found) ?? mostOften(signs) ?? ',';
}

/**
 * Tells the line where a record begins. The parser counts lines up to where it ends, and counts a line break within
 * quotes twice when it is CR LF.
 */
function createLineCounter() {
  let countedTwice = 0;
  let nextLine = 1;
  const count = (cells: readonly string[], linesAtEnd: number): number => {
    let counted = 0;
    let breaks = 0;
    for (const cell of cells) {
      counted += cell.match(/[\r\n]/g)?.length ?? 0;
      breaks += cell.match(/\r\n|\r|\n/g)?.length ?? 0;
    }
    const line = linesAtEnd - counted - countedTwice;
    countedTwice += counted - breaks;
    nextLine = line + breaks + 1;
    return line;
  };
  /** The line after the last record. */
  count.next = () => nextLine;
  return count;
}

function explainCsvError({ code }: CsvError, line: number): BulkFileError {
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? new BulkFileError(
        'quote_not_closed',
        `A quote that opens on line ${line}, or in the row that follows, is never closed: nothing tells where that row ends. Close it, or take it away.`,
      )
    : new BulkFileError(
        'row_too_long',
        `The row of line ${line}, or the one that follows, is longer than 1 MiB. Look there for a quote that is never closed.`,
      );
}

function noTokenColumn(columns: readonly Column[]): BulkFileError {
  const named = columns.map(({ name }) => name.slice(0, 40)).filter((name) => name !== '');
  const found = named.slice(0, 5).join(', ') + (named.length > 5 ? ', …' : '');
  return new BulkFileError(
    'no_token_column',
    `The first row names the columns, and one of them has to be token. It names ${found === '' ? 'none' : found}.`,
  );
}
