import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from './find-violations.ts';
import type { TestDeskOptions } from './open-test-desk.ts';
import { openTestPage, prepareTestBrowser, type TestPage } from './open-test-page.ts';

prepareTestBrowser();

async function openBoard(options: TestDeskOptions = {}): Promise<TestPage> {
  const open = await openTestPage({
    others: ['order-2', 'order-3'],
    retry: { maxAttempts: 3 },
    path: '/switchboard',
    ...options,
  });
  await lane(open.page, 'order-1').waitFor();
  return open;
}

/** The desk's orders have no number of their own here, so their lanes are named by their tokens. */
const lane = (page: Page, token: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: `Order …${token.slice(-4)}` }) });
const trouble = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });
const told = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).waitFor();

async function sendBurst(page: Page, orders: number, updates: number): Promise<void> {
  await page.getByRole('textbox', { name: 'Orders', exact: true }).fill(String(orders));
  await page.getByRole('textbox', { name: 'Updates each' }).fill(String(updates));
  await page.getByRole('button', { name: `Send ${orders * updates} updates` }).click();
  await told(page, `${orders * updates} updates accepted`);
}

test('shows what becomes of a burst while the service fails, draws it, and makes all well again', async () => {
  await using open = await openBoard();
  const { page, service } = open;
  await page.getByText('No attempts in the last five minutes').waitFor();
  await trouble(page, 'Failing').check();
  await told(page, '“Failing” for every update. Expect every update to end as unknown.');
  await sendBurst(page, 2, 3);
  for (const token of ['order-1', 'order-2']) {
    await lane(page, token).getByText('3 done, 0 queued').waitFor();
    expect(await lane(page, token).getByRole('list', { name: 'Done' }).allInnerTexts()).toEqual([
      'Unknown\nUnknown\nUnknown',
    ]);
  }
  expect(await lane(page, 'order-3').textContent()).toContain('0 done, 0 queued');
  await page.getByRole('img', { name: /^6 attempts in the last five minutes: 6 unknown/ }).waitFor();
  await page.locator('.chart-latency .outcome-point').nth(5).waitFor();
  expect(await page.locator('.chart-latency .outcome-point[data-state="unknown"]').count()).toBe(6);
  await page.locator('.chart-outcomes .recharts-bar-rectangle path').first().waitFor();
  expect(await findViolations(page)).toEqual([]);

  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByText('Table', { exact: true }).click();
  await page.getByRole('columnheader', { name: 'Median time' }).waitFor();
  const cells = await page.getByRole('cell').allInnerTexts();
  expect(cells.filter((_, index) => index % 6 === 0).reduce((sum, cell) => sum + Number(cell), 0)).toBe(6);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  expect(await findViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Make all well' }).click();
  await told(page, 'The order service is well.');
  expect(service.ledger).toEqual([]);
  await sendBurst(page, 1, 2);
  await lane(page, 'order-1').getByText('5 done, 0 queued').waitFor();
  expect(service.ledger).toHaveLength(2);
  expect(open.complaints).toEqual([]);
}, 40_000);

test('shows one update of an order wait for its next attempt while the others queue behind it', async () => {
  await using open = await openBoard();
  const { page, service } = open;
  await trouble(page, 'Busy').check();
  await told(page, '“Busy”');
  await sendBurst(page, 1, 3);
  await lane(page, 'order-1')
    .getByText(/^Waiting 1\.0 s for attempt [23]$/)
    .waitFor();
  expect(await lane(page, 'order-1').getByText('Queued', { exact: true }).count()).toBe(2);
  // Whoever comes later sees the same.
  const other = await open.context.newPage();
  await other.goto(page.url());
  await lane(other, 'order-1').getByText('0 done, 2 queued').waitFor();
  await trouble(page, 'All well').check();
  for (const seen of [page, other]) await lane(seen, 'order-1').getByText('3 done, 0 queued').waitFor();
  await other.reload();
  await lane(other, 'order-1').getByText('3 done, 0 queued').waitFor();
  expect(service.ledger).toHaveLength(3);
  expect(open.complaints).toEqual([]);
});

test('is set with the keyboard alone, and every page is told', async () => {
  await using open = await openBoard();
  const { page } = open;
  const other = await open.context.newPage();
  await other.goto(page.url());
  await lane(other, 'order-1').waitFor();
  await trouble(page, 'All well').focus();
  await page.keyboard.press('ArrowDown');
  await told(page, '“Slow” for every update');
  await page.getByRole('slider', { name: 'Share of requests that meet it' }).focus();
  await page.keyboard.press('ArrowLeft');
  await told(other, '“Slow” for 90 of 100 updates');
  expect(await trouble(other, 'Slow').isChecked()).toBe(true);
  expect(open.complaints).toEqual([]);
});

test('says when the order service cannot be made to fail', async () => {
  await using open = await openBoard({ ownService: false });
  const { page } = open;
  await page.getByText('This order service cannot be made to fail').waitFor();
  expect(await trouble(page, 'Failing').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true);
  expect(await findViolations(page)).toEqual([]);
});
