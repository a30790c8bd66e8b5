import type * as z from 'zod/mini';
import type { IssueText } from './field-types.ts';
import { isMisspelling, normalizeName } from './spelling.ts';
import { defOf } from './zod-internals.ts';

/** An unknown field that is very likely meant as a known one. */
export interface FieldTypo extends IssueText {
  readonly path: PropertyKey[];
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

interface Search {
  readonly found: FieldTypo[];
  /** The names of each object of the schema, so that an unknown one is compared with them once. */
  readonly names: Map<Shape, KnownNames>;
}

interface KnownNames {
  readonly known: readonly (readonly [name: string, normalized: string])[];
  /** The known names that an unknown one may be a misspelling of. */
  readonly similar: Map<string, readonly string[]>;
}

/** Finds the unknown fields that are very likely meant as known ones. Other unknown fields pass. */
export function findFieldTypos(schema: z.core.$ZodType, value: unknown): FieldTypo[] {
  const search: Search = { found: [], names: new Map() };
  collectTypos(schema, value, [], search);
  return search.found;
}

function collectTypos(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  search: Search,
): void {
  const def = defOf(schema);
  if (def.type === 'optional') {
    collectTypos(def.innerType, value, path, search);
  } else if (def.type === 'array' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectTypos(def.element, item, [...path, index], search);
  } else if (def.type === 'object' && value === Object(value)) {
    const { shape } = def;
    const fields = value as Record<string, unknown>;
    for (const [name, field] of Object.entries(fields)) {
      const inside = [...path, name];
      const part = Object.hasOwn(shape, name) && shape[name];
      if (part) {
        if (typeof field === 'object') collectTypos(part, field, inside, search);
      } else {
        const text = misplacedField(name, shape) ?? misspelledField(name, fields, shape, search);
        if (text) search.found.push({ ...text, path: inside });
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

function misspelledField(
  name: string,
  object: object,
  shape: Shape,
  { names }: Search,
): IssueText | undefined {
  const here = names.get(shape) ?? knownNames(shape);
  names.set(shape, here);
  const similar = here.similar.get(name) ?? similarNames(name, here);
  here.similar.set(name, similar);
  const meant = similar.find((known) => !Object.hasOwn(object, known));
  return meant === undefined
    ? undefined
    : { code: 'misspelled', message: 'Unknown field', hint: `Did you mean ${meant}?` };
}

function knownNames(shape: Shape): KnownNames {
  const known = Object.keys(shape).map((name) => [name, normalizeName(name)] as const);
  return { known, similar: new Map() };
}

function similarNames(name: string, { known }: KnownNames): string[] {
  const written = normalizeName(name);
  return known.filter(([, meant]) => isMisspelling(written, meant)).map(([name]) => name);
}
