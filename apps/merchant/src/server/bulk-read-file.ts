import { type Explanation, explain, OrderToken, type OrderUpdateSchema } from '@orders/schema';
import { maxFileRows } from '../contract/bulk-limits.ts';
import { decodeText } from './bulk-decode-text.ts';
import { BulkFileError } from './bulk-file-error.ts';
import { maxIssuesOfRow, maxKeptCharacters, maxRowBytes } from './bulk-limits.ts';
import type { RawRow } from './bulk-raw-row.ts';
import { readCsv } from './bulk-read-csv.ts';
import { readNdjson } from './bulk-read-ndjson.ts';

/** How a file of updates is written. */
export type BulkFormat = 'csv' | 'ndjson';

/** A row of a file, read and judged. */
export interface ReadRow {
  /** From 1. */
  readonly row: number;
  /** Line where the row begins, from 1. */
  readonly line: number;
  readonly token: string;
  /** The update as JSON; of a bad row, what was read. */
  readonly update: string;
  /** Why it cannot be sent; none when it can. */
  readonly issues: readonly Explanation[];
}

export interface ReadBulkFileOptions {
  readonly format: BulkFormat;
  /** Judges each update. */
  readonly schema: OrderUpdateSchema;
}

/**
 * Reads a file of updates row by row, as its bytes come. A row that cannot be read, or that the schema refuses, comes
 * with its issues; it never ends the file.
 *
 * @throws BulkFileError when the file as a whole cannot be read: beyond its limits, no text, without a row or a column `token`.
 */
export async function* readBulkFile(
  bytes: AsyncIterable<Uint8Array>,
  { format, schema }: ReadBulkFileOptions,
): AsyncGenerator<ReadRow, void, undefined> {
  const text = decodeText(bytes);
  let row = 0;
  let kept = 0;
  for await (const raw of format === 'csv' ? readCsv(text) : readNdjson(text)) {
    row++;
    if (row > maxFileRows) {
      throw new BulkFileError(
        'too_many_rows',
        `A file has at most ${maxFileRows} rows. Split it into smaller ones.`,
      );
    }
    const read = judge(raw, schema);
    kept += read.token.length + read.update.length;
    if (kept > maxKeptCharacters) {
      throw new BulkFileError('too_large', 'The updates of this file are too large together. Split it.');
    }
    yield { row, line: raw.line, ...read };
  }
  if (row === 0) throw new BulkFileError('empty', 'This file holds no updates, only the names of columns.');
}

function judge(raw: RawRow, schema: OrderUpdateSchema): Pick<ReadRow, 'token' | 'update' | 'issues'> {
  const token = OrderToken.safeParse(raw.token);
  const tokenIssues =
    token.success || raw.token === undefined
      ? []
      : explain(token.error).map((issue) => ({ ...issue, path: 'token' }));
  const shownToken = token.success ? token.data : showToken(raw.token);
  const checked = raw.issues.length === 0 ? schema.safeParse(raw.update) : undefined;
  const updateIssues = checked?.success === false ? explain(checked.error) : raw.issues;
  const issues = [...tokenIssues, ...updateIssues];
  // What nests too deep cannot be written down; the schema has said so.
  const isWritable =
    checked?.success !== false || updateIssues.every(({ code }) => code !== 'not_serializable');
  const read = isWritable ? (raw.update ?? null) : null;
  const update = JSON.stringify(checked?.success ? checked.data : read);
  if (Buffer.byteLength(update) <= maxRowBytes) return { token: shownToken, update, issues: shorten(issues) };
  return { token: shownToken, update: 'null', issues: shorten([...issues, tooLarge]) };
}

const tooLarge: Explanation = {
  path: '',
  code: 'row_too_long',
  message: 'This update has more than 1 MiB',
  hint: 'Send so large an update by itself.',
};

/** A bad token as it can be stored: what no token may hold is told by its issue. */
function showToken(token: unknown): string {
  const text = typeof token === 'string' ? token.slice(0, 200) : '';
  return text.replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD');
}

function shorten(issues: readonly Explanation[]): readonly Explanation[] {
  const more = issues.length - maxIssuesOfRow;
  if (more <= 0) return issues;
  return [
    ...issues.slice(0, maxIssuesOfRow),
    { path: '', code: 'more', message: `There are ${more} more issues`, hint: 'Mend these first.' },
  ];
}
