import { buildOrderUpdate, documentedExample } from '@orders/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { fieldNames } from '../src/contract/desk-update.ts';
import { findViolations } from './find-violations.ts';
import { prepareTestOrders } from './prepare-test-orders.ts';

const openOrder = prepareTestOrders();

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const menuItem = (page: Page, name: string) => page.getByRole('menuitem', { name });
const send = (page: Page) => button(page, 'Send update').click();
const dock = (page: Page) => page.getByRole('region', { name: 'Sending', exact: true });
const told = (page: Page, text: string) => dock(page).getByText(text, { exact: true }).waitFor();
const heard = (page: Page, text: string) => page.locator('[aria-live=polite]', { hasText: text }).waitFor();
const state = (page: Page, text: string | RegExp) => page.locator('.editor-draft').getByText(text).waitFor();
/** What a field says of itself. */
const says = (page: Page, text: string) => page.locator('strong').getByText(text, { exact: true }).waitFor();
const put = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Put it into the form' });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('name'));

/** The SKUs from top to bottom, as they are drawn. */
const skus = (page: Page) =>
  page
    .locator('.cart-row')
    .evaluateAll((rows) =>
      rows
        .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
        .map((row) => row.querySelector<HTMLInputElement>('[name$=".sku"]')?.value),
    );

function cartOf(...names: string[]) {
  return buildOrderUpdate({ cart: { items: names.map((sku) => ({ sku, quantity: 1 })) } });
}

test('reorders, duplicates and removes lines by keyboard, says so, and takes a removal back', async () => {
  const { page, service, token } = await openOrder(cartOf('A', 'B', 'C'));
  await field(page, 'SKU, line 1').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await heard(page, 'Line 1 is line 2 now.');
  expect(await skus(page)).toEqual(['B', 'A', 'C']);
  expect(await focused(page)).toBe('cart.items.1.sku');
  await page.keyboard.press('Alt+ArrowDown');
  await page.keyboard.press('Alt+ArrowDown');
  await heard(page, 'This is the last line.');
  expect(await skus(page)).toEqual(['B', 'C', 'A']);
  await page.keyboard.type('!');

  await button(page, 'Actions for line 1').press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heard(page, 'Duplicated as line 2.');
  expect(await focused(page)).toBe('cart.items.1.sku');
  await field(page, 'SKU, line 2').fill('B2');

  await field(page, 'Quantity, line 3').fill('7');
  await button(page, 'Remove line 3').click();
  await heard(page, 'Line 3 removed.');
  expect(await skus(page)).toEqual(['B', 'B2', expect.stringContaining('!')]);
  await page.keyboard.press('Alt+z');
  await heard(page, 'Line 3 is back.');
  expect(await focused(page)).toBe('cart.items.2.sku');
  await page.locator('.undo').waitFor({ state: 'detached' });

  await send(page);
  await told(page, 'Applied');
  expect(service.appliedUpdates(token)).toEqual(
    [
      cartOf('B', 'B2', 'C', 'A!').cart.items?.map((line) =>
        line.sku === 'C' ? { ...line, quantity: 7 } : line,
      ),
    ].map((items) => ({ cart: { items } })),
  );
});

test('reorders a line by dragging it', async () => {
  const { page } = await openOrder(cartOf('A', 'B', 'C'));
  await page.locator('.cart-row[draggable=true]').nth(2).waitFor();
  const last = page.locator('.cart-row').nth(2);
  const height = (await last.boundingBox())?.height ?? 0;
  const first = page.locator('.cart-handle').first();
  await first.dragTo(last, { targetPosition: { x: 60, y: height - 4 } });
  await heard(page, 'Line 1 is line 3 now.');
  expect(await skus(page)).toEqual(['B', 'C', 'A']);
});

test('takes a bad line far down a long cart into view, and to its field', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `SKU-${index + 1}`);
  const { page } = await openOrder(cartOf(...names));
  await field(page, 'SKU, line 1').waitFor();
  expect(await page.locator('.cart-row').count()).toBeLessThan(60);
  const find = page.getByRole('searchbox', { name: 'Find a line' });
  await find.fill('sku-299');
  await page.getByText('1 of 1').waitFor();
  await find.press('ArrowDown');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'cart.items.298.sku');
  await field(page, 'Quantity, line 299').fill('2.5');
  await find.fill('');
  await field(page, 'SKU, line 1').click();
  await field(page, 'Quantity, line 299').waitFor({ state: 'detached' });

  // What has the focus stays, wherever one scrolls.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await field(page, 'SKU, line 300').waitFor();
  await page.keyboard.press('End');
  await page.keyboard.type('!');
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('SKU-1!');
  await page.evaluate(() => window.scrollTo(0, 0));
  await field(page, 'SKU, line 300').waitFor({ state: 'detached' });

  await send(page);
  await page.waitForFunction(
    () => document.activeElement?.getAttribute('name') === 'cart.items.298.quantity',
  );
  expect(
    await field(page, 'Quantity, line 299').evaluate((input) => {
      const { top, bottom } = input.getBoundingClientRect();
      const below = document.querySelector('.dock')?.getBoundingClientRect().top ?? 0;
      return top > 60 && bottom < below;
    }),
  ).toBe(true);
  await page.getByText('got 2.5').first().waitFor();
  await field(page, 'Quantity, line 299').fill('3');
  await page.keyboard.press('Enter');
  expect(await focused(page)).toBe('cart.items.299.quantity');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  expect(await focused(page)).toBe('cart.items.299.quantity');
});

test('says where a shipping address is not JSON, tidies it, and sends it as it is', async () => {
  const { page, service, token } = await openOrder();
  const address = field(page, 'Address as JSON');
  await address.fill('{"city": "Oslo",\n"zip": 0155}');
  await says(page, 'Line 2, column 9: A number cannot begin with 0.');
  expect(await address.getAttribute('aria-invalid')).toBe('true');
  await address.fill('["Oslo"]');
  await says(page, 'Expected an object, got a list.');
  await address.fill('{"city": "Oslo","zip": "0155"}');
  await page.getByText('An object; which fields it has is up to you.').waitFor();
  await button(page, 'Tidy').click();
  await expect.poll(() => address.inputValue()).toBe('{\n  "city": "Oslo",\n  "zip": "0155"\n}');
  await send(page);
  await told(page, 'Applied');
  expect(service.appliedUpdates(token)).toMatchObject([{ shipping_address: { city: 'Oslo', zip: '0155' } }]);
});

test('searches currencies by code and name, and takes any text', async () => {
  const { page } = await openOrder();
  const currency = page.getByRole('combobox', { name: 'Currency' });
  await currency.click();
  expect(await page.getByRole('option').count()).toBeGreaterThan(150);
  await currency.fill('kron');
  await page.getByRole('option', { name: 'SEK Swedish Krona' }).waitFor();
  await page.keyboard.press('ArrowDown');
  const chosen = await page.getByRole('option', { selected: true }).textContent();
  await page.keyboard.press('Enter');
  expect(chosen).toContain(await currency.inputValue());
  await currency.fill('gold');
  await page.getByText('No currency has “gold” in its code or name.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  await says(page, 'Expected an ISO 4217 currency code, got "gold".');
});

const wild = `{
  "webhook_url": "https://shop.example/hook",
  "require_shipping": "true",
  "shipping_adress": { "city": "Oslo" },
  "order_id": { "id": 1 },
  "cart": { "items": [
    { "sku": 4711, "quantity": "2", "unit_price": 399.7999999999997, "Name": "Mug" }
  ] }
}`;

test('explains pasted JSON line by line, and puts it into the form, mistakes and all', async () => {
  const { page, service, token } = await openOrder(cartOf('A'));
  await button(page, 'Paste JSON').click();
  const panel = page.getByRole('dialog', { name: 'Paste JSON' });
  const text = panel.getByRole('textbox', { name: 'JSON text' });
  const line = (number: number) => panel.locator('.paste-line').nth(number - 1);
  await text.fill('{\n  "cart": {},\n  "total_amount": NaN, // none\n}');
  await panel.getByText('This is not JSON yet: 2 places to mend').waitFor();
  await line(3).getByText('JSON has no NaN').waitFor();
  await line(3).getByText('Column 19').waitFor();
  expect(await put(page).getAttribute('aria-disabled')).toBe('true');

  await text.fill(wild);
  await panel.getByText('8 things to mend').waitFor();
  await line(2).getByText('Move it to hooks.webhook_url.').waitFor();
  await line(3).getByText('Write true, without quotes.').waitFor();
  await line(4).getByText('Did you mean shipping_address?').waitFor();
  await line(7).getByText('got 399.7999999999997').waitFor();
  expect(await line(7).locator('.paste-problem').count()).toBe(4);
  await put(page).click();
  await panel.waitFor({ state: 'hidden' });

  // Numbers and texts that mean each other are what the field takes them for; the rest lands where it belongs.
  await told(page, '5 fields need mending');
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('4711');
  expect(await field(page, 'Quantity, line 1').inputValue()).toBe('2');
  expect(await field(page, 'Unit price, line 1').getAttribute('aria-invalid')).toBe('true');
  await says(page, 'Expected a string, got an object.');
  await says(page, 'webhook_url: Unknown field.');
  await page.getByText('shipping_adress: Unknown field. Did you mean shipping_address?').waitFor();

  await field(page, 'Order number').fill('mine-1');
  await page.getByRole('radiogroup', { name: 'Needs shipping' }).getByText('Yes').click();
  await field(page, 'Unit price, line 1').fill('400');
  await button(page, 'Leave out shipping_adress').click();
  await button(page, 'Leave out webhook_url').click();
  await page.getByRole('button', { name: 'Line 1 also sends Name' }).click();
  await menuItem(page, 'Leave out “Name”').click();
  await send(page);
  await told(page, 'Applied');
  expect(service.appliedUpdates(token)).toEqual([
    {
      order_id: 'mine-1',
      require_shipping: true,
      cart: { items: [{ sku: '4711', quantity: 2, unit_price: 400 }] },
    },
  ]);
});

test('takes back what was pasted, and what was discarded', async () => {
  const { page } = await openOrder(cartOf('A'));
  await button(page, 'Paste JSON').click();
  await field(page, 'JSON text').fill('{"cart": {"items": [{"sku": "P"}]}}');
  await put(page).click();
  await heard(page, 'The pasted update is in the form.');
  expect(await skus(page)).toEqual(['P']);
  await button(page, 'Undo').click();
  expect(await skus(page)).toEqual(['A']);
  await state(page, 'No changes');

  await field(page, 'SKU, line 1').fill('TYPED');
  await button(page, 'Discard changes').click();
  expect(await skus(page)).toEqual(['A']);
  await button(page, 'Undo').click();
  expect(await skus(page)).toEqual(['TYPED']);
});

test('reads a file that is dropped, and one that is too large not at all', async () => {
  const { page } = await openOrder();
  await button(page, 'Paste JSON').click();
  const file = (name: string, content: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  });
  const input = page.locator('dialog input[type=file]');
  await input.setInputFiles(file('large.json', `"${'x'.repeat(2 ** 20)}"`));
  await page.getByText('This is more than 1 MiB').waitFor();
  await input.setInputFiles(file('good.json', JSON.stringify(documentedExample())));
  await page.getByText('Nothing is wrong with it.').waitFor();
  // One long line was set out over many.
  await page.locator('.paste-number', { hasText: '10' }).first().waitFor();
});

test('keeps a draft over a reload, until it was sent or is the order again', async () => {
  const { page, storage, token } = await openOrder(cartOf('A'));
  const draft = async () => (await storage.orders.find(token))?.draft;
  await field(page, 'SKU, line 1').fill('TYPED');
  await field(page, 'Quantity, line 1').fill('x');
  await state(page, 'Saved here, not sent');
  await page.reload();
  await field(page, 'SKU, line 1').waitFor();
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('TYPED');
  expect(await field(page, 'Quantity, line 1').getAttribute('aria-invalid')).toBe('true');
  await state(page, 'Saved here, not sent');

  await field(page, 'Quantity, line 1').fill('1');
  await field(page, 'SKU, line 1').fill('A');
  await state(page, 'No changes');
  await expect.poll(draft).toBeNull();

  await field(page, 'SKU, line 1').fill('B');
  // The desk would set this JSON out over lines: what was typed counts as sent all the same.
  await field(page, 'Address as JSON').fill('{"city":"Oslo"}');
  await state(page, 'Saved here, not sent');
  await send(page);
  await told(page, 'Applied');
  await state(page, 'No changes');
  await expect.poll(draft).toBeNull();
});

test('stays edited when something was typed while the update was on its way', async () => {
  const { page, service } = await openOrder(cartOf('A'));
  service.faults.next([{ type: 'latency', ms: 400 }]);
  await field(page, 'SKU, line 1').fill('B');
  await send(page);
  await field(page, 'Name, line 1').fill('later');
  await told(page, 'Applied');
  await state(page, /Saved here/);
  await button(page, 'Discard changes').click();
  expect(await field(page, 'SKU, line 1').inputValue()).toBe('B');
  expect(await field(page, 'Name, line 1').inputValue()).toBe('');
});

test('says when a draft could not be kept, and keeps it once the desk answers', async () => {
  const { page } = await openOrder();
  await page.route('**/draft', (route) => route.abort());
  await field(page, 'Note').fill('typed');
  await state(page, 'Not saved: The desk’s own server did not answer.');
  await page.unroute('**/draft');
  await field(page, 'Note').fill('typed more');
  await state(page, 'Saved here, not sent');
});

test('saves what was just typed when the page is left', async () => {
  const { page, desk, storage, token } = await openOrder();
  await field(page, 'Note').fill('just now');
  await page.goto(`${desk.url}/favicon.svg`);
  await expect
    .poll(async () => (await storage.orders.find(token))?.draft)
    .toMatchObject({ [fieldNames.metadata[1]]: 'just now' });
});

test('fills in the session that the scanner brings, and says where it is from', async () => {
  const { page } = await openOrder();
  await button(page, 'Put it into the form').click();
  await send(page);
  await told(page, 'Applied');
  await button(page, 'Play the scanner').click();
  await page.getByText(/From the scanner at \d\d:\d\d; goes out with this update/).waitFor();
  await field(page, 'QR session').fill('');
  await state(page, 'No changes');
  await page.reload();
  await field(page, 'QR session').waitFor();
});

test.each([
  ['light', 1280],
  ['dark', 360],
] as const)(
  'axe finds no violation in the editor and its panels, %s, %i px wide',
  async (scheme, width) => {
    const { page } = await openOrder(documentedExample());
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    await field(page, 'Quantity, line 1').fill('2.5');
    await field(page, 'Address as JSON').fill('{');
    await button(page, 'Remove line 2').click();
    await told(page, '2 fields need mending');
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Actions for line 1').click();
    expect(await findViolations(page, '[role=menu]')).toEqual([]);
    await page.keyboard.press('Escape');
    await button(page, 'Keyboard shortcuts').click();
    expect(await findViolations(page, '.popover:popover-open')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Currency' }).click();
    await page.getByRole('option').first().waitFor();
    expect(await findViolations(page, '.currency')).toEqual([]);
    await button(page, 'Paste JSON').click();
    await field(page, 'JSON text').fill(wild);
    await page.getByText('8 things to mend').waitFor();
    expect(await findViolations(page, 'dialog[open]')).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  },
  60_000,
);
