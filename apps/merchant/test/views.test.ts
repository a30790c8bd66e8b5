import { buildOrderUpdate } from '@orders/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findViolations } from './find-violations.ts';
import { openTestPage, prepareTestBrowser, type TestPage } from './open-test-page.ts';

prepareTestBrowser();

// One desk for the file: its views are looked at one after another, as a person does. Those of the editor, the files, the
// switchboard and the outbox are looked at in the tests of each.
let open: TestPage;

beforeAll(async () => {
  const draft = buildOrderUpdate({ order_id: 'shop-1', cart: { items: [{ sku: 'MUG', quantity: 1 }] } });
  open = await openTestPage({ draft });
}, 60_000);

afterAll(async () => {
  // The browser itself tells of the 404 of an unknown order, and of nothing else.
  expect(open.complaints.filter((text) => !text.includes('404'))).toEqual([]);
  await open[Symbol.asyncDispose]();
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const narrow = { width: 360, height: 760 };

/** A view is for everyone, and fits beside its window. */
async function expectForEveryone(): Promise<void> {
  expect(await findViolations(open.page)).toEqual([]);
  const { width } = open.page.viewportSize() ?? narrow;
  expect(await open.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
}

/** Those of little text look the same in the dark and on a phone. */
async function expectForEveryoneEverywhere(): Promise<void> {
  const { page } = open;
  await expectForEveryone();
  const wide = page.viewportSize() ?? narrow;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(narrow);
  await expectForEveryone();
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(wide);
}

test('an order is for everyone, and does not scroll sideways', async () => {
  await button(open.page, 'Send update').waitFor();
  await expectForEveryone();
});

test('what will be sent is for everyone, and does not scroll sideways', async () => {
  const { page } = open;
  await button(page, 'What will be sent').click();
  await page.getByText('ORDERS_API_KEY').first().waitFor();
  await expectForEveryone();
});

test('no decisions are for everyone, and do not scroll sideways', async () => {
  const { page, desk } = open;
  await page.goto(`${desk.url}/decisions`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectForEveryone();
});

test('no such order is for everyone, and does not scroll sideways', async () => {
  const { page, desk } = open;
  await page.goto(`${desk.url}/orders/none`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expectForEveryone();
});

test('an unknown outcome is for everyone, in light and dark, and does not scroll sideways', async () => {
  const { page, desk, service } = open;
  await page.goto(desk.url);
  service.faults.next([{ type: 'reset_after_applying' }]);
  await button(page, 'Send update').click();
  await page.getByRole('status').getByText('Unknown', { exact: true }).waitFor();
  await expectForEveryoneEverywhere();
});

test('a decision is for everyone, in light and dark, and does not scroll sideways', async () => {
  const { page, desk } = open;
  await page.goto(`${desk.url}/decisions`);
  await button(page, 'Discard').waitFor();
  await expectForEveryoneEverywhere();
});
