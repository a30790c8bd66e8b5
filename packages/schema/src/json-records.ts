import { type JSONVisitor, visit } from 'jsonc-parser';
import type { FileIssue, Segment } from './file-row.ts';

/** JSON in a file, and where it begins. */
export interface JsonRecord {
  readonly text: string;
  readonly line: number;
  /** The column of its first character, from 1. */
  readonly column: number;
}

interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** What is not JSON, or would not be sent as it is in the text. */
export type JsonChange = Omit<FileIssue, 'row'>;

/** A value of JSON, and what `JSON.parse` would change in it without a word. */
export interface ParsedJson {
  /** `undefined` when the text is not JSON. */
  readonly value: unknown;
  readonly changes: readonly JsonChange[];
}

/** A whole number that is written with decimals, such as `258.00`. */
export interface WrittenDecimals extends TextPosition {
  readonly segments: readonly Segment[];
  readonly found: string;
}

/** JSON of a file. */
interface ParsedRecord extends ParsedJson {
  readonly decimals: readonly WrittenDecimals[];
}

/**
 * Parses JSON, and finds what `JSON.parse` changes: of values with one name the last one counts, and a number becomes the
 * nearest one that JavaScript has.
 */
export function parseJsonRecord(record: JsonRecord): ParsedRecord {
  const { text } = record;
  const fault = findSyntaxFault(record);
  if (fault) return { value: undefined, changes: [fault], decimals: [] };
  const changes: JsonChange[] = [];
  const decimals: WrittenDecimals[] = [];
  const names: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void names.push(new Set()),
    onObjectEnd: () => void names.pop(),
    onObjectProperty(name, _offset, _length, line, character, pathOf) {
      const taken = names.at(-1);
      if (taken?.has(name))
        changes.push({
          code: 'duplicate_name',
          path: formatSegments([...pathOf(), name]),
          ...positionIn(record, line, character),
          found: JSON.stringify(name),
          message: 'The name is there twice in one object, so one of the values would be lost',
          hint: 'Leave one out.',
        });
      taken?.add(name);
    },
    onLiteralValue(value, offset, length, line, character, pathOf) {
      if (typeof value !== 'number') return;
      const written = text.slice(offset, offset + length);
      const position = positionIn(record, line, character);
      const found = written.length > 40 ? `${written.slice(0, 39)}…` : written;
      if (Number.isInteger(value) && /^-?\d+\.\d+$/.test(written))
        decimals.push({ segments: pathOf(), ...position, found });
      if (isExact(written)) return;
      changes.push({
        code: 'inexact_number',
        path: formatSegments(pathOf()),
        ...position,
        found,
        message: `JavaScript does not have this number, and ${JSON.stringify(Number(written))} would be sent`,
        hint: 'Write a number of at most 15 digits.',
      });
    },
  });
  return { value: JSON.parse(text), changes, decimals };
}

/** What is wrong with the syntax, and where. */
function findSyntaxFault(record: JsonRecord): JsonChange | undefined {
  const { text } = record;
  let problem: string | undefined;
  try {
    JSON.parse(text);
  } catch (error) {
    // Its position is that in the record, not that in the file.
    problem = String(error).replace(/^\w+: | (?:in JSON )?at position \d+.*$/gs, '');
  }
  let position: TextPosition | undefined;
  const isFlat = visitStrictly(text, {
    onError(_code, _offset, _length, line, character) {
      position ??= positionIn(record, line, character);
    },
  });
  problem ??= isFlat ? undefined : 'it is nested too deep';
  const { line, column } = position ?? record;
  return problem === undefined
    ? undefined
    : { code: 'malformed', path: '', line, column, message: `Not JSON: ${problem}` };
}

/** Returns whether the text could be visited: it is not when it is nested too deep. */
function visitStrictly(text: string, visitor: JSONVisitor): boolean {
  try {
    visit(text, visitor, { disallowComments: true, allowTrailingComma: false });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Whether a number is sent with the value that is written. */
function isExact(written: string): boolean {
  const sent = JSON.stringify(Number(written));
  return sent === written || decimalValue(sent) === decimalValue(written);
}

/** The value of a number in JSON: the same text for the same value. */
function decimalValue(text: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) + digits.length - end - fraction.length}`;
}

/** Finds where the values of a record are. The text is read again: only issues need it. */
export function createLocate(record: JsonRecord): (path: readonly Segment[]) => TextPosition {
  let positions: Map<string, TextPosition> | undefined;
  return (path) => {
    positions ??= positionsIn(record);
    for (let end = path.length; end > 0; end--) {
      const position = positions.get(JSON.stringify(path.slice(0, end)));
      if (position) return position;
    }
    return { line: record.line, column: record.column };
  };
}

function positionsIn(record: JsonRecord): Map<string, TextPosition> {
  const positions = new Map<string, TextPosition>();
  const note = (line: number, character: number, path: readonly Segment[]): void =>
    void positions.set(JSON.stringify(path), positionIn(record, line, character));
  visit(record.text, {
    onObjectBegin: (_offset, _length, line, character, pathOf) => note(line, character, pathOf()),
    onArrayBegin: (_offset, _length, line, character, pathOf) => note(line, character, pathOf()),
    onLiteralValue: (_value, _offset, _length, line, character, pathOf) => note(line, character, pathOf()),
  });
  return positions;
}

function positionIn(start: TextPosition, line: number, character: number): TextPosition {
  return { line: start.line + line, column: character + (line === 0 ? start.column : 1) };
}

/** The elements of a list, or the one value of another text; the reason why it is not JSON. */
export function splitJson(text: string): readonly JsonRecord[] | JsonChange {
  const whole: JsonRecord = { text, line: 1, column: 1 };
  if (!/^\s*\[/.test(text)) return [whole];
  const fault = findSyntaxFault(whole);
  if (fault) return fault;
  const records: JsonRecord[] = [];
  let depth = 0;
  let begun = { offset: 0, line: 1, column: 1 };
  const begin = (offset: number, _length: number, line: number, character: number): void => {
    if (depth === 1) begun = { offset, ...positionIn(whole, line, character) };
    depth++;
  };
  const end = (offset: number, length: number): void => {
    depth--;
    const { offset: start, line, column } = begun;
    if (depth === 1) records.push({ text: text.slice(start, offset + length), line, column });
  };
  visit(text, {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onLiteralValue(_value, offset, length, line, character) {
      begin(offset, length, line, character);
      end(offset, length);
    },
  });
  return records;
}

/** A path as issues write it: `cart.items[0].sku`. */
export function formatSegments(path: readonly Segment[]): string {
  let text = '';
  for (const key of path)
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) text += text ? `.${key}` : key;
    else text += `[${JSON.stringify(key)}]`;
  return text;
}
