import type { MarkdownRenderer } from 'vitepress';
import { outcomes } from './outcomes.ts';

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

/** Lets the site show more than GitHub can, of pages that GitHub can show, too. */
export function extendMarkdown(markdown: MarkdownRenderer): void {
  markdown.core.ruler.before('normalize', 'examples', (state) => {
    state.src = state.src.replace(exampleLink, '<<< $1').replace(exportsLink, ']($1)');
  });
  // In cells that begin with an outcome: elsewhere, `unknown` may be the type.
  markdown.core.ruler.push('outcomes', ({ tokens }) => {
    for (const [index, { type }] of tokens.entries()) {
      const words = type === 'td_open' ? (tokens[index + 1]?.children ?? []) : [];
      for (const word of outcomeOf(words[0]) ? words : []) {
        const outcome = outcomeOf(word);
        if (outcome) word.attrJoin('class', `outcome-word outcome-${outcome.name}`);
      }
    }
  });
}

const outcomeOf = (token: { readonly type: string; readonly content: string } | undefined) =>
  outcomes.find(({ title }) => token?.type === 'code_inline' && token.content === title);
