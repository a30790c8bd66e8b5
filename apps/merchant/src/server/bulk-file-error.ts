/** The codes of a file that cannot be read at all. A code never changes its meaning. */
export type BulkFileErrorCode =
  | 'empty'
  | 'no_json_lines'
  | 'no_token_column'
  | 'not_text'
  | 'quote_not_closed'
  | 'row_too_long'
  | 'too_large'
  | 'too_many_rows';

/** A file of updates cannot be read at all: the message tells its owner what to do. */
export class BulkFileError extends Error {
  override readonly name = 'BulkFileError';
  readonly code: BulkFileErrorCode;

  constructor(code: BulkFileErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
