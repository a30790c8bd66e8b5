import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { OrderForm } from '../form.tsx';

let browser: Browser;
let script: string;

beforeAll(async () => {
  const [bundle, launched] = await Promise.all([
    build({
      stdin: {
        contents: `
          import { createRoot } from 'react-dom/client';
          import { OrderForm } from './form.tsx';
          const save = (update: unknown) => { document.title = JSON.stringify(update); };
          createRoot(document.body).render(<OrderForm onSave={save} />);
        `,
        loader: 'tsx',
        resolveDir: join(import.meta.dirname, '..'),
      },
      bundle: true,
      write: false,
      format: 'iife',
      jsx: 'automatic',
      conditions: ['@orders/source'],
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'silent',
    }),
    launchBrowser(),
  ]);
  browser = launched;
  script = bundle.outputFiles[0]?.text ?? '';
});

afterAll(() => browser.close());

/** Renders the form in a page whose title becomes the saved update. */
async function renderForm(): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  await page.addScriptTag({ content: script });
  return page;
}

const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save' }).click();

/** The message that assistive technology reads with a field: that of the element named by `aria-describedby`. */
const messageOf = (page: Page, label: string, line = 0): Promise<string | null> =>
  page
    .getByLabel(label)
    .nth(line)
    .evaluate((input) => {
      const message = document.getElementById(input.getAttribute('aria-describedby') ?? '');
      return input.getAttribute('aria-invalid') === 'true' ? (message?.textContent ?? '') : null;
    });

const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('name') ?? null);

test('renders on a server', () => {
  const html = renderToString(createElement(OrderForm, { onSave() {} }));
  expect(html).toMatch(/<label[^>]*>Price<\/label>.*name="cart.items.0.unit_price"/);
});

test('a form saves 258,00 as an integer, and shows which blank fields and lines are left out', async () => {
  const page = await renderForm();
  await page.getByLabel('SKU').fill('MUG');
  await page.getByLabel('Price').fill('258,00');
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByLabel('SKU').nth(2).fill('CUP');
  await page.getByLabel('Quantity').nth(2).fill('');
  await save(page);
  await expect
    .poll(() => page.title())
    .toBe('{"cart":{"items":[{"sku":"MUG","quantity":1,"unit_price":25800},{"sku":"CUP"}]}}');
  expect(await page.getByRole('status').textContent()).toBe(
    'Left out: order_id, cart.items.1, cart.items.2.quantity, cart.items.2.unit_price',
  );
});

test('every wrong field has its message, the first one has the focus, and nothing is saved', async () => {
  const page = await renderForm();
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByLabel('SKU').nth(0).fill('MUG');
  await page.getByLabel('Price').nth(0).fill('1 299');
  await page.getByLabel('Quantity').nth(1).fill('2.5');
  await page.getByLabel('Price').nth(1).fill('NaN');
  await save(page);
  await expect
    .poll(() => messageOf(page, 'Price', 0))
    .toBe('Write an amount without spaces or thousands separators, such as 1299.00.');
  expect(await messageOf(page, 'Quantity', 1)).toBe('Write a whole number such as 2.');
  expect(await messageOf(page, 'Price', 1)).toBe('Write an amount such as 1299.00.');
  expect(await messageOf(page, 'SKU', 0)).toBeNull();
  expect(await focused(page)).toBe('cart.items.0.unit_price');
  expect(await page.title()).toBe('');
});

test('a message goes when its field is right, and moves with its line', async () => {
  const page = await renderForm();
  await page.getByLabel('SKU').fill('MUG');
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByLabel('Price').nth(1).fill('1,299');
  await save(page);
  await expect.poll(() => focused(page)).toBe('cart.items.1.unit_price');
  await page.getByRole('button', { name: 'Remove line 1' }).click();
  await expect.poll(() => messageOf(page, 'Price')).toMatch(/at most 2 decimals/);
  await page.getByLabel('Price').fill('1299');
  await expect.poll(() => messageOf(page, 'Price')).toBeNull();
  await save(page);
  await expect.poll(() => page.title()).toBe('{"cart":{"items":[{"quantity":1,"unit_price":129900}]}}');
});
