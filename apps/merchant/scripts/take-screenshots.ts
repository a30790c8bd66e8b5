/** Takes a picture of every view of the desk, in each way it is looked at, for a person to look at. The page must be built. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { type OpenDesk, openDesk } from '../src/boot/open-desk.ts';
import type { Settings } from '../src/boot/read-arguments.ts';

const folder = join(import.meta.dirname, '../screenshots');
mkdirSync(folder, { recursive: true });

const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'tablet', colorScheme: 'light', viewport: { width: 900, height: 1100 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const;

const badJson = `{
  "order_id": "merchant-order-1001",
  "cart": {
    "items": [
      { "type": "physical", "sku": 4711, "quantity": "2", "unit_price": 399.7999999999997 }
    ]
  },
  "require_shipping": "true",
  "webhook_url": "https://shop.example/hooks"
}`;

const desk = await open('client');
const outboxDesk = await open('outbox');
const bulk = [
  'token,order_id,cart.items[0].sku,cart.items[0].quantity,cart.items[0].unit_price',
  ...Array.from(
    { length: 60 },
    (_, row) => `${desk.service.tokens[row % 4]},shop-${row},MUG-${row},${row === 7 ? '"2.5"' : '2'},14900`,
  ),
].join('\n');

const browser = await launchBrowser();
try {
  for (const look of looks) await takeAll(look);
} finally {
  await browser.close();
  await desk.close();
  await outboxDesk.close();
}

function open(sendsThrough: Settings['sendsThrough']): Promise<OpenDesk> {
  const service = { kind: 'own', port: 0 } as const;
  return openDesk(
    { host: '127.0.0.1', port: 0, data: 'memory', service, sendsThrough },
    { warn: (line) => process.stderr.write(`${line}\n`) },
  );
}

async function takeAll({ name, colorScheme, viewport }: (typeof looks)[number]): Promise<void> {
  const context = await browser.newContext({
    colorScheme,
    viewport,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  let number = 0;
  const take = async (view: string, fullPage = false): Promise<void> => {
    const file = join(folder, `${name}-${String(++number).padStart(2, '0')}-${view}.png`);
    await page.screenshot({ path: file, fullPage });
    process.stdout.write(`${file}\n`);
  };
  const set = (trouble: string): Promise<unknown> => setTrouble(desk, trouble);

  await set('none');
  await page.goto(desk.url);
  await page.getByRole('button', { name: 'Send update' }).waitFor();
  await take('order');
  await take('order-whole', true);
  await page.getByRole('textbox', { name: 'Quantity, line 1', exact: true }).fill('2.5');
  await page.getByText('whole numbers').last().waitFor();
  await take('hint');
  await page.getByRole('textbox', { name: 'Quantity, line 1', exact: true }).fill('3');
  await page.getByRole('button', { name: 'What will be sent' }).click();
  await page.getByText('ORDERS_API_KEY').first().waitFor();
  await take('prepared');
  await page.keyboard.press('Escape');
  await paste(page, take);
  await set('busy');
  await page.getByRole('button', { name: 'Send update' }).click();
  await page.getByText('429').first().waitFor();
  await take('waiting');
  await set('none');
  await page.getByRole('status').getByText('Applied', { exact: true }).waitFor();
  await take('applied');
  await set('failing');
  await page.getByRole('button', { name: 'Send update' }).click();
  await page.getByRole('status').getByText('Unknown', { exact: true }).waitFor();
  await take('unknown', true);
  await page.goto(`${desk.url}/decisions`);
  await page.getByRole('button', { name: 'Discard' }).first().waitFor();
  await take('decisions');

  await set('none');
  await page.goto(`${desk.url}/switchboard`);
  await page.getByRole('button', { name: /^Send \d+ update/ }).click();
  await page.getByText('Applied').first().waitFor();
  await take('switchboard', true);
  await page.goto(`${desk.url}/bulk`);
  await page.getByRole('main').waitFor();
  await take('bulk');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(bulk) });
  await page.getByRole('button', { name: /^Send \d/ }).waitFor();
  await take('bulk-preview');
  await page.getByRole('button', { name: /^Send \d/ }).click();
  await page.getByRole('table').getByText('Applied').first().waitFor();
  await take('bulk-done');
  await page.goto(`${desk.url}/orders/none`);
  await page.getByRole('main').waitFor();
  await take('no-such-order');
  await takeOutbox(page, take);
  await context.close();
}

function setTrouble({ url }: Pick<OpenDesk, 'url'>, trouble: string): Promise<unknown> {
  return fetch(`${url}/api/switchboard`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ trouble, percent: 100 }),
  });
}

async function takeOutbox(
  page: Page,
  take: (view: string, fullPage?: boolean) => Promise<void>,
): Promise<void> {
  const { url, storage, updates, service } = outboxDesk;
  const submit = (token: string) =>
    updates.submit({ id: randomUUID(), token, body: { cart: { items: [{ sku: 'MUG', quantity: 2 }] } } });
  const [first = '', second = '', third = ''] = service.tokens;
  for (const { id } of await storage.updates.listUndecided(100)) await updates.decide(id, 'discarded');
  await setTrouble(outboxDesk, 'none');
  await page.goto(`${url}/outbox`);
  await page.getByText('Nothing waits for you').waitFor();
  await page.getByText('Nothing is queued').waitFor();
  await take('outbox-empty');

  // The order service knows no such order, so it refuses what is sent to it.
  await storage.orders.add([{ token: 'ord_forgotten', body: { order_id: 'merchant-order-0999', cart: {} } }]);
  await submit('ord_forgotten');
  await page.getByText('Rejected: later updates').waitFor();
  await setTrouble(outboxDesk, 'failing');
  await submit(first);
  await submit(first);
  await page.getByText('Needs review: its outcome is unknown').waitFor();
  await setTrouble(outboxDesk, 'busy');
  for (const token of [second, second, third]) await submit(token);
  await page.getByText('last: Answer 429').nth(1).waitFor();
  await take('outbox');
  await take('outbox-whole', true);
  await page.goto(`${url}/switchboard`);
  await page.getByRole('listitem').getByText('Waiting for attempt').first().waitFor();
  await page.locator('.chart-latency .outcome-point').first().waitFor();
  await take('outbox-switchboard', true);
  await page.goto(`${url}/orders/${third}`);
  await page.getByText('Waiting for attempt').first().waitFor();
  await take('outbox-waiting');
}

async function paste(page: Page, take: (view: string) => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Paste JSON' }).click();
  await page.getByRole('dialog').getByRole('textbox').first().fill(badJson);
  await page.getByText('399.79').last().waitFor();
  await take('paste');
  await page.keyboard.press('Escape');
}
