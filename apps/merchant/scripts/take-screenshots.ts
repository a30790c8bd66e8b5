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
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 740 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 740 } },
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
  const take = async (view: string): Promise<void> => {
    const file = join(folder, `${view}-${look}.png`);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.screenshot({ path: file, fullPage: true });
    process.stdout.write(`${file}\n`);
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const open = async (path: string, heading: string | RegExp) => {
    await page.goto(app.url + path);
    await page.getByRole('heading', { name: heading }).first().waitFor();
  };
  const [first, second] = connect.service().orders.map(({ token }) => token);
  await connect.service().webhooks.send('start_qr_session', { token: first });
  await open('/', 'Orders');
  await page.getByRole('table').waitFor();
  await take('orders');
  // One of each kind: an order as it is, fields to fix, and an unknown outcome that another update waits for.
  await open(`/orders/${first}`, 'Updates');
  await take('order');
  await page.getByRole('textbox', { name: 'Price' }).first().fill('1 299');
  await button('Send update').click();
  await page.getByText('Fix 1 field').waitFor();
  await button('Buyer and QR payment').click();
  await page.getByText('Scanned at').waitFor();
  await take('order-fix');
  await setScenario('lostResponse');
  await open(`/orders/${second}`, 'Updates');
  await button('Send update').click();
  await button('Send again').first().click();
  await page.getByRole('textbox', { name: 'Price' }).first().fill('950');
  await button('Send update').click();
  await page.locator('.send-bar').getByText('Waits for your decision').waitFor();
  await take('order-waiting');
  // As if its handler had failed ten times.
  await app.parts.store.query(
    `insert into orders_outbox.events (id, token, position, state, message)
     values ('scan', $1, 0, 'needs_review', '"Another transaction holds this order."') on conflict do nothing`,
    [second],
  );
  await open('/review', 'Needs review');
  await page.getByRole('heading', { name: '1 webhook not handled' }).waitFor();
  await button('Discard').first().waitFor();
  await take('review');
  await open('/bulk', 'Bulk files');
  await take('bulk-files');
  const rows = Array.from({ length: 30 }, (_, row) => `${second},shop-${row},MUG,${row === 7 ? 2.5 : 2}`);
  const csv = ['token,order_id,cart.items[0].sku,cart.items[0].quantity', ...rows].join('\n');
  const file = { name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.locator('input[type=file]').setInputFiles(file);
  await button(/^Send 29/).click();
  await page.getByText(/^29 updates wait/).waitFor();
  await take('bulk-file');
  await open('/fault-injection', 'Fault injection');
  await page.getByRole('img', { name: /updates? in slots/ }).waitFor();
  await take('fault-injection');
  await setScenario('healthy');
  await discardAll();
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
  await outbox.drain({ maxMs: 10_000 });
}
