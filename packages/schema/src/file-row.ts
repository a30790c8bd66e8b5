import type { OrderUpdateSchema } from './define-order-update.ts';
import { isOrderToken } from './order-token.ts';
import type { OrderUpdate } from './order-update.ts';

/** How a file of updates is read. */
export interface UpdateFileOptions {
  /**
   * The name of the file, which shows its format: `.csv`, `.tsv`, `.ndjson`, `.jsonl` or `.json`.
   * @default the beginning of the text shows it
   */
  readonly name?: string | undefined;
  /** The format, where the name does not show it. */
  readonly format?: UpdateFileFormat | undefined;
  /**
   * How many decimals amounts have in CSV: with 2, `258.00` is sent as 25800.
   * @default 0
   */
  readonly decimals?: number | undefined;
  /**
   * What rows of one order are that stand next to each other and hold different items. `group` makes one update of them:
   * of a field of the order, they may hold one value, in one row or in each. `each` makes an update of each, of which the last replaces the items of the
   * others.
   * @default such rows are issues, since a file with one row for each item of an order looks like that, unless each has
   * other values in fields of the order than the one before it
   */
  readonly rows?: 'group' | 'each' | undefined;
  /**
   * Whether warnings are issues.
   * @default false
   */
  readonly strict?: boolean | undefined;
  /**
   * Whether JSON without a token is an issue.
   * @default true
   */
  readonly requireToken?: boolean | undefined;
}

/** A format of files of updates. */
export type UpdateFileFormat = 'json' | 'ndjson' | 'csv';

/** An update of a file, with its issues and warnings. */
export interface UpdateFileRow<Update extends OrderUpdate = OrderUpdate> {
  /**
   * Its number: that of the row in a spreadsheet, where the first row names the columns; that of the line in NDJSON; the
   * place in the list in JSON. Of rows that are one update, the number of the first.
   */
  readonly row: number;
  /** The number of the last of the rows that are one update. */
  readonly lastRow: number;
  /** The line of the text on which it begins, from 1. */
  readonly line: number;
  /** The token; of a row with issues it may be no order token, and is empty if there is none. */
  readonly token: string;
  /** The update to send, unless there are issues. */
  readonly update: Update;
  /** Why it cannot be sent. */
  readonly issues: readonly FileIssue[];
  /** What it holds that a spreadsheet or an export may have changed. */
  readonly warnings: readonly FileIssue[];
  /** Set on the last row when what follows it in the file could not be read, and when the file has no rows. */
  readonly isUnreadable?: true;
}

/** An issue or a warning, and where it is in the file. */
export interface FileIssue {
  /** A code of the schema or of the form kit, or a {@link FileIssueCode}. */
  readonly code: FileIssueCode | (string & {});
  /** The row, counted as in {@link UpdateFileRow}. */
  readonly row: number;
  /** The line of the text, from 1. */
  readonly line?: number;
  /** The column, from 1: of the table in CSV, else of the text. */
  readonly column?: number;
  /** The field: `cart.items[0].sku`; empty for the whole row. */
  readonly path: string;
  /** What is there, as JSON, cut at 40 characters. */
  readonly found?: string;
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
}

/** The codes of a file. The second part are warnings. */
export type FileIssueCode =
  | 'malformed'
  | 'no_rows'
  | 'unknown_column'
  | 'undeclared_decimals'
  | 'duplicate_name'
  | 'inexact_number'
  | 'row_per_item'
  | 'row_without_token'
  | 'group_differs'
  | 'group_apart'
  | 'written_decimals'
  | 'placeholder'
  | 'shortened_number'
  | 'date'
  | 'formula'
  | 'damaged_text'
  | 'blanks'
  | 'repeated_row'
  | 'repeated_order_id'
  | 'token_again';

/** The text of a file, and how it is read. */
export interface FileSource {
  /** The beginning of the text, with its first line that is not blank. */
  readonly head: string;
  readonly chunks: AsyncIterable<string>;
  readonly schema: OrderUpdateSchema;
  readonly options: UpdateFileOptions;
}

export type Segment = string | number;
export type Position = Pick<FileIssue, 'line' | 'column'>;

/** A row as a format reads it. */
export interface ReadRow extends UpdateFileRow {
  /** Where a field is. */
  readonly locate: (path: readonly Segment[]) => Position;
}

/** The row that ends a file which cannot be read to its end. */
export function unreadableRow(issues: readonly [FileIssue, ...FileIssue[]]): ReadRow {
  const [{ row, line = 1 }] = issues;
  return {
    row,
    lastRow: row,
    line,
    token: '',
    update: {} as OrderUpdate,
    issues,
    warnings: [],
    isUnreadable: true,
    locate: () => ({ line }),
  };
}

type Described = Pick<FileIssue, 'code' | 'path' | 'message' | 'hint' | 'found'>;

/** What is wrong with a token, if anything. */
export function findTokenIssue(token: unknown): Described | undefined {
  // A blank cell is none, and NDJSON and JSON are read as CSV is.
  if (token === undefined || (typeof token === 'string' && token.trim() === ''))
    return {
      code: 'invalid_token',
      path: 'token',
      message: 'The token is missing',
      hint: 'Write the order token that the service generated.',
    };
  if (isOrderToken(token)) return undefined;
  return {
    code: 'invalid_token',
    path: 'token',
    message: 'Expected the order token that the service generated',
    hint: 'Write it as it is: text that is not "." or "..", without control characters.',
    found: show(token),
  };
}

/** A value as JSON, cut at 40 characters. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
