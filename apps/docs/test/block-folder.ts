import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeBlock } from './read-blocks.ts';

/**
 * Writes each block as a file of its own, unless it is one, beside the modules of its project, so that it resolves packages
 * as its reader's does. Returns their paths, in the same order, and that of their tsconfig.
 */
export function writeBlocks(blocks: readonly CodeBlock[]): {
  readonly files: readonly string[];
  readonly tsconfig: string;
} {
  for (const folder of new Set(blocks.map(({ folder }) => folder))) {
    rmSync(join(folder, place), { recursive: true, force: true });
    mkdirSync(join(folder, place), { recursive: true });
  }
  const files = blocks.map((block) => {
    if (block.file !== undefined) return block.file;
    const { name, text } = fileOfBlock(block);
    const file = join(block.folder, place, name);
    writeFileSync(file, text);
    return file;
  });
  const tsconfig = join(import.meta.dirname, '..', place, 'tsconfig.json');
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: readersOptions, files }));
  return { files, tsconfig };
}

/** What a block is compiled as, when it is a file of its own. */
export const fileOfBlock = ({ place, language, flags, code }: CodeBlock) => ({
  name: `${place.replaceAll(/\W+/g, '-')}.${language}`,
  text: flags.includes('excerpt') ? code + given : code,
});

const place = '.turbo/blocks';

/** What an example in a doc comment may use without a declaration. */
const given = 'declare const baseUrl: string, apiKey: string, token: string;\n';

/** The options of a strict project, without those that only this repository sets: it has the packages as they are built. */
export const readersOptions = {
  target: 'es2023',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  jsx: 'react-jsx',
  types: ['node'],
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
