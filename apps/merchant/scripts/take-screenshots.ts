/** Takes a screenshot of every view, in each way it is looked at, for a person to look at. The page must be built. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { mockService } from '../fault-injection/mock-service.ts';
import { startMerchantApp } from '../server/start.ts';
import type { FaultSetting } from '../shared/api.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../screenshots');
mkdirSync(folder, { recursive: true });

const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  // A window of 1280 by 800 at 200% zoom.
  { name: 'zoom', colorScheme: 'light', viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
] as const;

const connect = mockService();
const pageFolder = process.argv[3] ?? join(import.meta.dirname, '../dist/page');
const app = await startMerchantApp({ data: 'memory', connect, log: () => {}, pageFolder });
const browser = await launchBrowser();
try {
  for (const look of looks) {
    const context = await browser.newContext({ ...look, reducedMotion: 'reduce', locale: 'en-GB' });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await takeAll(page, look.name);
    await context.close();
  }
} finally {
  await browser.close();
  await app.close();
}

async function takeAll(page: Page, look: string): Promise<void> {
  let number = 0;
  const take = async (view: string, fullPage = true): Promise<void> => {
    const file = join(folder, `${look}-${String(++number).padStart(2, '0')}-${view}.png`);
    if (fullPage) await page.evaluate(() => window.scrollTo(0, 0));
    await page.screenshot({ path: file, fullPage });
    process.stdout.write(`${file}\n`);
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const [first, second, third] = connect.service().orders;
  const openOrder = (order = first) => page.goto(`${app.url}/orders/${order?.token}`);

  await setScenario('healthy');
  await discardAll();
  await page.goto(app.url);
  await page.getByRole('table').waitFor();
  await take('orders');
  await openOrder();
  await button('Send update').waitFor();
  await take('order');
  await take('order-window', false);
  const price = page.getByRole('textbox', { name: 'Price' }).first();
  await price.fill('1 299');
  await price.blur();
  await button('Send update').click();
  await page.getByText('Fix 1 field').waitFor();
  await page.waitForFunction(() => document.activeElement?.matches('[aria-invalid=true]'));
  await take('order-fix', false);
  await price.fill('1299');
  await button('Preview').click();
  await page.getByRole('region', { name: 'curl command' }).waitFor();
  await take('preview', false);
  await page.keyboard.press('Escape');
  await button('Send update').click();
  await page.getByRole('status').getByText('Applied', { exact: true }).waitFor();
  await take('order-applied', false);
  await button('Buyer and QR payment').click();
  await page.getByText('To take a QR payment').waitFor();
  await take('order-qr');
  await setScenario('lostResponse');
  await openOrder(second);
  await button('Send update').click();
  await button('It was applied').waitFor();
  await take('order-unknown');
  await button('Send again').click();
  await page.getByRole('dialog').waitFor();
  await take('decision', false);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await price.fill('950');
  await page.getByText('VAT and totals are sent as they are typed').waitFor();
  await button('Send update').click();
  await page.locator('.send-bar').getByText('Waits for your decision').waitFor();
  await take('order-waiting');
  await page.goto(app.url);
  await page.getByText('Waits for you', { exact: true }).first().waitFor();
  await take('orders-waiting');
  await page.goto(`${app.url}/review`);
  await button('Discard').first().waitFor();
  await take('review');
  await setScenario('rateLimited');
  await openOrder(third);
  await button('Send update').click();
  await page.getByText('429').first().waitFor();
  await take('order-paused', false);
  await page.goto(`${app.url}/fault-injection`);
  await button('Back to normal').waitFor();
  await button('Send the burst').click();
  await page.getByRole('img', { name: /attempt/ }).waitFor();
  await take('fault-injection');
  await setScenario('healthy');
  await page.goto(`${app.url}/bulk`);
  await page.getByText('Drop a CSV').waitFor();
  await take('bulk-files');
  const tokens = connect.service().orders.map(({ token }) => token);
  const rows = Array.from(
    { length: 60 },
    (_, row) => `${tokens[3]},shop-${row},MUG-${row},${row === 7 ? '2.5' : 2},14900`,
  );
  const csv = [
    'token,order_id,cart.items[0].sku,cart.items[0].quantity,cart.items[0].unit_price',
    ...rows,
  ].join('\n');
  const file = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.locator('input[type=file]').setInputFiles(file);
  await button(/^Send 59/).waitFor();
  await take('bulk-file', false);
  await button(/^Send 59/).click();
  await page.getByRole('table').getByText('Applied').first().waitFor();
  await take('bulk-sending', false);
  await setScenario('lostResponse');
  await page.goto(`${app.url}/bulk`);
  const behind = `${tokens[4]},shop-1,MUG`;
  const waiting = ['token,order_id,cart.items[0].sku', behind, behind].join('\n');
  await page
    .locator('input[type=file]')
    .setInputFiles({ ...file, name: 'waiting.csv', buffer: Buffer.from(waiting) });
  await button(/^Send 2/).click();
  await page.getByText(/^1 update waits for your decision/).waitFor();
  await take('bulk-waiting', false);
  await page.goto(`${app.url}/bulk`);
  await page.getByRole('link', { name: 'waiting.csv' }).first().waitFor();
  await take('bulk-files-waiting');
  await setScenario('healthy');
  await page.goto(`${app.url}/orders/none`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await take('not-found');
}

function setScenario(scenario: FaultSetting['scenario']): Promise<unknown> {
  return fetch(`${app.url}/api/fault-injection`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', origin: app.url },
    body: JSON.stringify({ scenario, percent: 100 }),
  });
}

/** Takes the decisions that another look has left open, and lets what waited for them be sent. */
async function discardAll(): Promise<void> {
  const { outbox } = app;
  for (const { id } of await outbox.list({ states: ['needs_review'] })) await outbox.discard(id);
  await outbox.resume();
  await outbox.drain({ maxMs: 10_000 });
}
