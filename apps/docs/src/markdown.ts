import { dirname, join, relative } from 'node:path';
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

/** Any other link to a file or folder, but no picture, which the site takes in. */
const fileLink = /(?<=\]\()\.\.\/[^\s)]+(?=\))(?<!\.svg)/g;

const outcomes = ['applied', 'rejected', 'not_sent', 'unknown'];

/** Lets the site show more than GitHub can, of pages that GitHub can show, too. */
export function extendMarkdown(markdown: MarkdownRenderer): void {
  markdown.core.ruler.before('normalize', 'examples', (state) => {
    state.src = state.src
      .replace(exampleLink, '<<< $1')
      .replace(exportsLink, ']($1)')
      .replace(fileLink, (link) => {
        const path = relative(root, join(dirname(state.env.path), link)).replaceAll('\\', '/');
        return path.startsWith('apps/docs/pages') ? link : `${repositoryUrl}/blob/main/${path}`;
      });
  });
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
