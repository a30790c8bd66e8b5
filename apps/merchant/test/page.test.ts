import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineOrderUpdate } from '@orders/schema';
import { buildOrderUpdate, documentedExample } from '@orders/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { openTestDesk, pageDirectory, type TestDesk, type TestDeskOptions } from './open-test-desk.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
}, 60_000);

afterAll(() => browser.close());

interface OpenPage extends TestDesk {
  readonly page: Page;
  /** Everything that the page complained about, violations of its policy included. */
  readonly complaints: readonly string[];
  /** The text of every answer that the page got. */
  readonly answers: readonly Promise<string>[];
}

async function openPage(options?: TestDeskOptions): Promise<OpenPage> {
  const open = await openTestDesk(options);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  const answers: Promise<string>[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  const strangers: string[] = [];
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^https?:$/.test(protocol) && hostname !== '127.0.0.1') strangers.push(request.url());
  });
  page.on('response', (answer) =>
    answers.push(answer.text().then((text) => text + JSON.stringify(answer.headers()))),
  );
  await page.goto(open.desk.url);
  return {
    ...open,
    page,
    complaints,
    answers,
    async [Symbol.asyncDispose]() {
      await context.close();
      await open[Symbol.asyncDispose]();
      expect(strangers).toEqual([]);
    },
  };
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const send = (page: Page) => page.getByRole('button', { name: 'Send update' }).click();
const status = (page: Page) => page.getByRole('status');

test('takes a bad quantity to its field as it is typed, and sends exactly what is typed once mended', async () => {
  await using open = await openPage({ draft: documentedExample() });
  const { page, service } = open;
  await page.getByRole('button', { name: /merchant-order-1001/ }).waitFor();
  const quantity = field(page, 'Quantity, line 1');
  await quantity.fill('');
  await quantity.pressSequentially('2.5');
  await page.locator('strong', { hasText: 'got 2.5' }).waitFor();
  await page.getByText('whole numbers').last().waitFor();
  expect(await quantity.getAttribute('aria-invalid')).toBe('true');
  await send(page);
  await status(page).getByText('1 field needs mending').waitFor();
  expect(service.journal).toEqual([]);

  await quantity.fill('3');
  await field(page, 'Name, line 1').fill('Blue mug, "large" ☕');
  await field(page, 'V.A.T., line 1').fill('');
  await field(page, 'Order number').fill('');
  await page.getByRole('combobox', { name: 'Currency' }).selectOption('SEK');
  await page.getByRole('radiogroup', { name: 'Express shipping' }).getByText('Left out').click();
  await page.getByRole('button', { name: 'Add line' }).click();
  await field(page, 'SKU, line 3').fill('GIFT-1');
  await field(page, 'Unit price, line 3').fill('-500');
  await page.getByRole('button', { name: 'Remove line 2' }).click();
  await field(page, 'Terms').fill('https://shop.example/new terms');
  await page.locator('strong', { hasText: 'got "https://shop.example/new terms"' }).waitFor();
  await field(page, 'Terms').fill('https://shop.example/new-terms');
  await send(page);

  await status(page).getByText('Applied', { exact: true }).waitFor();
  const { order_id: _, express_shipping: __, ...kept } = documentedExample();
  expect(service.appliedTo('order-1')).toEqual([
    {
      ...kept,
      purchase_currency: 'SEK',
      cart: {
        items: [
          {
            type: 'physical',
            sku: 'MUG-BLUE-01',
            name: 'Blue mug, "large" ☕',
            quantity: 3,
            unit_price: 14900,
            discount_rate: 0,
          },
          { type: 'physical', sku: 'GIFT-1', quantity: 1, unit_price: -500 },
        ],
      },
      hooks: { ...kept.hooks, terms_url: 'https://shop.example/new-terms' },
    },
  ]);
  expect(open.complaints).toEqual([]);
});

test('tells outcome, attempts, status and receipt, and keeps the key to itself', async () => {
  await using open = await openPage();
  const { page, service } = open;
  await send(page);
  await status(page).getByText('The order service took this update.').waitFor();
  expect(await status(page).textContent()).toContain('Attempts1Status200');
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  await page.getByText('"outcome": "applied"').waitFor();

  const secrets = [service.key, Buffer.from(`${service.key}:`).toString('base64')];
  const files = (await readdir(pageDirectory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
  const texts = await Promise.all([...open.answers, ...files, page.content()]);
  expect(texts.length).toBeGreaterThan(7);
  expect(texts.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  expect(open.complaints).toEqual([]);
});

test('takes an error that only the server finds to its field', async () => {
  await using open = await openPage({
    draft: buildOrderUpdate({ purchase_currency: 'EUR' }),
    schema: defineOrderUpdate({ currencies: ['NOK'] }),
  });
  const { page, service } = open;
  const currency = page.getByRole('combobox', { name: 'Currency' });
  await currency.waitFor();
  expect(await currency.getAttribute('aria-invalid')).not.toBe('true');
  await send(page);
  await page.locator('strong', { hasText: '"EUR"' }).waitFor();
  await status(page).getByText('Not sent: 1 field needs mending').waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'purchase_currency');
  expect(await currency.getAttribute('aria-invalid')).toBe('true');
  expect(service.journal).toEqual([]);

  await currency.selectOption('NOK');
  await send(page);
  await status(page).getByText('Applied', { exact: true }).waitFor();
  expect(service.appliedTo('order-1')).toMatchObject([{ purchase_currency: 'NOK' }]);
  // The browser itself tells of the 422, and of nothing else.
  expect(open.complaints).toEqual([expect.stringContaining('422')]);
});

test('says when it does not know, when nothing left, and when the service refused', async () => {
  await using open = await openPage({ strangers: ['order-2'] });
  const { page, desk, service } = open;
  await page.getByRole('button', { name: /Order …er-2/ }).click();
  await send(page);
  await status(page).getByText('Rejected', { exact: true }).waitFor();

  await service.close();
  await send(page);
  await status(page).getByText('Not sent', { exact: true }).waitFor();

  await desk.close();
  await send(page);
  await status(page).getByText('We do not know whether the order service took it.').waitFor();
});

test('keeps what was typed into one order while another is looked at', async () => {
  await using open = await openPage({ strangers: ['order-2'] });
  const { page } = open;
  await field(page, 'SKU, line 1').fill('TYPED');
  await page.getByRole('button', { name: /Order …er-2/ }).click();
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('SKU-1');
  await page.getByRole('button', { name: /Order …er-1.*Edited/ }).click();
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('TYPED');
});

test('sends with the keyboard alone, and never by Enter in a field', async () => {
  await using open = await openPage({
    draft: buildOrderUpdate({ cart: { items: [{ quantity: 1 }, { quantity: 1 }] } }),
  });
  const { page, service } = open;
  await field(page, 'Quantity, line 1').focus();
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(
    'cart.items.1.quantity',
  );
  await page.keyboard.type('25');
  await page.keyboard.press('Control+Enter');
  await status(page).getByText('Applied', { exact: true }).waitFor();
  expect(service.appliedTo('order-1')).toEqual([{ cart: { items: [{ quantity: 1 }, { quantity: 25 }] } }]);
});

test('has no way to scroll sideways on a narrow phone', async () => {
  await using open = await openPage({ draft: documentedExample() });
  const { page } = open;
  await page.setViewportSize({ width: 360, height: 740 });
  await field(page, 'Quantity, line 1').fill('2.5');
  await status(page).getByText('1 field needs mending').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});
