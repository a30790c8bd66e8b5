import AxeBuilder from '@axe-core/playwright';
import { buildOrderUpdate } from '@orders/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openTestPage, prepareTestBrowser, type TestPage } from './open-test-page.ts';

prepareTestBrowser();

const rows = ['token,order_id,cart.items[0].quantity', 'order-1,one,1', 'order-1,two,2.5'].join('\n');

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

/** Every view, and the way to it. */
const views: Readonly<Record<string, (open: TestPage) => Promise<unknown>>> = {
  'an order': async ({ page }) => button(page, 'Send update').waitFor(),
  'an order with a mistake': async ({ page }) => {
    await page.getByRole('textbox', { name: 'Quantity, line 1', exact: true }).fill('2.5');
    await page.getByRole('status').getByText('1 field needs mending').waitFor();
  },
  'an unknown outcome': async ({ page, service }) => {
    service.faults.next([{ fault: 'reset_after_applying' }]);
    await button(page, 'Send update').click();
    await page.getByRole('status').getByText('Unknown', { exact: true }).waitFor();
  },
  'what will be sent': async ({ page }) => {
    await button(page, 'What will be sent').click();
    await page.getByText('ORDERS_API_KEY').first().waitFor();
  },
  'pasted JSON': async ({ page }) => {
    await button(page, 'Paste JSON').click();
    await page
      .getByRole('dialog')
      .getByRole('textbox')
      .first()
      .fill('{\n  "cart": { "items": [{ "sku": 1 }] }\n}');
    await page.getByText('Expected a string, got 1').first().waitFor();
  },
  'no such order': async ({ page, desk }) => {
    await page.goto(`${desk.url}/orders/none`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
  decisions: async ({ page, desk, service }) => {
    service.faults.next([{ fault: 'reset_after_applying' }]);
    await button(page, 'Send update').click();
    await page.getByRole('status').getByText('Unknown', { exact: true }).waitFor();
    await page.goto(`${desk.url}/decisions`);
    await button(page, 'Discard').waitFor();
  },
  'no decisions': async ({ page, desk }) => {
    await page.goto(`${desk.url}/decisions`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
  'bulk, and a file': async ({ page, desk }) => {
    await page.goto(`${desk.url}/bulk`);
    const file = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) };
    await page.locator('input[type=file]').setInputFiles(file);
    await button(page, /^Send 1 update/).waitFor();
  },
  switchboard: async ({ page, desk }) => {
    await page.goto(`${desk.url}/switchboard`);
    await page.getByRole('radio', { name: /All well/ }).waitFor();
  },
};

const looks = [
  { look: 'light and wide', colorScheme: 'light', width: 1280 },
  { look: 'dark and narrow', colorScheme: 'dark', width: 360 },
] as const;

/** Those of little text look the same in the dark and on a phone. */
const alsoDark = [
  'an order with a mistake',
  'an unknown outcome',
  'decisions',
  'bulk, and a file',
  'switchboard',
];

const cases = Object.entries(views).flatMap(([view, show]) =>
  looks
    .filter(({ colorScheme }) => colorScheme === 'light' || alsoDark.includes(view))
    .map((look) => ({ view, show, ...look })),
);

test.each(cases)('$view, $look: for everyone, and without scrolling sideways', async (wanted) => {
  const draft = buildOrderUpdate({ order_id: 'shop-1', cart: { items: [{ sku: 'MUG', quantity: 1 }] } });
  await using open = await openTestPage({ draft });
  const { page } = open;
  await page.emulateMedia({ colorScheme: wanted.colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize({ width: wanted.width, height: 760 });
  await wanted.show(open);
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  const told = violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ target, failureSummary }) => [target, failureSummary]),
  ]);
  expect(told).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(wanted.width);
  // The browser itself tells of the 404 of an unknown order, and of nothing else.
  expect(open.complaints.filter((text) => !text.includes('404'))).toEqual([]);
});
