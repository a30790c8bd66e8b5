import { join } from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { expect, test } from 'vitest';
import { extendMarkdown } from './markdown.ts';
import { repositoryUrl } from './repository.ts';

const pages = join(import.meta.dirname, '../pages');
const markdown = await createMarkdownRenderer(pages, { config: extendMarkdown });
const render = (text: string) => markdown.renderAsync(text, { path: join(pages, 'page.md') });

test('a link to an example, alone with its comment, becomes the code', async () => {
  const html = await render('Before\n\n[send.ts](../../examples/send.ts) <!-- at-prompt -->\n');
  expect(html).toMatch(/<p>Before<\/p>.*language-ts.*safeUpdateOrder/s);
  expect(html).not.toContain('examples/send.ts');
});

test('a link to a file of the repository leads to the page of exports in its comment', async () => {
  const html = await render(
    'All [faults](../../../packages/testing/README.md#faults)<!-- /api/testing#fault -->.',
  );
  expect(html).toMatch(/^<p>All <a href="\/api\/testing.*#fault">faults<\/a>\.<\/p>\n$/);
});

test('any other link out of the site leads to the repository', async () => {
  const html = await render('[a](../../examples/app.ts) [b](../pages/outcomes.md#the-table)');
  expect(html).toContain(`href="${repositoryUrl}/blob/main/apps/examples/app.ts"`);
  expect(html).toMatch(/href="[^"]*outcomes[^"]*#the-table"/);
});

test('outcomes have their colours in a cell that begins with one, and nowhere else', async () => {
  const html = await render('`unknown`\n\n| a | b |\n| - | - |\n| `not_sent`, `unknown` | is `unknown` |\n');
  expect(html.match(/<code[^>]*>/g)).toEqual([
    '<code>',
    '<code class="outcome not_sent">',
    '<code class="outcome unknown">',
    '<code>',
  ]);
});

test('a name may break between its words', async () => {
  const html = await render('| a |\n| - |\n| `not_sent` or `retry.maxAttempts` |\n');
  expect(html).toContain('<code class="outcome not_sent">not_<wbr>sent</code>');
  expect(html).toContain('retry.<wbr>maxAttempts');
});
