import fc from 'fast-check';
import { PROTO } from './json-values.ts';
import type { Level } from './order-model.ts';
import { isMisspelling, isStray } from './unknown-names.ts';

/** An optional name, and where it is declared beside which others. */
export interface MeantName {
  readonly meant: string;
  readonly level: Level;
  readonly declared: readonly string[];
}

/** What differs from a name by case and underscores alone; undefined when there is nothing. */
export function misspellingsByCase(name: MeantName): fc.Arbitrary<string> | undefined {
  const { meant } = name;
  const camel = meant.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const pascal = camel.charAt(0).toUpperCase() + camel.slice(1);
  const all = [camel, pascal, meant.toUpperCase(), meant.replaceAll('_', ''), `_${meant}`];
  const mistakes = [...new Set(all)].filter((written) => isMistake(written, name));
  return mistakes.length > 0 ? fc.constantFrom(...mistakes) : undefined;
}

/** A name with one letter added, left out, replaced or swapped; undefined when it is shorter than six letters. */
export function misspellingsByEdit(name: MeantName): fc.Arbitrary<string> | undefined {
  const { meant } = name;
  if (meant.replaceAll('_', '').length < 6) return undefined;
  const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
  return fc
    .tuple(fc.constantFrom(...EDITS), fc.nat({ max: meant.length - 1 }), letters)
    .map(([edit, place, letter]) => edit(meant, place, letter))
    .filter((written) => isMistake(written, name));
}

const EDITS: readonly ((name: string, at: number, letter: string) => string)[] = [
  (name, at, letter) => name.slice(0, at) + letter + name.slice(at),
  (name, at) => name.slice(0, at) + name.slice(at + 1),
  (name, at, letter) => name.slice(0, at) + letter + name.slice(at + 1),
  (name, at) => name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2),
];

/** What is written may happen to be a name that passes, or one that is refused for another reason. */
function isMistake(written: string, { meant, level, declared }: MeantName): boolean {
  if (written === PROTO || declared.includes(written)) return false;
  return isMisspelling(written, meant) && !(level === 'order' && isStray(written));
}
