import type { Node } from 'jsonc-parser';
import type { PathStep } from '../form/parse-path.ts';

/**
 * The part of a JSON text that a path leads to: a field with its name, or an item of a list; where a field is missing,
 * the one that would hold it. Of fields of one name the last is the one that counts.
 */
export function nodeAt(root: Node, path: readonly PathStep[]): Node {
  let node = root;
  let value: Node | undefined = root;
  for (const step of path) {
    const next: Node | undefined =
      typeof step === 'number' ? value?.children?.[step] : fieldNamed(value, step);
    if (!next) break;
    node = next;
    value = next.type === 'property' ? next.children?.[1] : next;
  }
  return node;
}

function fieldNamed(value: Node | undefined, name: string): Node | undefined {
  if (value?.type !== 'object') return undefined;
  return value.children?.findLast(({ children }) => children?.[0]?.value === name);
}
