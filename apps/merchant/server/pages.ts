import * as z from 'zod/mini';

/** How many rows a page of a list has. */
export const pageSize = 50;

/** A page, and where the next one begins, unless it is the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** Makes a page out of up to one row more than it has: that row says that there is another page. */
export function toPage<Item>(
  rows: readonly Item[],
  cursorOf: (item: Item) => string | number,
  size = pageSize,
): Page<Item> {
  const items = rows.slice(0, size);
  const last = items.at(-1);
  return { items, ...(rows.length > size && last !== undefined && { next: String(cursorOf(last)) }) };
}

/** Reads a whole number from a query: the default where it is absent, or none. */
export function readNumber(
  text: string | undefined,
  { min = 0, max = Number.MAX_SAFE_INTEGER, fallback }: { min?: number; max?: number; fallback: number },
): number {
  const number = /^\d{1,16}$/.test(text ?? '') ? Number(text) : fallback;
  return Math.min(Math.max(number, min), max);
}

/** Whether a text can be the id of an update or of a bulk: the database refuses to look for anything else. */
export const isId = (text: string): boolean => z.guid().safeParse(text).success;
