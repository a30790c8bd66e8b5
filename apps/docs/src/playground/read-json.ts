import { parse, type ValueNode } from '@humanwhocodes/momoa';
import { type SyntaxMistake, tellSyntaxMistake } from './syntax-mistake.ts';

/** A place in a text; line and column count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** In UTF-16 units, as a text field counts. */
  readonly offset: number;
  readonly length: number;
}

/** A text that was read as JSON, or why it could not be. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Where the value at a path stands, or else what comes closest around it. */
      readonly find: (path: readonly PropertyKey[]) => Place;
    }
  | { readonly ok: false; readonly mistake: SyntaxMistake; readonly place: Place };

/** Reads a text as JSON, and remembers where each value stands. Never throws. */
export function readJson(text: string): JsonReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const offset = findMistake(text);
    return { ok: false, mistake: tellSyntaxMistake(text, offset), place: placeAt(text, offset, 1) };
  }
  const root = parseTree(text);
  return { ok: true, value, find: (path) => (root ? findNode(text, root, path) : placeAt(text, 0, 0)) };
}

/** `undefined` for a text nested so deeply that walking it would exhaust the stack. */
function parseTree(text: string): ValueNode | undefined {
  try {
    return parse(text, { mode: 'json' }).body;
  } catch {
    return undefined;
  }
}

function findMistake(text: string): number {
  try {
    parse(text, { mode: 'json' });
  } catch (error) {
    const { offset } = Object(error) as { offset?: unknown };
    if (typeof offset === 'number') return isCutOff(text.slice(offset)) ? text.length : offset;
  }
  // The parser is lenient about control characters in texts, where JSON is not.
  const [start = ''] = /^(?:[^"]|"(?:[^"\\\p{Cc}]|\\.)*")*"(?:[^"\\\p{Cc}]|\\.)*/u.exec(text) ?? [];
  return start.length;
}

/** A last value that nothing follows is not itself the mistake: what is missing comes after it. */
function isCutOff(rest: string): boolean {
  return /^(?:"[^"]*"?|[\w.+-]+)\s*$/.test(rest);
}

function findNode(text: string, root: ValueNode, path: readonly PropertyKey[]): Place {
  let { start, end } = root.loc;
  let node: ValueNode | undefined = root;
  for (const key of path) {
    if (node?.type === 'Array' && typeof key === 'number') node = node.elements[key]?.value;
    else if (node?.type === 'Object') {
      // Of a name that is given twice, JSON takes the last.
      const member = node.members.findLast(({ name }) => name.type === 'String' && name.value === key);
      node = member?.value;
      if (member) ({ start, end } = member.loc);
    } else node = undefined;
    if (!node) break;
    if (typeof key === 'number') ({ start, end } = node.loc);
  }
  const length = end.offset - start.offset;
  return placeAt(text, start.offset, length);
}

function placeAt(text: string, offset: number, length: number): Place {
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line: before.length, column, offset, length: Math.min(length, text.length - offset) };
}
