import { stringify } from 'csv-stringify/sync';
import type { BulkRow } from '../contract/bulk-view.ts';
import type { BulkStore } from '../storage/bulk-store.ts';
import type { BulkFormat } from './bulk-read-file.ts';

/** Rows read from storage at once. */
const pageRows = 500;

const columns = ['row', 'line', 'token', 'outcome', 'attempts', 'status', 'message', 'hint'] as const;

/** One line of a result file. */
type ResultRow = Readonly<Partial<Record<(typeof columns)[number], string | number>>>;

/** Writes what became of every row, in the order of the file. It reads no further than it is asked for. */
export function writeResult(
  store: Pick<BulkStore, 'listRows'>,
  id: string,
  format: BulkFormat,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = writePieces(store, id, format);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await pieces.return();
      },
    },
    { highWaterMark: 1 },
  );
}

async function* writePieces(
  store: Pick<BulkStore, 'listRows'>,
  id: string,
  format: BulkFormat,
): AsyncGenerator<string, void, undefined> {
  // Spreadsheets take UTF-8 for something else without a byte order mark.
  if (format === 'csv') yield `\uFEFF${writeCsv([columns])}`;
  for (let after = 0; ; ) {
    const { rows } = await store.listRows(id, { after, limit: pageRows });
    const last = rows.at(-1);
    if (!last) return;
    const results = rows.map(resultOf);
    yield format === 'csv'
      ? writeCsv(results.map((result) => columns.map((column) => result[column])))
      : results.map((result) => `${JSON.stringify(result)}\n`).join('');
    after = last.row;
  }
}

/**
 * Writes lines of CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, CSV
 * Injection): tokens and messages come from others. Numbers stay numbers.
 */
function writeCsv(lines: readonly (readonly (string | number | undefined)[])[]): string {
  return stringify(
    lines.map((line) => [...line]),
    { escape_formulas: true, record_delimiter: 'windows' },
  );
}

function resultOf({ row, line, token, state, attempts, status, issues }: BulkRow): ResultRow {
  const message = issues.map((issue) => (issue.path === '' ? '' : `${issue.path}: `) + issue.message);
  const hint = issues.flatMap((issue) => issue.hint ?? []);
  return {
    row,
    line,
    token,
    outcome: state,
    ...(attempts === undefined ? {} : { attempts }),
    ...(status === undefined ? {} : { status }),
    ...(message.length > 0 ? { message: message.join(' | ') } : {}),
    ...(hint.length > 0 ? { hint: hint.join(' | ') } : {}),
  };
}
