import { globSync, readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { exampleLink } from '../src/markdown.ts';
import { entries } from '../src/repository.ts';

/** A block of code on a page. */
export interface CodeBlock {
  /** Where it stands, such as `guides/bulk.md:12`: a name for messages. */
  readonly place: string;
  /** The project that its reader runs it in. */
  readonly folder: string;
  readonly language: string;
  /** The words of its fence behind the language, such as `no-run`. */
  readonly flags: readonly string[];
  readonly code: string;
  /** The file of `apps/examples` that the page shows here. */
  readonly file: string | undefined;
  /** What the page says that it prints: the `text` fence marked `output` that follows it. */
  readonly output: string | undefined;
}

const root = join(import.meta.dirname, '../../..');
const docs = join(root, 'apps/docs');
const pages = join(docs, 'pages');

/** Every block of code of the guides, and the examples of the reference, whose other blocks are signatures. */
export function readBlocks(): readonly CodeBlock[] {
  return globSync('**/*.md', { cwd: pages })
    .toSorted()
    .flatMap((page) => {
      const markdown = readFileSync(join(pages, page), 'utf8');
      if (!page.startsWith('api')) return readPage(page, markdown);
      return [...readExamples(page, markdown), ...readOptionExamples(page, markdown)];
    });
}

/** An example in a doc comment may be part of a program: then it is given its import, and compiled only. */
function readExamples(page: string, markdown: string): readonly CodeBlock[] {
  const { specifier } = entries.find(({ slug }) => page === `api/${slug}.md`) ?? {};
  return [...markdown.matchAll(/^### (\w+)(?:(?!^### ).)*?^\*\*Example\*\*\n\n```ts\n(.*?)^```/gms)].map(
    ([, name, code = '']) => {
      const isWhole = code.includes('import ');
      return {
        place: `${page} ${name}`,
        folder: docs,
        language: 'ts',
        flags: isWhole ? [] : ['no-run', 'excerpt'],
        code: isWhole ? code : `import { ${name} } from '${specifier}';\n${code}`,
        file: undefined,
        output: undefined,
      };
    },
  );
}

/** The examples of the options of each interface, which stand in a table: each must be a value of its option. */
function readOptionExamples(page: string, markdown: string): readonly CodeBlock[] {
  const { specifier } = entries.find(({ slug }) => page === `api/${slug}.md`) ?? {};
  return markdown.split(/^### /m).flatMap((section) => {
    const [name = ''] = section.split('\n');
    const rows = [...section.matchAll(/^\| <a [^\n]*? `(\w+)\??` \|[^\n]*\*\*Example\*\* `([^`\n]+)` \|$/gm)];
    if (rows.length === 0) return [];
    const values = rows.map(
      ([, option, value], index) => `export const value${index}: ${name}['${option}'] = ${value};\n`,
    );
    return {
      place: `${page} options of ${name}`,
      folder: docs,
      language: 'ts',
      flags: ['no-run', 'excerpt'],
      code: `import type { ${name} } from '${specifier}';\n${givenToOptions}${values.join('')}`,
      file: undefined,
      output: undefined,
    };
  });
}

/** What these examples use: our functions, and what stands for a program's own. */
const givenToOptions = `import { readFile } from 'node:fs/promises';
import { bearer } from '@orders/auth';
import { createOrdersClient, treat503AsRejected } from '@orders/client';
import { Agent } from '@orders/client/undici';
import { postgresStore } from '@orders/outbox';
import { defineOrderUpdate } from '@orders/schema';
import { z } from 'zod';
declare const correlationId: string, orderToken: string;
declare const vault: { read(name: string): Promise<string> };
declare const audit: { insert(row: object): Promise<void> };
declare const span: { addEvent(name: string, attributes: object): void };
declare const log: { info(fields: object): void; warn(message: string): void };
declare const metrics: { record(fields: object): void };
declare const hasChange: (token: string, id: string) => Promise<boolean>;
`;

/** The skills that packages bring for coding assistants. */
export const skills = globSync('packages/*/skills/*/SKILL.md', { cwd: root }).toSorted();

/** The blocks of READMEs and skills, but for those that show a file of `apps/examples`, which has tests of its own. */
export function readReadmes(): readonly CodeBlock[] {
  return [...globSync(['README.md', 'packages/*/README.md'], { cwd: root }), ...skills]
    .toSorted()
    .flatMap((readme) => {
      const markdown = readFileSync(join(root, readme), 'utf8');
      const shown = /<!-- apps\/examples\/\S+ -->\n\n$/;
      return [...markdown.matchAll(/^```(ts)\n(.*?)^```$/gms)]
        .filter(({ index }) => !shown.test(markdown.slice(0, index)))
        .map(({ index, 1: language = '', 2: code = '' }) => ({
          place: `${readme}:${markdown.slice(0, index).split('\n').length}`,
          // Who reads a skill may have installed any of the packages.
          folder: skills.includes(readme)
            ? docs
            : join(root, readme === 'README.md' ? 'packages/client' : dirname(readme)),
          language,
          flags: [],
          code,
          file: undefined,
          output: undefined,
        }));
    });
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
    const file = resolve(pages, dirname(page), path);
    return { index, language: extname(file).slice(1), flags, code: readFileSync(file, 'utf8'), file };
  });
  const blocks = [...fences, ...examples].toSorted((a, b) => a.index - b.index);
  return blocks.map((block, position) => {
    const next = blocks[position + 1];
    return {
      place: `${page}:${markdown.slice(0, block.index).split('\n').length}`,
      folder: docs,
      language: block.language,
      flags: block.flags.trim().split(/\s+/),
      code: block.code,
      file: block.file,
      output: next?.flags.trim() === 'output' ? next.code : undefined,
    };
  });
}
