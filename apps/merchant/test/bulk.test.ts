import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from './find-violations.ts';
import { openTestPage, prepareTestBrowser, type TestPage } from './open-test-page.ts';

prepareTestBrowser();

const tokens = Array.from({ length: 2_000 }, (_, index) => `order-${index + 1}`);

/** A file of so many rows, one line of the cart each; the quantity of the bad row is a fraction. */
function csvOf(count: number, badRow?: number): string {
  const rows = tokens.slice(0, count).map((token, index) => {
    const quantity = index + 1 === badRow ? '2.5' : 1 + (index % 9);
    return `${token},A-${index + 1},"Mug, ""blue"" ${index + 1}",${quantity}`;
  });
  return ['token,order_id,cart.items[0].name,cart.items[0].quantity', ...rows].join('\r\n');
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const bar = (page: Page) => page.getByRole('progressbar', { name: 'Progress' });
const table = (page: Page) => page.getByRole('region', { name: 'Rows of the file' });

async function openBulk(): Promise<TestPage> {
  const open = await openTestPage({ path: '/bulk' });
  // The order service knows every order of the files, and the desk needs to know none.
  for (const token of tokens.slice(1)) open.service.addOrder(token);
  await heading(open.page, 'Bulk').waitFor();
  return open;
}

/** Drops a file as a person does from a folder. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    },
    [name, text] as const,
  );
  await page.getByText('Drop a CSV or NDJSON file here').dispatchEvent('drop', { dataTransfer });
}

const placeOf = async (page: Page) => (await table(page).boundingBox())?.y;

test('reads 2,000 rows, explains the bad one, sends the others with a pause, and gives the result', async () => {
  await using open = await openBulk();
  const { page, service } = open;
  await page.getByText('No files yet').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await drop(page, 'spring prices.csv', csvOf(2_000, 1_717));
  await heading(page, '1,999 updates can be sent').waitFor();
  await page.getByText('1 row is bad and is left out').waitFor();
  await table(page).getByText('order-3', { exact: true }).waitFor();
  expect(await table(page).getByRole('row').count()).toBeLessThan(40);

  await button(page, 'Bad 1').click();
  const bad = table(page).getByRole('row', { name: /order-1717/ });
  await bad.getByText('cart.items[0].quantity').waitFor();
  await bad.getByText('Expected an integer, got 2.5').waitFor();
  await bad.getByText('whole numbers').waitFor();
  expect(await bad.textContent()).toContain('Line 1,718');
  expect(await findViolations(page)).toEqual([]);
  expect(service.journal).toEqual([]);

  await button(page, 'All 2,000').click();
  const place = await placeOf(page);
  // Slow enough for the rate to be seen, also on a machine with nothing else to do.
  service.faults.always({ type: 'latency', ms: 30 });
  await button(page, 'Send 1,999 updates').click();
  await page.waitForFunction(
    () => Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')) >= 10,
  );
  await page.getByText(/^\d+ \/ s$/).waitFor();
  expect(await placeOf(page)).toBe(place);
  await button(page, 'Pause').click();
  await heading(page, 'Paused').waitFor();
  const settled = Number((await bar(page).getAttribute('aria-valuetext'))?.split(' ')[0]?.replace(',', ''));
  expect(settled).toBe(service.ledger.length);
  expect(settled).toBeLessThan(1_999);
  expect(await placeOf(page)).toBe(place);

  await button(page, 'Continue').click();
  await heading(page, 'Done').waitFor({ timeout: 30_000 });
  await button(page, 'Applied 1,999').waitFor();
  expect(await bar(page).getAttribute('aria-valuetext')).toBe('1,999 of 1,999');
  expect(await placeOf(page)).toBe(place);
  const arrived = service.ledger.map(({ token }) => token).toSorted();
  expect(arrived).toEqual(tokens.filter((token) => token !== 'order-1717').toSorted());
  expect(service.appliedUpdates('order-7')).toEqual([
    { order_id: 'A-7', cart: { items: [{ name: 'Mug, "blue" 7', quantity: 7 }] } },
  ]);
  expect(await findViolations(page)).toEqual([]);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Result as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('spring prices-result.csv');
  const result = await readFile(await download.path(), 'utf8');
  const rows: Record<string, string>[] = parse(result, { columns: true, bom: true });
  expect(rows.map(({ token }) => token)).toEqual(tokens);
  expect(rows.filter(({ outcome }) => outcome === 'applied')).toHaveLength(1_999);
  expect(rows[1_716]).toMatchObject({
    row: '1717',
    line: '1718',
    outcome: 'bad',
    message: 'cart.items[0].quantity: Expected an integer, got 2.5',
  });
  expect(open.complaints).toEqual([]);
}, 60_000);

test('scrolls to any row of the file, and shows what is sent with it', async () => {
  await using open = await openBulk();
  const { page } = open;
  await drop(page, 'many.csv', csvOf(2_000));
  await table(page).getByText('order-1', { exact: true }).waitFor();
  await table(page).focus();
  await page.keyboard.press('End');
  await table(page).getByText('order-2000', { exact: true }).waitFor();
  await button(page, 'Details of row 2000').click();
  await table(page).getByText('"name": "Mug, \\"blue\\" 2000"').waitFor();
  expect(open.complaints).toEqual([]);
});

test('in the dark, on a phone and by keyboard: a person decides what became of unknown rows', async () => {
  await using open = await openBulk();
  const { page, service } = open;
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  service.faults.next([{ type: 'reset_after_applying' }, { type: 'status', status: 409 }]);
  const file = csvOf(30, 2).split('\r\n').join('\n');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'few.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  await button(page, 'Send 29 updates').waitFor();
  expect(await findViolations(page, 'main')).toEqual([]);
  await button(page, 'Send 29 updates').focus();
  await page.keyboard.press('Enter');
  await heading(page, '1 update may have arrived').waitFor();
  await button(page, 'Rejected 1').focus();
  await page.keyboard.press('Space');
  await table(page).getByText('409').waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  await page.reload();
  await button(page, 'Send again').focus();
  await page.keyboard.press('Enter');
  await button(page, 'Applied 28').waitFor();
  await heading(page, '1 update may have arrived').waitFor({ state: 'detached' });
  expect(service.ledger).toHaveLength(29);
  expect(open.complaints).toEqual([]);
});

test('says why a file cannot be read, keeps those that can, and removes one when asked twice', async () => {
  await using open = await openBulk();
  const { page } = open;
  await drop(page, 'orders.csv', 'order,cart\n1,{}\n');
  await page.getByRole('alert').getByText('orders.csv was not read').waitFor();
  await page.getByRole('alert').getByText('one of them has to be token').waitFor();
  expect(await findViolations(page)).toEqual([]);

  await drop(
    page,
    'updates.ndjson',
    '{"token":"order-1","update":{"cart":{"items":[]}}}\n{"token":"order-2"}\n',
  );
  await heading(page, '1 update can be sent').waitFor();
  await page.getByRole('link', { name: 'All files' }).click();
  await page.getByRole('link', { name: /updates\.ndjson.*Not started.*2 rows/ }).click();
  await button(page, 'Remove').click();
  await button(page, 'Keep it').click();
  await button(page, 'Remove').click();
  await button(page, 'Remove for good').click();
  await page.getByText('No files yet').waitFor();
  await page.goBack();
  await heading(page, 'This desk does not know the file').waitFor();
  // The browser itself tells of what was refused and what is gone, and of nothing else.
  expect(open.complaints.filter((complaint) => !/status of (422|404)/.test(complaint))).toEqual([]);
});
