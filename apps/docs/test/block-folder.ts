import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeBlock } from './read-blocks.ts';

/** Beside the package's own modules, so that a block resolves packages as its reader's does. */
const folder = join(import.meta.dirname, '../.turbo/blocks');

/** Writes each block as a file of its own, unless it is one, and returns their paths, in the same order, and that of their tsconfig. */
export function writeBlocks(blocks: readonly CodeBlock[]): {
  readonly files: readonly string[];
  readonly tsconfig: string;
} {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = blocks.map(({ place, language, flags, code, file: shown }) => {
    if (shown !== undefined) return shown;
    const file = join(folder, `${place.replaceAll(/\W+/g, '-')}.${language}`);
    writeFileSync(file, flags.includes('excerpt') ? code + given : code);
    return file;
  });
  const tsconfig = join(folder, 'tsconfig.json');
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: readersOptions, files }));
  return { files, tsconfig };
}

/** What an example in a doc comment may use without a declaration. */
const given = 'declare const baseUrl: string, apiKey: string, token: string;\n';

/** The options of a strict project, without those that only this repository sets. */
const readersOptions = {
  target: 'es2023',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  jsx: 'react-jsx',
  types: ['node'],
  customConditions: ['@orders/source'],
  allowImportingTsExtensions: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  moduleDetection: 'force',
  skipLibCheck: true,
  noEmit: true,
};
