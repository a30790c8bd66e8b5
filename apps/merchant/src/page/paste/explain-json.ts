import { type Explanation, explain } from '@orders/schema';
import { type Node, parseTree } from 'jsonc-parser';
import { DeskUpdate } from '../../contract/desk-update.ts';
import { parsePath } from '../form/parse-path.ts';
import { isRecord } from '../form/take-fields.ts';
import { pasteWords } from '../words/paste.ts';
import { findSyntaxProblems } from './json-syntax.ts';
import { nodeAt } from './node-at.ts';

/** What is to be mended in a text, on the line that it concerns. */
export interface LineProblem {
  /** From 1. */
  readonly line: number;
  /** From 1; absent where the whole line is meant. */
  readonly column?: number;
  /** Path of the field; absent where the text is not JSON. */
  readonly path?: string;
  readonly message: string;
  readonly hint?: string;
}

/** What is said of a text. */
export interface ExplainedJson {
  readonly lines: readonly string[];
  /** In the order of lines. */
  readonly problems: readonly LineProblem[];
  /** The update, whether or not it is a good one; absent where the text is no object of JSON. */
  readonly update?: Readonly<Record<string, unknown>>;
  readonly isJson: boolean;
}

/** Explains the body of an update as text: where it is no JSON, or which rules it breaks. Never throws. */
export function explainJson(text: string): ExplainedJson {
  const lines = text.split(/\r\n|\r|\n/);
  const syntax = findSyntaxProblems(text);
  if (syntax.length > 0) return { lines, problems: syntax, isJson: false };
  const value: unknown = JSON.parse(text);
  const checked = DeskUpdate.safeParse(value);
  const update = isRecord(value) ? { update: value } : {};
  const issues = checked.success ? [] : explain(checked.error);
  return { lines, problems: locate(issues, text, lines), isJson: true, ...update };
}

/** What is told of a problem in one line of text, to be copied. */
export function tellProblem({ line, column, path, message, hint }: LineProblem): string {
  const place = column === undefined ? pasteWords.number(line) : pasteWords.at(line, column);
  return [place, path || undefined, [`${message}.`, hint].filter(Boolean).join(' ')]
    .filter((part) => part !== undefined)
    .join(': ');
}

function locate(issues: readonly Explanation[], text: string, lines: readonly string[]): LineProblem[] {
  if (issues.length === 0) return [];
  const root = readTree(text);
  const lineAt = createLineFinder(text, lines);
  return issues
    .map(({ path, message, hint }): LineProblem => {
      const node = root && nodeAt(root, parsePath(path));
      return { line: lineAt(node?.offset ?? 0), path, message, ...(hint === undefined ? {} : { hint }) };
    })
    .sort((one, other) => one.line - other.line);
}

/** Only the depth of nesting can exhaust the parser; then everything concerns the first line. */
function readTree(text: string): Node | undefined {
  try {
    return parseTree(text);
  } catch {
    return undefined;
  }
}

/** Finds the line of an offset, by halves: a body may have as many problems as lines. */
function createLineFinder(text: string, lines: readonly string[]): (offset: number) => number {
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length;
    start += text.startsWith('\r\n', start) ? 2 : 1;
  }
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
