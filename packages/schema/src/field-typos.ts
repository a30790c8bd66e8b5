import type * as z from 'zod/mini';
import type { IssueText } from './field-types.ts';
import { defOf } from './zod-internals.ts';

/** An unknown field that is very likely meant as a known one. */
export interface FieldTypo extends IssueText {
  readonly path: PropertyKey[];
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** Finds the unknown fields that are very likely meant as known ones. Other unknown fields pass. */
export function findFieldTypos(schema: z.core.$ZodType, value: unknown): FieldTypo[] {
  const found: FieldTypo[] = [];
  collectTypos(schema, value, [], found);
  return found;
}

function collectTypos(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  found: FieldTypo[],
): void {
  const def = defOf(schema);
  if (def.type === 'optional') {
    collectTypos(def.innerType, value, path, found);
  } else if (def.type === 'array' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectTypos(def.element, item, [...path, index], found);
  } else if (def.type === 'object' && value === Object(value)) {
    const { shape } = def;
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const isKnown = Object.hasOwn(shape, name);
      // Most fields are known values: for them, a path would be made for nothing.
      if (isKnown && typeof fields[name] !== 'object') continue;
      const here = [...path, name];
      if (isKnown) collectTypos(shape[name] as z.core.$ZodType, fields[name], here, found);
      else if (Object.hasOwn(fields, name)) {
        const text = misplacedField(name, shape) ?? misspelledField(name, fields, shape);
        if (text) found.push({ ...text, path: here });
      }
    }
  }
}

/** Fields that are easily put at the top of an order, and where they belong: a closed list. */
const correctPaths = [
  'hooks.user_return_url_on_success',
  'hooks.user_return_url_on_fail',
  'hooks.terms_url',
  'hooks.webhook_url',
  'cart.items',
];

/** The names that are refused at the top of an order, unless they are declared there. */
export function misplacedNames(): string[] {
  return ['billing_address', ...correctPaths.map((path) => path.replace(/.*\./, ''))];
}

/** The issue of a field of this name in an object of this shape, if that is the top of an order. */
export function misplacedField(name: string, shape: Shape): IssueText | undefined {
  if (!Object.hasOwn(shape, 'cart') || Object.hasOwn(shape, name)) return undefined;
  if (name === 'billing_address') {
    return {
      code: 'not_supported',
      message: 'Not set by this operation',
      hint: 'Leave it out: the checkout page or the separate payment interface sets it.',
    };
  }
  const path = correctPaths.find((path) => path.endsWith(`.${name}`));
  return path ? { code: 'misplaced', message: 'Unknown field', hint: `Move it to ${path}.` } : undefined;
}

function misspelledField(name: string, object: object, shape: Shape): IssueText | undefined {
  const meant = Object.keys(shape).find(
    (known) => !Object.hasOwn(object, known) && isMisspelling(name, known),
  );
  return meant === undefined
    ? undefined
    : { code: 'misspelled', message: 'Unknown field', hint: `Did you mean ${meant}?` };
}

/** Equal but for case and underscores, or one edit away in a name of six letters or more. */
function isMisspelling(name: string, known: string): boolean {
  const written = normalizeName(name);
  const meant = normalizeName(known);
  return written === meant || (meant.length >= 6 && isOneEditAway(written, meant));
}

const normalizeName = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** One letter added, left out, replaced, or swapped with its neighbour. */
function isOneEditAway(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const rest = (text: string, from: number): string => text.slice(start + from);
  return (
    rest(a, 1) === rest(b, 0) ||
    rest(a, 0) === rest(b, 1) ||
    rest(a, 1) === rest(b, 1) ||
    (a[start] === b[start + 1] && b[start] === a[start + 1] && rest(a, 2) === rest(b, 2))
  );
}
