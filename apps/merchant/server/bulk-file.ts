import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FileIssue, readUpdateFile, type UpdateFileOptions } from '@orders/schema/file';
import { bulkLimits } from '../shared/limits.ts';
import { ShopUpdate } from '../shared/order-update.ts';
import { ApiError } from './errors.ts';

/** What is wrong in a row, and what to write instead. */
export type BulkIssue = Pick<FileIssue, 'path' | 'message' | 'hint'>;

/** A row of a bulk file. */
export interface FileRow {
  /** Its number in the file, as in the messages of its issues; of rows that are one update, that of the first. */
  readonly row: number;
  readonly token: string | null;
  /** The update, unless the row has issues. */
  readonly update?: ShopUpdate;
  readonly issues: readonly BulkIssue[];
}

const maxIssues = 20;
const maxShownToken = 200;
/** Bytes that are read in one turn. */
const piece = 4_096;

/**
 * Reads a file of updates: CSV whose first row names the columns, `token` and paths such as `cart.items[0].sku`, or NDJSON
 * with `{"token": ..., "update": {...}}` on each line. A row that is wrong comes with its issues; so does one that a
 * spreadsheet may have changed, since it is sent without another look.
 *
 * @throws ApiError 422 when the file as a whole cannot be read.
 */
export async function readBulkFile(
  bytes: Uint8Array,
  name: string,
  options: Pick<UpdateFileOptions, 'decimals' | 'rows'> = {},
): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  const source = readUpdateFile(inPieces(bytes), ShopUpdate, { ...options, name, strict: true });
  for await (const { row, token, update, issues, isUnreadable } of source) {
    const [fault] = issues;
    if (fault && isUnreadable) throw unreadable(fault);
    const count = rows.push({
      row,
      // A token that is wrong is shown without what a database cannot store.
      token: token === '' ? null : token.slice(0, maxShownToken).replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD'),
      ...(issues.length === 0 && { token, update }),
      issues: issues.slice(0, maxIssues).map(toBulkIssue),
    });
    if (count > bulkLimits.rows)
      throw new ApiError(
        422,
        'unreadable_file',
        `A file has at most ${bulkLimits.rows.toLocaleString('en')} rows. Split it.`,
        { row },
      );
    // Other requests get their turn while a large file is checked.
    await nextTurn();
  }
  return rows;
}

function unreadable({ message, hint, row, path }: FileIssue): ApiError {
  const column = path.slice(0, maxShownToken);
  const text = hint === undefined ? `${message}.` : `${message}. ${hint}`;
  return new ApiError(422, 'unreadable_file', text, { row, ...(column !== '' && { column }) });
}

function toBulkIssue({ code, path, message, hint }: FileIssue): BulkIssue {
  const advice =
    code === 'row_per_item' ? 'Upload the file again, and choose there what rows of one order are.' : hint;
  return { path, message, ...(advice !== undefined && { hint: advice }) };
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += piece) {
    yield bytes.subarray(start, start + piece);
    await nextTurn();
  }
}
