import type { Explanation } from '@orders/schema';

/** A row as its file tells it, before the schema has judged it. */
export interface RawRow {
  /** Line where the row begins, from 1. */
  readonly line: number;
  /** `undefined` where none could be read. */
  readonly token: unknown;
  /** The update; when `issues` tells why there is none, what was read instead. */
  readonly update: unknown;
  readonly issues: readonly Explanation[];
}

/** A row that cannot be read as an update. */
export function unreadableRow(
  { line, token }: Pick<RawRow, 'line' | 'token'>,
  read: unknown,
  issues: readonly Explanation[],
): RawRow {
  // An update may be a megabyte, and a person looks at the beginning.
  return { line, token, update: typeof read === 'string' ? read.slice(0, 2_000) : read, issues };
}
