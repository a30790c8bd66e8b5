import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One message of a package that says what to write, and what comes of doing so. */
export interface Advice {
  /** The mistake, in a few words. */
  readonly mistake: string;
  /** The message of the package. */
  readonly message: string;
  /** Does what the message says, to the letter, and returns what then arrives. */
  readonly follow?: (message: string) => unknown;
  /** What was meant, as it has to arrive. */
  readonly means?: unknown;
  /** The advice of a message that cannot know what was meant: it names the choice, and holds no value to copy. */
  readonly choice?: string;
  /** The message of the package once its reader has chosen, as the advice says: `passed`. */
  readonly heeded?: string;
}

/** The text between two pieces of a message. */
export function between(start: string, end: string): (message: string) => string {
  return (message) => {
    const from = message.lastIndexOf(start);
    const to = message.indexOf(end, from + start.length);
    if (from === -1 || to === -1) throw new Error(`No "${start}...${end}" in: ${message}`);
    return message.slice(from + start.length, to);
  };
}

const advises = /\bwrite (?!what became)(?<!cannot write )|did you mean|\bmove it to\b/i;
const literals = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g;

/** Each text in the sources of a package that says what to write, as a pattern: a part filled in at run time is open. */
export function adviceIn(folder: string, exclude: readonly string[] = []): readonly RegExp[] {
  return globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts', ...exclude] }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
      .flatMap((line) => line.match(literals) ?? [])
      .filter((literal) => advises.test(literal))
      .map(patternOf),
  );
}

function patternOf(literal: string): RegExp {
  const fixed = literal
    .slice(1, -1)
    .split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
    .map((text) => text.replace(/\\(.)/g, '$1').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(fixed.join('[^]*'));
}
