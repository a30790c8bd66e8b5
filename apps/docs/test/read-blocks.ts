import { globSync, readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { renderPackage } from '../src/api/render-package.ts';
import { exampleLink } from '../src/site/markdown.ts';
import { readReference } from './read-reference.ts';

/** A block of code on a page. */
export interface CodeBlock {
  /** Where it stands, such as `guides/bulk.md:12`: a name for messages. */
  readonly place: string;
  readonly language: string;
  /** What its fence says behind the language, such as `no-run`. */
  readonly flags: readonly string[];
  readonly code: string;
  /** The file of `apps/examples` that the page shows here. */
  readonly file: string | undefined;
  /** What the page says that it prints: the `text` fence marked `output` that follows it. */
  readonly output: string | undefined;
}

const docs = join(import.meta.dirname, '..');

/** Every block of code of every page that somebody wrote. */
export function readBlocks(): readonly CodeBlock[] {
  const cwd = join(docs, 'pages');
  return globSync('**/*.md', { cwd, exclude: ['api/**'] })
    .toSorted()
    .flatMap((page) => readPage(page, readFileSync(join(cwd, page), 'utf8')));
}

/** Every block of code of the reference, as the sources tell it now: its pages are files only while the site is built. */
export function readReferenceBlocks(): readonly CodeBlock[] {
  const packages = readReference();
  return packages.flatMap((one) => readPage(`api/${one.slug}.md`, renderPackage(one, packages)));
}

/** The blocks of one page, and the examples that it shows. */
export function readPage(page: string, markdown: string): readonly CodeBlock[] {
  const fences = [...markdown.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map(
    ({ index, 1: language = '', 2: flags = '', 3: code = '' }) => ({
      index,
      language,
      flags,
      code,
      file: undefined,
    }),
  );
  const examples = [...markdown.matchAll(exampleLink)].map(({ index, 1: path = '', 2: flags = '' }) => {
    const file = resolve(docs, 'pages', dirname(page), path);
    return { index, language: extname(file).slice(1), flags, code: readFileSync(file, 'utf8'), file };
  });
  const blocks = [...fences, ...examples].toSorted((a, b) => a.index - b.index);
  return blocks.map((block, position) => {
    const next = blocks[position + 1];
    return {
      place: `${page}:${markdown.slice(0, block.index).split('\n').length}`,
      language: block.language,
      flags: block.flags.trim().split(/\s+/),
      code: block.code,
      file: block.file,
      output: next?.flags.trim() === 'output' ? next.code : undefined,
    };
  });
}
