import type { Hinted } from './rule.ts';
import { jsonRulesOf, type RawIssue } from './zod-internals.ts';

/** Puts an issue of zod's own into words while the value that raised it is still at hand. */
export function hintFor({ code, expected, input, inst, path = [] }: RawIssue): Hinted | undefined {
  if (code !== 'invalid_type') return undefined;
  const name = path.at(-1);
  if (input === undefined) {
    const missing = name === 'cart' ? 'cart: { items: [] }' : String(name ?? 'a value');
    return { rule: 'required', message: 'Required', hint: `Add ${missing}.` };
  }
  const isInteger = inst && jsonRulesOf(inst)[0]?.type === 'integer';
  const kind = kinds[(isInteger ? 'integer' : expected) as keyof typeof kinds] ?? String(expected);
  return {
    rule: 'wrong_type',
    message: `Expected ${kind}, got ${show(input)}`,
    hint: replacement(String(expected), input) ?? `Write ${kind}.`,
  };
}

/** A value in at most 40 characters; numbers are shown whole. */
export function show(value: unknown): string {
  if (typeof value === 'object' && value) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value !== 'string') return String(value);
  const characters = [...value.slice(0, 82)];
  return JSON.stringify(characters.length > 40 ? `${characters.slice(0, 39).join('')}…` : value);
}

const kinds = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function replacement(expected: string, input: unknown): string | undefined {
  if (input === null) return 'Write a value; an optional field is left out, not null.';
  if (expected === 'string' && typeof input !== 'object') return `Write "${input}", in quotes.`;
  if (typeof input !== 'string') return undefined;
  if (expected === 'object') return 'Write an object, not text; parse JSON text first.';
  const isLiteral =
    (expected === 'number' && /^-?\d{1,15}$/.test(input)) ||
    (expected === 'boolean' && /^(true|false)$/.test(input));
  return isLiteral ? `Write ${input}, without quotes.` : undefined;
}
