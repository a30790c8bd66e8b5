import type { Explanation } from '@orders/schema';
import { BulkFileError } from './bulk-file-error.ts';
import { maxRowBytes } from './bulk-limits.ts';
import { type RawRow, unreadableRow } from './bulk-raw-row.ts';

/**
 * Reads NDJSON: a JSON object with `token` and `update` on each line; blank lines are skipped.
 *
 * @throws BulkFileError `no_json_lines` after the last line, when none was an object.
 */
export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<RawRow, void, undefined> {
  let number = 0;
  let hasObject = false;
  for await (const line of splitLines(text)) {
    number++;
    if (line.trim() === '') continue;
    const parsed = Buffer.byteLength(line) <= maxRowBytes ? parseJson(line) : undefined;
    hasObject ||= isObject(parsed);
    yield readLine(parsed, line, number);
  }
  if (!hasObject) {
    throw new BulkFileError(
      'no_json_lines',
      'No line of this file is a JSON object. Write one on each line: {"token": "…", "update": {"cart": {…}}}',
    );
  }
}

/** Lines without their ends. Of one that is too long, no more than shows that it is. */
async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const piece of text) {
    const lines = piece.split('\n');
    lines[0] = rest + lines[0];
    rest = (lines.pop() ?? '').slice(0, maxRowBytes + 1);
    yield* lines;
  }
  yield rest;
}

function readLine(parsed: unknown, text: string, line: number): RawRow {
  if (isObject(parsed) && parsed.update !== undefined) {
    return { line, token: parsed.token ?? '', update: parsed.update, issues: [] };
  }
  const token = isObject(parsed) ? (parsed.token ?? '') : undefined;
  return unreadableRow({ line, token }, text, [tellUnreadable(parsed, text)]);
}

function tellUnreadable(parsed: unknown, text: string): Explanation {
  if (isObject(parsed)) {
    const hint = 'Put the fields of the update under "update", beside "token".';
    return { path: 'update', code: 'required', message: 'Required', hint };
  }
  if (Buffer.byteLength(text) > maxRowBytes) {
    const hint = 'Send so large an update by itself.';
    return { path: '', code: 'row_too_long', message: 'This line is longer than 1 MiB', hint };
  }
  return {
    path: '',
    code: 'not_json',
    message: parsed === undefined ? 'This line is no JSON' : 'Expected a JSON object',
    hint: 'Write {"token": "…", "update": {"cart": {…}}} on one line.',
  };
}

/** What a text says as JSON; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is { readonly token?: unknown; readonly update?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
