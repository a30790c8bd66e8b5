import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { type CodeBlock, readBlocks } from './read-blocks.ts';

const forms = readBlocks().filter(
  ({ place, language }) => place.startsWith('guides/forms.md') && language === 'tsx',
);
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
}, 60_000);

afterAll(() => browser.close());

/** Renders a component of a block of code, in a page whose title becomes what the component saves. */
async function render({ code }: CodeBlock, component: string): Promise<Page> {
  const entry = `
    import { createRoot } from 'react-dom/client';
    const save = (saved: unknown) => { document.title = JSON.stringify(saved); };
    createRoot(document.body).render(<${component} onSave={save} />);
  `;
  const { outputFiles } = await build({
    stdin: { contents: code + entry, loader: 'tsx', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    conditions: ['@orders/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  return page;
}

function formOf(component: string): CodeBlock {
  const found = forms.find(({ code }) => code.includes(`function ${component}(`));
  if (!found) throw new Error(`The guide shows no ${component}.`);
  return found;
}

test('the form through Standard Schema shows what is wrong, and saves what passes', async () => {
  const page = await render(formOf('HooksForm'), 'HooksForm');
  await page.getByLabel('Webhooks').fill('/webhooks');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'Expected an http or https URL' }).waitFor();
  await page.getByLabel('Webhooks').fill('https://shop.example/hooks');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.title()).toBe('{"webhook_url":"https://shop.example/hooks"}');
});

test('the form with hints says what to write instead, as it is typed, and saves numbers as numbers', async () => {
  const page = await render(formOf('LineEditor'), 'LineEditor');
  await page.getByLabel('unit_price').fill('129,00');
  await page
    .getByRole('alert')
    .filter({ hasText: 'Expected an integer, got "129,00". Write an integer.' })
    .waitFor();
  await page.getByLabel('unit_price').fill('12900');
  await page.getByLabel('sku').fill('4711');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.title()).toBe('{"sku":"4711","quantity":1,"unit_price":12900}');
});

test('every component that the guide shows is rendered here', () => {
  expect(forms).toHaveLength(2);
});
