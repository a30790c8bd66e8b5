import { FileFault } from './file-text.ts';

/** A row of CSV that is not blank. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** Its number, counted as a spreadsheet does: blank rows have one, and line breaks in a cell start none. */
  readonly row: number;
  /** The line of the text on which it begins. */
  readonly line: number;
}

const longestRecord = 4 * 1_048_576;

/**
 * Reads the records of CSV (RFC 4180) from text that comes in pieces. A line ends with LF, CR LF or CR. A quote inside an
 * unquoted cell is text: `5" pipe`.
 */
export class CsvScanner {
  readonly #separator: string;
  readonly #special: RegExp;
  #line = 1;
  #row: number;
  #recordLine = 1;
  #recordLength = 0;
  #cells: string[] = [];
  #cell = '';
  /** `closed` after a quote in a quoted cell: another one follows if it stands for itself. */
  #quote: 'none' | 'open' | 'closed' = 'none';
  #quoteLine = 0;
  /** Whether the last character was CR, which an LF belongs to. */
  #isAfterCr = false;
  #ended: CsvRecord | undefined;

  constructor(separator: string, firstRow = 1) {
    this.#separator = separator;
    this.#special = new RegExp(`[${separator === '|' ? '\\|' : separator}\\r\\n]`, 'g');
    this.#row = firstRow;
  }

  /** The row that is being read. */
  get row(): number {
    return this.#row;
  }

  /** The line that is being read. */
  get line(): number {
    return this.#line;
  }

  /** Yields the records that end in a piece of text. @throws FileFault */
  *push(text: string): Generator<CsvRecord> {
    let at = 0;
    while (at < text.length) {
      at = this.#quote === 'open' ? this.#readQuoted(text, at) : this.#readPlain(text, at);
      if (this.#ended) yield this.#ended;
      this.#ended = undefined;
    }
  }

  /** Yields the last record, if no line break ended it. @throws FileFault */
  *end(): Generator<CsvRecord> {
    if (this.#quote === 'open') throw this.#unclosed();
    this.#endRecord();
    if (this.#ended) yield this.#ended;
  }

  #readQuoted(text: string, start: number): number {
    const end = text.indexOf('"', start);
    const part = text.slice(start, end < 0 ? undefined : end);
    this.#countLines(part);
    this.#add(part);
    if (end < 0) return text.length;
    this.#quote = 'closed';
    return end + 1;
  }

  #readPlain(text: string, start: number): number {
    const isLineFeedOfCr = this.#isAfterCr && text[start] === '\n';
    this.#isAfterCr = false;
    if (isLineFeedOfCr && this.#quote === 'none') return start + 1;
    if (text[start] === '"') {
      if (this.#quote === 'closed') return this.#openQuote('"', start);
      if (this.#cell === '') {
        this.#quoteLine = this.#line;
        return this.#openQuote('', start);
      }
    }
    this.#special.lastIndex = start;
    const end = this.#special.exec(text)?.index ?? text.length;
    if (this.#quote === 'closed' && end > start)
      throw new FileFault(
        'Text follows the quote that closes this cell',
        'Write a quote inside a quoted cell twice: "5"" pipe".',
        { row: this.#row, line: this.#line, column: this.#cells.length + 1 },
      );
    this.#add(text.slice(start, end));
    const mark = text[end];
    if (mark === this.#separator) this.#endCell();
    else if (mark !== undefined) {
      this.#isAfterCr = mark === '\r';
      this.#endRecord();
      this.#line++;
      this.#recordLine = this.#line;
      this.#row++;
    }
    return end + 1;
  }

  #openQuote(part: string, at: number): number {
    this.#cell += part;
    this.#quote = 'open';
    return at + 1;
  }

  #countLines(part: string): void {
    if (this.#isAfterCr && part.startsWith('\n')) this.#line--;
    this.#line += part.match(/\r\n?|\n/g)?.length ?? 0;
    if (part !== '') this.#isAfterCr = part.endsWith('\r');
  }

  #add(part: string): void {
    this.#cell += part;
    this.#recordLength += part.length;
    if (this.#recordLength <= longestRecord) return;
    throw this.#quote === 'open'
      ? this.#unclosed()
      : new FileFault('The row is longer than 4 MiB', undefined, { row: this.#row, line: this.#recordLine });
  }

  #unclosed(): FileFault {
    return new FileFault(
      'The quote that opens this cell is never closed',
      'Close it, or write a quote inside a quoted cell twice: "5"" pipe".',
      { row: this.#row, line: this.#quoteLine, column: this.#cells.length + 1 },
    );
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#quote = 'none';
    this.#recordLength++;
  }

  #endRecord(): void {
    this.#endCell();
    const cells = this.#cells;
    if (cells.some((cell) => cell.trim() !== ''))
      this.#ended = { cells, row: this.#row, line: this.#recordLine };
    this.#cells = [];
    this.#recordLength = 0;
  }
}
