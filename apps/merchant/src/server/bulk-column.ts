import { fieldNames } from '../contract/desk-update.ts';

/** A place in an update: names of fields and places in lists. */
export type FieldPlace = readonly [string, ...(string | number)[]];

/** What a column of a CSV file holds. */
export type Column = { readonly name: string } & (
  | { readonly kind: 'token' }
  /** A whole update as JSON. */
  | { readonly kind: 'update' }
  /** One field; `reads` tells how its text becomes a value. */
  | {
      readonly kind: 'field';
      readonly place: FieldPlace;
      readonly reads: 'text' | 'number' | 'boolean' | 'json';
    }
  /** Its name is no path: nothing may stand in it. */
  | { readonly kind: 'none' }
);

/** Deeper and longer names than an update has would only cost. */
const maxDepth = 32;
const maxNameLength = 255;

const numberFields = /^cart\.items\[\d+\]\.(quantity|unit_price|discount_rate|vat_amount)$/;
const namedNumbers: readonly string[] = [fieldNames.totalAmount, fieldNames.vatAmount];
const booleanFields: readonly string[] = ['require_shipping', 'express_shipping'];
const jsonFields = /^(cart|cart\.items|cart\.items\[\d+\]|hooks|shipping_address)$/;

/** Tells what a column holds by its name: `token`, `update`, or a path as issues write it, such as `cart.items[0].sku`. */
export function readColumn(heading: string): Column {
  const name = heading.trim();
  if (name === 'token' || name === 'update') return { name, kind: name };
  const place = readPlace(name);
  if (!place) return { name: name.slice(0, maxNameLength), kind: 'none' };
  if (numberFields.test(name) || namedNumbers.includes(name))
    return { name, kind: 'field', place, reads: 'number' };
  if (booleanFields.includes(name)) return { name, kind: 'field', place, reads: 'boolean' };
  return { name, kind: 'field', place, reads: jsonFields.test(name) ? 'json' : 'text' };
}

const segment = /(?:^|\.)([\p{L}_$][\p{L}\p{N}_$-]*)|\[(\d{1,4})\]|\[("(?:[^"\\]|\\.)*")\]/uy;

/** Reads a path as issues write it; `undefined` when it is none. */
export function readPlace(path: string): FieldPlace | undefined {
  if (path.startsWith('.') || path.length > maxNameLength) return undefined;
  const found: (string | number)[] = [];
  for (segment.lastIndex = 0; segment.lastIndex < path.length; ) {
    const match = segment.exec(path);
    if (!match || found.length === maxDepth) return undefined;
    const [, name, index, quoted] = match;
    const read = name ?? (index === undefined ? readQuoted(quoted ?? '') : Number(index));
    if (read === undefined) return undefined;
    found.push(read);
  }
  const [first, ...others] = found;
  return typeof first === 'string' ? [first, ...others] : undefined;
}

function readQuoted(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}
