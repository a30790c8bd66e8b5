import { documentedExample } from '@orders/testing';
import type { Page } from 'playwright-core';
import { type ExpectStatic, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { addOrders } from '../../server/stored-orders.ts';
import { findViolations, openPage, prepareApp } from './open-page.ts';

const { app, openOrder } = prepareApp();

interface CheckOptions {
  readonly isChecked?: boolean;
  readonly isDarkChecked?: boolean;
  readonly within?: string;
}

/**
 * A view works for everyone, in light and dark, on a phone and at 200% zoom, and never scrolls sideways. The colors of all
 * views are the same, so the dark ones are checked in one, and in full in each. What is around `within` is checked with
 * another view, and in full with each.
 */
async function expectForEveryone(
  page: Page,
  expect: ExpectStatic,
  { isChecked = true, isDarkChecked = inFull, within }: CheckOptions = {},
): Promise<void> {
  for (const [colorScheme, width, isCheckedHere] of [
    ['light', 1280, isChecked],
    ['light', 640, false],
    ['dark', 360, isDarkChecked],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    const scrollWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(scrollWidth).toBeLessThanOrEqual(width);
    await expect.poll(() => page.evaluate(findScrolling)).toEqual([]);
    if (isCheckedHere)
      expect(await findViolations(page, inFull ? undefined : within), `${colorScheme} at ${width}`).toEqual(
        [],
      );
  }
  await page.setViewportSize({ width: 1280, height: 740 });
}

/** What scrolls sideways in a page. */
const findScrolling = (): string[] =>
  Array.from(document.querySelectorAll('main *'))
    .filter((element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX))
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
    .map(({ className }) => className);

test('an order is accessible and fits, with a decision, an error, an unknown outcome and every section open', async ({
  expect,
}) => {
  await using open = await openOrder(documentedExample());
  const { page, button, field, says } = open;
  app().mock.faults.next({ type: 'reset_after_applying' });
  await button('Send update').click();
  await says('Needs review');
  await button('Send again').click();
  await button('Confirm').waitFor();
  for (const section of ['Shipping', 'Buyer and QR payment', 'URLs', 'Notes']) await button(section).click();
  await field(/^Price/)
    .first()
    .fill('1 299');
  await says('Fix 1 field');
  await expectForEveryone(page, expect, { isDarkChecked: true });
  expect(open.consoleLines).toEqual([]);
});

test('orders, review, bulk files, fault injection and a missing order are accessible and fit', async ({
  expect,
}) => {
  await using open = await openPage(app().url);
  const { page, button, consoleLines } = open;
  await page.getByRole('table').waitFor();
  await expectForEveryone(page, expect);

  const order = app().mock.orders[0]?.token ?? '';
  const bulk = `token,order_id,cart.items[0].sku\n${order},A-1,MUG\n${order},${'x'.repeat(300)},MUG\n`;
  const upload = { method: 'POST', body: bulk, headers: { 'content-type': 'text/csv', origin: app().url } };
  await app().call('/api/bulks?name=a.csv', undefined, upload);
  const visit = (view: string | RegExp) => page.getByRole('link', { name: view }).click();
  const hasTitle = (title: string) => expect.poll(() => page.title()).toBe(`${title} - Merchant app`);
  await hasTitle('Orders');
  await visit('Bulk files');
  await page.getByRole('link', { name: 'a.csv' }).waitFor();
  await hasTitle('Bulk files');
  await expectForEveryone(page, expect, { within: 'main' });
  await visit('a.csv');
  await button('Send 1 update').waitFor();
  await hasTitle('a.csv');
  await expectForEveryone(page, expect, { within: 'main' });

  await visit('Fault injection');
  await page.getByRole('radio', { name: 'Lost response' }).click();
  await page.getByText('Share of requests: 100%').waitFor();
  await hasTitle('Fault injection');
  await page.getByRole('textbox', { name: 'Orders' }).fill('3');
  await page.getByRole('textbox', { name: 'Updates' }).fill('3');
  await button('Send the burst').click();
  await page.getByText('3 updates queued').waitFor();
  await page.getByText(/^Needs review: [1-9]/).waitFor();
  await page.getByRole('img', { name: /updates in slots of 10 s/ }).waitFor();
  await expectForEveryone(page, expect, { within: 'main' });
  await button('Back to normal').click();
  await expect.poll(() => page.getByRole('radio', { name: 'Healthy' }).isChecked()).toBe(true);

  // As if its handler had failed ten times.
  await app().parts.store.query(
    `insert into orders_outbox.events (id, token, position, state, message)
     values ('scan', $1, 0, 'needs_review', '"no such order"')`,
    [order],
  );
  await visit(/^Needs review/);
  await button('It was applied').first().waitFor();
  const webhook = page.getByRole('article', { name: `Webhook of ${order}` });
  await webhook.getByText('no such order').waitFor();
  await expectForEveryone(page, expect, { within: 'main' });
  await webhook.getByRole('button', { name: 'Discard' }).click();
  await webhook.waitFor({ state: 'detached' });
  expect(consoleLines.filter((line) => !line.includes('404'))).toEqual([]);
  await page.goto(`${app().url}/orders/none`);
  await page.getByRole('heading', { name: 'Order not found' }).waitFor();
  await hasTitle('Order not found');
  // Its parts are those of other views.
  await expectForEveryone(page, expect, { isChecked: inFull });
  await page.evaluate(() => history.pushState(null, '', '/nowhere'));
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('in a narrow window, the keyboard reaches the views once the menu is open, and not before', async ({
  expect,
}) => {
  await using open = await openPage(`${app().url}/`);
  const { page, button } = open;
  await page.getByRole('table').waitFor();
  await page.setViewportSize({ width: 390, height: 720 });
  await button('Menu').focus();
  const focused: string[] = [];
  const tab = async (): Promise<void> => {
    await page.keyboard.press('Tab');
    focused.push((await page.locator(':focus').textContent()) ?? '');
  };
  for (let count = 0; count < 3; count++) await tab();
  expect(focused).not.toContain('Orders');
  await button('Menu').press('Enter');
  await page.getByRole('link', { name: 'Orders', exact: true }).waitFor();
  for (let count = 0; count < 3; count++) await tab();
  expect(focused).toContain('Orders');
});

test('the colors are those of the system, or the chosen ones', async ({ expect }) => {
  await using open = await openPage(app().url);
  const { page, button } = open;
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
  await button('Use dark colors').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(scheme).toBe('dark');
  await button('Use light colors').click();
  expect(await scheme()).toBe('light');
  await page.reload();
  await button('Use dark colors').waitFor();
  expect(await scheme()).toBe('light');
});

// It adds more orders than a page has, so it comes last.
test('orders are listed page by page, and found by how their number begins or ends', async () => {
  const orders = Array.from({ length: 60 }, (_, index) => ({
    token: `listed-${100 + index}`,
    body: { order_id: `L-${100 + index}`, cart: { items: [] } },
  }));
  await addOrders(app().parts.store, orders);
  await using open = await openPage(app().url);
  const { page, button } = open;
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  await page.getByText('Page 1', { exact: true }).waitFor();
  await button('Next page').click();
  await link('L-159').waitFor();
  await button('Previous page').click();
  await page.getByText('Page 1', { exact: true }).waitFor();
  await page.getByText('merchant-order-1006').waitFor();
  const search = page.getByRole('textbox', { name: 'Find an order' });
  await search.fill('l-15');
  await link('L-150').waitFor();
  await link('L-149').waitFor({ state: 'detached' });
  await search.fill('159');
  await link('L-150').waitFor({ state: 'detached' });
  await link('L-159').waitFor();
  await search.fill('nothing');
  await page.getByText('No order matches').waitFor();
});
