import { readFileSync } from 'node:fs';
import { dirname, extname, join, posix, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { repositoryUrl, root } from './repository.ts';

/**
 * A link to an example and how to run it, alone on a line: GitHub shows the link, the site the code.
 *
 * `[send.ts](../../examples/send.ts) <!-- at-prompt -->`
 */
export const exampleLink = /^\[.+\]\((\S+)\) <!-- (run|no-run|at-prompt) -->$/gm;

/**
 * A link to a file of the repository, and the page of exports that takes its place on the site, which GitHub lacks.
 *
 * `[options](../../../../packages/testing/README.md#options)<!-- /api/testing#mockorderserviceoptions -->`
 */
const exportsLink = /\]\([^\s)]+\)<!-- (\/api\/\S+) -->/g;

/** Any other link to a file or folder. */
const fileLink = /(?<=\]\()\.{1,2}\/[^\s)]+(?=\))/g;

/** The first sentence below the title. */
const firstSentence = /^# [^\n]+\n\n([A-Z`[].*?)(?:\.\s|:\n)/s;

const pages = join(root, 'apps/docs/pages');
const outcomes = ['applied', 'rejected', 'not_sent', 'unknown'];

/** A page as the site shows it, and its Markdown: with the code of examples, and links from the root of the site. */
function expandPage(text: string, path: string): string {
  const folder = dirname(path);
  return text
    .replace(exampleLink, (_, example: string) => {
      const code = readFileSync(join(folder, example), 'utf8').trimEnd();
      return `\`\`\`${extname(example).slice(1)}\n${code}\n\`\`\``;
    })
    .replace(/^(```\w+) (?:no-run|at-prompt)$/gm, '$1')
    .replace(exportsLink, (_, page: string) => `](${page.replace(/(?=#|$)/, '.md')})`)
    .replace(fileLink, (link) => {
      const target = relative(pages, join(folder, link)).replaceAll('\\', '/');
      if (!target.startsWith('..')) return `/${target.replace(/^public\//, '')}`;
      return `${repositoryUrl}/blob/main/${posix.join('apps/docs/pages', target)}`;
    });
}

/** Expands each page before it becomes HTML and Markdown, and describes it by its first sentence. */
export const expandPages = {
  name: 'orders:expand-pages',
  enforce: 'pre',
  transform(this: { addWatchFile(file: string): void }, text: string, path: string) {
    if (!path.endsWith('.md')) return undefined;
    for (const [, example = ''] of text.matchAll(exampleLink))
      this.addWatchFile(join(dirname(path), example));
    const [, sentence] = firstSentence.exec(text) ?? [];
    const description = sentence?.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('\n', ' ');
    const head =
      description === undefined ? '' : `---\ndescription: ${JSON.stringify(`${description}.`)}\n---\n\n`;
    return head + expandPage(text, path);
  },
} as const;

/** Lets the site show more than GitHub can, of pages that GitHub can show, too. */
export function extendMarkdown(markdown: MarkdownRenderer): void {
  // The search of the site reads the pages as they are.
  markdown.core.ruler.before('normalize', 'examples', (state) => {
    if (!state.inlineMode) state.src = expandPage(state.src, state.env.path);
  });
  const { code_inline: draw } = markdown.renderer.rules;
  // A long name breaks between its words, so that a table of names fits on a phone.
  if (draw)
    markdown.renderer.rules.code_inline = (...all) =>
      draw(...all).replace(/(?<=>[^<]*)[._](?=\w)/g, '$&<wbr>');
  // In cells that begin with an outcome: elsewhere, `unknown` may be the type.
  markdown.core.ruler.push('outcomes', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      const words = type === 'td_open' ? (tokens[index + 1]?.children ?? []) : [];
      const [first] = words;
      if (!first || !isOutcome(first)) continue;
      for (const word of words.filter(isOutcome)) word.attrJoin('class', `outcome ${word.content}`);
    }
  });
}

const isOutcome = (token: { readonly type: string; readonly content: string }) =>
  token.type === 'code_inline' && outcomes.includes(token.content);
