import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineOrderUpdate } from '@orders/schema';
import { buildOrderUpdate, documentedExample, type MockOrderService } from '@orders/testing';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { fieldNames } from '../src/contract/desk-update.ts';
import { startDesk } from '../src/server/start-desk.ts';
import { pageDirectory } from './open-test-desk.ts';
import { openTestPage } from './open-test-page.ts';
import { prepareTestOrders } from './prepare-test-orders.ts';
import { readStream } from './read-stream.ts';

const openOrder = prepareTestOrders();

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const send = (page: Page) => button(page, 'Send update').click();
/** The bar that an update is sent from. */
const dock = (page: Page) => page.getByRole('region', { name: 'Sending', exact: true });
const told = (page: Page, text: string) => dock(page).getByText(text, { exact: true }).waitFor();
const steps = (page: Page) => page.getByRole('region', { name: 'Latest update' }).getByRole('listitem');
/** What the order service received for an order. */
const sentTo = (token: string, { journal }: Pick<MockOrderService, 'journal'>) =>
  journal.filter((entry) => entry.token === token);
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const views = (page: Page) => page.getByRole('navigation', { name: 'Views' });

/** Notes everything that the bar tells from now on. */
async function watchDock(page: Page): Promise<() => Promise<string>> {
  const seen = await page.getByRole('region', { name: 'Sending', exact: true }).evaluateHandle((element) => {
    const texts: string[] = [];
    const note = () => texts.push(element.textContent ?? '');
    new MutationObserver(note).observe(element, { childList: true, subtree: true, characterData: true });
    return texts;
  });
  return () => seen.evaluate((texts) => texts.join('; '));
}

const patience = { timeout: 5_000 };
const busy = { type: 'status', status: 429, headers: { 'retry-after': '1' } } as const;
const lostAfterwards = { type: 'reset_after_applying' } as const;

test('takes a bad quantity to its field as it is typed, and sends exactly what is typed once mended', async () => {
  const { page, service, token } = await openOrder(documentedExample());
  await heading(page, 'merchant-order-1001').waitFor();
  const quantity = field(page, 'Quantity, line 1');
  await quantity.fill('');
  await quantity.pressSequentially('2.5');
  await page.locator('strong', { hasText: 'got 2.5' }).waitFor();
  await page.getByText('whole numbers').last().waitFor();
  expect(await quantity.getAttribute('aria-invalid')).toBe('true');
  await send(page);
  await told(page, '1 field needs mending');
  expect(sentTo(token, service)).toEqual([]);

  await quantity.fill('3');
  await field(page, 'Name, line 1').fill('Blue mug, "large" ☕');
  await field(page, 'V.A.T., line 1').fill('');
  await field(page, 'Order number').fill('');
  await page.getByRole('radiogroup', { name: 'Express shipping' }).getByText('Left out').click();
  await page.getByRole('button', { name: 'Add line' }).click();
  await field(page, 'SKU, line 3').fill('GIFT-1');
  await field(page, 'Unit price, line 3').fill('-500');
  await field(page, 'Terms').fill('https://shop.example/new terms');
  await page.locator('strong', { hasText: 'got "https://shop.example/new terms"' }).waitFor();
  await field(page, 'Terms').fill('https://shop.example/new-terms');
  await send(page);

  await told(page, 'Applied');
  const { order_id: _, express_shipping: __, cart, ...kept } = documentedExample();
  const [first, second] = cart.items ?? [];
  const { vat_amount: ___, ...mug } = first ?? {};
  expect(service.appliedUpdates(token)).toEqual([
    {
      ...kept,
      cart: {
        items: [
          { ...mug, name: 'Blue mug, "large" ☕', quantity: 3 },
          second,
          { type: 'physical', sku: 'GIFT-1', quantity: 1, unit_price: -500 },
        ],
      },
      hooks: { ...kept.hooks, terms_url: 'https://shop.example/new-terms' },
    },
  ]);
});

test('shows beforehand what will be sent, without the key, and what keeps it from being sent', async () => {
  const { page, service, token } = await openOrder(documentedExample());
  await field(page, 'Order number').fill('typed-just-now');
  await button(page, 'What will be sent').click();
  const dialog = page.getByRole('dialog', { name: 'What will be sent' });
  await dialog.getByText('Authorization: Basic [hidden]').waitFor();
  await dialog.getByText('"order_id": "typed-just-now"').waitFor();
  expect(await dialog.textContent()).toContain(`PATCH ${service.url}/v2/orders/${token}`);
  expect(await dialog.getByText('curl ').textContent()).toContain('ORDERS_API_KEY');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(sentTo(token, service)).toEqual([]);

  await field(page, 'Quantity, line 1').fill('2.5');
  await button(page, 'What will be sent').click();
  await dialog.getByText('This cannot be sent yet').waitFor();
  await dialog.getByText('cart.items[0].quantity').waitFor();
  await button(page, 'Close').click();
  await dialog.waitFor({ state: 'hidden' });
});

/** The stream of events from the first on, as far as the first update that was settled. */
async function readEvents(url: string): Promise<string> {
  const told: unknown[] = [];
  for await (const message of readStream(await fetch(`${url}/api/events?after=0`))) {
    told.push(message);
    if (JSON.stringify(message).includes('update_settled')) break;
  }
  return JSON.stringify(told);
}

test('tells outcome, attempts, status and receipt, and keeps the key to itself', async () => {
  await using open = await openTestPage({ keepAnswers: true });
  const { page, service } = open;
  await send(page);
  await told(page, 'Applied');
  expect(await dock(page).textContent()).toContain('Attempts1Status200');
  await button(page, 'Receipt').click();
  await page.getByText('"outcome": "applied"').waitFor();
  await button(page, 'What was sent').click();
  await page.getByText('"items": [').waitFor();
  await button(page, 'What will be sent').click();
  await page.getByText('[hidden]').waitFor();
  await page.keyboard.press('Escape');
  for (const name of ['Bulk', 'Switchboard', 'Decisions']) {
    await views(page).getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  }

  const secrets = [service.key, Buffer.from(`${service.key}:`).toString('base64')];
  const files = (await readdir(pageDirectory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
  const texts = await Promise.all([...open.answers, ...files, page.content(), readEvents(open.desk.url)]);
  expect(texts.length).toBeGreaterThan(15);
  expect(texts.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  expect(open.complaints).toEqual([]);
});

test('takes an error that only the server finds to its field', async () => {
  await using open = await openTestPage({
    draft: buildOrderUpdate({ purchase_currency: 'EUR', order_id: 'shop-1' }),
    schema: defineOrderUpdate({ currencies: ['NOK'] }),
  });
  const { page, service } = open;
  const currency = page.getByRole('combobox', { name: 'Currency' });
  await currency.waitFor();
  expect(await currency.getAttribute('aria-invalid')).not.toBe('true');
  await send(page);
  await page.locator('strong', { hasText: '"EUR"' }).waitFor();
  await told(page, 'Not sent: 1 field needs mending');
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  expect(await currency.getAttribute('aria-invalid')).toBe('true');
  expect(service.journal).toEqual([]);

  await currency.fill('NOK');
  await page.keyboard.press('Enter');
  await send(page);
  await told(page, 'Applied');
  expect(service.appliedUpdates('order-1')).toMatchObject([{ purchase_currency: 'NOK' }]);
  // The browser itself tells of the 422, and of nothing else.
  expect(open.complaints).toEqual([expect.stringContaining('422')]);
});

test('draws a 429 that recovers as it happens, here and in every other window', async () => {
  await using open = await openTestPage({ retry: { maxAttempts: 3 }, others: ['order-2'] });
  const { page, context, desk, service } = open;
  const other = await context.newPage();
  await other.goto(`${desk.url}/orders/order-2`);
  await heading(other, 'Order …er-2').waitFor();
  service.faults.next([busy, { type: 'latency', ms: 300 }]);
  const drawn = await watchDock(page);
  await send(page);
  await steps(page).getByText('Waiting 1.0 s', { exact: true }).waitFor();
  await other.getByRole('link', { name: /Order …er-1.*Sending/ }).waitFor();
  await told(page, 'Applied');
  expect(await drawn()).toMatch(
    /Attempt 2 in.*Answer 429.*Sending, attempt 2.*AppliedThe order service took/,
  );
  expect(await dock(page).textContent()).toContain('Attempts2Status200');
  const titles = await steps(page).locator('p:first-of-type').allTextContents();
  expect(titles).toEqual(['Queued', 'Attempt 1', 'Waited 1.0 s', 'Attempt 2', 'Applied']);
  await other.getByRole('link', { name: /Order …er-1.*Applied/ }).waitFor();
  expect(service.appliedUpdates('order-1')).toHaveLength(1);
  expect(open.complaints).toEqual([]);
});

test('leaves an unknown outcome to a person: discarded beside the order, or sent again from the decisions', async () => {
  await using open = await openTestPage();
  const { page, service } = open;
  service.faults.next([lostAfterwards, lostAfterwards]);
  await send(page);
  await told(page, 'Unknown');
  await views(page).getByRole('link', { name: 'Decisions 1 waiting' }).waitFor();
  await page.getByText('it may be applied twice').waitFor();
  await button(page, 'Discard').click();
  await told(page, 'Discarded');
  await views(page).getByRole('link', { name: 'Decisions', exact: true }).waitFor();
  expect(service.appliedUpdates('order-1')).toHaveLength(1);

  await send(page);
  await told(page, 'Unknown');
  await views(page).getByRole('link', { name: 'Decisions 1 waiting' }).click();
  await page.getByRole('heading', { name: 'Update of Order …er-1' }).waitFor();
  await button(page, 'Send again').click();
  await heading(page, 'Nothing waits for you').waitFor();
  await service.waitForRequests(3);
  expect(service.appliedUpdates('order-1')).toHaveLength(3);
  await button(page, 'To the orders')
    .or(page.getByRole('link', { name: 'To the orders' }))
    .click();
  await told(page, 'Applied');
  await page.getByText('This sends an earlier update again.').waitFor();
  expect(await page.getByRole('region', { name: 'Earlier updates' }).textContent()).toMatch(
    /Sent again.*Discarded/,
  );
  expect(open.complaints).toEqual([]);
});

test('puts the session of a scanned QR code into the next update', async () => {
  const { page, service, token } = await openOrder();
  const panel = page.getByRole('region', { name: 'QR payment', exact: true });
  await panel.getByText('does not know this address yet').waitFor();
  expect(await button(page, 'Play the scanner').getAttribute('aria-disabled')).toBe('true');
  await panel.getByRole('button', { name: 'Put it into the form' }).click();
  await panel.getByText('It is in the form and goes out with the next update.').waitFor();
  await send(page);
  await panel.getByText('The order service knows this address.').waitFor();

  await button(page, 'Play the scanner').click();
  await panel.getByText('Scanned.').waitFor();
  await panel.getByText('Arrived').waitFor();
  await panel.getByText('It is in the form and goes out with the next update.').waitFor();
  const session = await field(page, 'QR session').inputValue();
  expect(session).toMatch(/^qr_/);
  expect(await panel.textContent()).toContain(session);
  await send(page);
  await panel.getByText('It went out with the last update.').waitFor();
  const [, sent] = service.appliedUpdates(token);
  expect(sent).toMatchObject({ [fieldNames.qrSessionId]: session });
});

test('tells how a scan arrives where the order service is another’s', async () => {
  await using open = await openTestPage({ ownService: false });
  const { page } = open;
  await button(page, 'Put it into the form').click();
  await send(page);
  await page.getByText('The order service knows this address.').waitFor();
  await button(page, 'Play the scanner').click();
  await page.getByText('Only the desk’s own order service can play a scan.').waitFor();
  await page.getByText('when a buyer scans the code, the order service calls the address').waitFor();
});

test('hands an update over once when the answer of the desk is lost', async () => {
  const { page, service, token } = await openOrder();
  const ids: string[] = [];
  await page.route('**/api/orders/*/updates', async (route: Route) => {
    ids.push(route.request().postDataJSON().id);
    const answer = await route.fetch();
    await (ids.length < 3 ? route.abort() : route.fulfill({ response: answer }));
  });
  await send(page);
  await told(page, 'Applied');
  await expect.poll(() => ids.length, patience).toBe(3);
  expect(new Set(ids).size).toBe(1);
  expect(service.appliedUpdates(token)).toHaveLength(1);
});

test('finds out whether the desk took an update of which no answer came', async () => {
  const { page, service, token } = await openOrder();
  await page.route('**/api/orders/*/updates', (route) => route.abort());
  await page.route('**/api/updates/*', (route) => route.abort());
  await send(page);
  await told(page, 'Handing over…');
  await told(page, 'The desk does not answer');
  await page.unroute('**/api/updates/*');
  await told(page, 'Not handed over');
  expect(sentTo(token, service)).toEqual([]);
  await page.unroute('**/api/orders/*/updates');
  await send(page);
  await told(page, 'Applied');
});

test('says when nothing left, when the service refused, and when the desk is away', async () => {
  await using open = await openTestPage({ strangers: ['order-2'] });
  const { page, desk, service } = open;
  await page.getByRole('link', { name: /Order …er-2/ }).click();
  await heading(page, 'Order …er-2').waitFor();
  await send(page);
  await told(page, 'Rejected');

  await service.close();
  await send(page);
  await told(page, 'Not sent');

  await page.getByText('Live', { exact: true }).waitFor();
  await desk.close();
  await page.getByText('The desk’s server does not answer; trying again').waitFor();
  await send(page);
  await told(page, 'The desk does not answer');
});

test('hears what it missed when the desk comes back', async () => {
  await using open = await openTestPage();
  const { page, desk, updates } = open;
  await page.getByText('Live', { exact: true }).waitFor();
  await desk.close();
  await page.getByText('The desk’s server does not answer; trying again').waitFor();
  const id = '00000000-0000-4000-8000-000000000001';
  await updates.submit({ id, token: 'order-1', body: buildOrderUpdate() });
  await updates.settled(id);
  const port = Number(new URL(desk.url).port);
  await using _ = await startDesk({ ...open, desk: updates, pageDirectory, port });
  await page.getByText('Live', { exact: true }).waitFor();
  await told(page, 'Applied');
});

test('sends once by a double click', async () => {
  const { page, service, token } = await openOrder();
  await button(page, 'Send update').dblclick({ delay: 40 });
  await told(page, 'Applied');
  expect(sentTo(token, service)).toHaveLength(1);
});

test('keeps what was typed into one order while another is looked at, and over a reload', async () => {
  await using open = await openTestPage({ others: ['order-2'] });
  const { page } = open;
  await field(page, 'SKU, line 1').fill('TYPED');
  await page.getByRole('link', { name: /Order …er-2/ }).click();
  await heading(page, 'Order …er-2').waitFor();
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('SKU-1');
  await page.getByRole('link', { name: /Order …er-1.*Edited/ }).click();
  await heading(page, 'Order …er-1').waitFor();
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('TYPED');
  await page.reload();
  await heading(page, 'Order …er-1').waitFor();
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('TYPED');
});

test('is worked by the keyboard alone, and Enter in a field never sends', async () => {
  await using open = await openTestPage({
    draft: buildOrderUpdate({ cart: { items: [{ quantity: 1 }, { quantity: 1 }] } }),
  });
  const { page, service } = open;
  await field(page, 'Quantity, line 1').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');

  await views(page).getByRole('link', { name: 'Decisions' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Nothing waits for you');
  expect(await page.title()).toBe('Decisions · Merchant’s desk');
  await page.goBack();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Order …er-1');
  expect(await page.title()).toBe('Order …er-1 · Merchant’s desk');
  await page.goForward();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Nothing waits for you');
  await views(page).getByRole('link', { name: 'Orders' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.textContent === 'Order …er-1');

  await field(page, 'Quantity, line 1').focus();
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(
    'cart.items.1.quantity',
  );
  await page.keyboard.type('25');
  await page.keyboard.press('Control+Enter');
  await told(page, 'Applied');
  expect(service.appliedUpdates('order-1')).toEqual([
    { cart: { items: [{ quantity: 1 }, { quantity: 25 }] } },
  ]);
});

test('finds an order among many', async () => {
  const others = Array.from({ length: 9 }, (_, index) => `shelf-${index}`);
  await using open = await openTestPage({ others });
  const { page } = open;
  const orders = page.getByRole('navigation', { name: 'Orders' }).getByRole('link');
  const find = page.getByRole('searchbox', { name: 'Find an order' });
  await find.fill('SHELF-7');
  expect(await orders.allTextContents()).toEqual([expect.stringContaining('lf-7')]);
  await find.fill('nothing like it');
  await page.getByText('No order has “nothing like it”').waitFor();
  await button(page, 'Show every order').click();
  expect(await orders.count()).toBe(10);
});

test('says so where an address leads to no order or no view', async () => {
  await using open = await openTestPage();
  const { page, desk } = open;
  await page.goto(`${desk.url}/orders/no%2Fsuch%20order`);
  await heading(page, 'This desk does not know the order').waitFor();
  await page.getByRole('link', { name: 'To the orders' }).click();
  await heading(page, 'Order …er-1').waitFor();
});

test('is light or dark as the system says, or as one chooses, and stays so', async () => {
  await using open = await openTestPage();
  const { page } = open;
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(background, patience).toBe('rgb(20, 24, 28)');
  await page.getByRole('radiogroup', { name: 'Colours' }).getByText('Light').click({ force: true });
  await expect.poll(background, patience).toBe('rgb(244, 246, 248)');
  await page.reload();
  await expect.poll(background, patience).toBe('rgb(244, 246, 248)');
});

test('has no way to scroll sideways on a narrow phone, and a bar that keeps its height', async () => {
  await using open = await openTestPage({ draft: documentedExample() });
  const { page, service } = open;
  await page.setViewportSize({ width: 360, height: 740 });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  const height = async () => (await dock(page).boundingBox())?.height;
  await field(page, 'Quantity, line 1').waitFor();
  const heights = [await height()];
  await field(page, 'Quantity, line 1').fill('2.5');
  await told(page, '1 field needs mending');
  heights.push(await height());
  expect(await width()).toBe(360);
  await field(page, 'Quantity, line 1').fill('2');
  service.faults.next(lostAfterwards);
  await send(page);
  await told(page, 'Unknown');
  heights.push(await height());
  expect(new Set(heights).size).toBe(1);
  await dock(page).getByRole('link', { name: 'Details' }).click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('activity');
  expect(await width()).toBe(360);
  await views(page)
    .getByRole('link', { name: /Decisions/ })
    .click();
  await heading(page, 'Decisions').waitFor();
  expect(await width()).toBe(360);
});
