import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { renderPackage } from '../src/api/render-package.ts';
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

/** The blocks of one page; `<<< file {language words}` is a block, too. */
export function readPage(page: string, markdown: string): readonly CodeBlock[] {
  const fence = /^```(\w+)([^\n]*)\n(.*?)^```$|^<<< (\S+) \{(\w+) ?([^}\n]*)\}/gms;
  const fences = [...markdown.matchAll(fence)].map((match) => {
    const [, language, words, code, path, shownAs, shownWords] = match;
    const file = path && resolve(docs, 'pages', dirname(page), path);
    return {
      place: `${page}:${markdown.slice(0, match.index).split('\n').length}`,
      language: language ?? shownAs ?? '',
      flags: (words ?? shownWords ?? '').trim().split(/\s+/),
      code: file ? readFileSync(file, 'utf8') : (code ?? ''),
      file,
    };
  });
  return fences.map((block, index) => {
    const next = fences[index + 1];
    return { ...block, output: next?.flags.includes('output') ? next.code : undefined };
  });
}
