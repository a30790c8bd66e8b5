import type * as z from 'zod/mini';
import { defOf } from './zod-internals.ts';

/** A field that is very likely meant as another: where it stands, and what was meant. */
export interface LikelyMistake {
  readonly path: readonly PropertyKey[];
  readonly rule: 'misspelled' | 'misplaced' | 'not_set_here';
  readonly message: string;
  readonly hint: string;
}

/**
 * Finds undeclared fields that were very likely meant as a declared one. A field that merely is
 * unknown is none of them: it passes.
 */
export function findLikelyMistakes(schema: z.core.$ZodType, value: unknown): LikelyMistake[] {
  const found: LikelyMistake[] = [];
  look(schema, value, [], found);
  return found;
}

function look(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  found: LikelyMistake[],
): void {
  const def = defOf(schema);
  if (def.type === 'optional') {
    look(def.innerType, value, path, found);
  } else if (def.type === 'array' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(def.element, item, [...path, index], found);
  } else if (def.type === 'object' && value === Object(value)) {
    const { shape } = def;
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const declared = Object.hasOwn(shape, name);
      // Only what is undeclared or holds fields of its own is worth a path.
      if (declared && typeof fields[name] !== 'object') continue;
      const here = [...path, name];
      if (declared) look(shape[name] as z.core.$ZodType, fields[name], here, found);
      else if (Object.hasOwn(fields, name)) {
        const mistake = likelyMistake(name, fields, shape);
        if (mistake) found.push({ ...mistake, path: here });
      }
    }
  }
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;
type Mistake = Omit<LikelyMistake, 'path'>;

function likelyMistake(name: string, object: object, shape: Shape): Mistake | undefined {
  const stray = strayField(name, shape);
  if (stray) return stray;
  const meant = Object.keys(shape).find(
    (known) => !Object.hasOwn(object, known) && isMisspelling(name, known),
  );
  return meant === undefined
    ? undefined
    : { rule: 'misspelled', message: 'Unknown field', hint: `Did you mean ${meant}?` };
}

/** Fields that some put at the top of an order, and where they belong: a closed list. */
const homes = [
  'hooks.user_return_url_on_success',
  'hooks.user_return_url_on_fail',
  'hooks.terms_url',
  'hooks.webhook_url',
  'cart.items',
];

/** The names that are refused at the top of an order, unless they are declared there. */
export function strayNames(): string[] {
  return ['billing_address', ...homes.map((home) => home.replace(/.*\./, ''))];
}

/** What is wrong with a field of this name in an object of this shape, if it is the top of an order. */
export function strayField(name: string, shape: Shape): Mistake | undefined {
  if (!Object.hasOwn(shape, 'cart') || Object.hasOwn(shape, name)) return undefined;
  if (name === 'billing_address') {
    return {
      rule: 'not_set_here',
      message: 'Not set by this operation',
      hint: 'Leave it out: the checkout page or the separate payment interface sets it.',
    };
  }
  const home = homes.find((field) => field.endsWith(`.${name}`));
  return home ? { rule: 'misplaced', message: 'Unknown field', hint: `Move it to ${home}.` } : undefined;
}

/** Equal but for case and underscores, or one edit away in a name of six letters or more. */
export function isMisspelling(name: string, known: string): boolean {
  const written = letters(name);
  const meant = letters(known);
  return written === meant || (meant.length >= 6 && isOneEditAway(written, meant));
}

const letters = (name: string): string => name.toLowerCase().replaceAll('_', '');

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
