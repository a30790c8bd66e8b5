import { type ExpectStatic, test } from 'vitest';
import { prepareApp, type TestOrderPage } from './open-page.ts';

const { app, openOrder } = prepareApp();

const mug = { cart: { items: [{ sku: 'MUG', quantity: 1, unit_price: 14900 }] } };

/** Applies an update by a bulk file. */
async function apply({ token, read }: TestOrderPage, update: object, expect: ExpectStatic): Promise<void> {
  const body = JSON.stringify({ token, update });
  const headers = { 'content-type': 'application/octet-stream' };
  const uploaded = await app().call('/api/bulks?name=a.ndjson', undefined, { method: 'POST', body, headers });
  await app().call(`/api/bulks/${uploaded.body.id}/send`, {});
  await expect.poll(async () => (await read()).body).toEqual(update);
}

test('what is typed is compared with the order, and discarded by hand', async ({ expect }) => {
  await using open = await openOrder(mug);
  const { field, button, says } = open;
  await field('SKU').fill('CUP');
  await says('Changed, not sent');
  await field('Quantity').fill('two');
  await says('Fix 1 field');
  await field('Quantity').fill('1');
  await field('SKU').fill('MUG');
  await says('No changes');
  await field('SKU').fill('CUP');
  await button('Discard changes').click();
  await says('No changes');
  expect(await field('SKU').inputValue()).toBe('MUG');
});

test('a view that cannot be loaded says so, and the others open', async () => {
  await using open = await openOrder(mug);
  const { page, button } = open;
  await page.route('**/review-page*', (route) => route.abort());
  const review = page.getByRole('link', { name: 'Needs review' });
  await review.click();
  await page.getByText('This view cannot be shown').waitFor();
  await page.goBack();
  await button('Send update').waitFor();
  await review.click();
  await page.unroute('**/review-page*');
  await button('Reload').click();
  await page.getByRole('heading', { name: 'Needs review' }).waitFor();
});

test('what is typed while an update is sent stays, as a change of the new order', async ({ expect }) => {
  await using open = await openOrder(mug);
  const { page, field, button, says, read } = open;
  // The update is queued until the pause is ended by hand.
  const pause = { type: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
  app().mock.faults.next(pause, { operation: 'update' });
  await field('SKU').fill('CUP');
  await button('Send update').click();
  await says(/^Waits for the end of a pause/);
  await field('Name').fill('Cup');
  await says('Changed, not sent');
  await button('Resume now').click();
  await expect.poll(async () => (await read()).bodyVersion).not.toBe('first');
  await page.getByText('Applied', { exact: true }).waitFor();
  expect(await page.getByText('This order changed since you began').count()).toBe(0);
  expect(await field('Name').inputValue()).toBe('Cup');
  await field('Name').fill('');
  await says('Applied');
});

test('an order that a bulk file changes is shown as it is, but beside changes it is marked, and either is chosen', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, field, button, says, applied } = open;
  await apply(open, { cart: { items: [{ sku: 'FIRST', quantity: 7 }] } }, expect);
  await expect.poll(() => field('SKU').inputValue()).toBe('FIRST');
  await says('No changes');
  const changed = page.getByText('This order changed since you began');
  await field('Quantity').fill('5');
  await apply(open, { cart: { items: [{ sku: 'LAMP' }] } }, expect);
  await changed.waitFor();
  await button('Load the new values').click();
  await changed.waitFor({ state: 'hidden' });
  expect(await field('SKU').inputValue()).toBe('LAMP');
  await says('No changes');

  await field('SKU').fill('MINE');
  await apply(open, { cart: { items: [{ sku: 'THEIRS' }] } }, expect);
  await changed.waitFor();
  await button('Keep mine').click();
  await changed.waitFor({ state: 'hidden' });
  await button('Send update').click();
  await says('Applied');
  expect(applied().at(-1)).toEqual({ cart: { items: [{ sku: 'MINE' }] } });
});

test('an update that is sent again after a lost response, by a double click, is one update, and Enter in a field sends none', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, field, button, says, applied } = open;
  await field('SKU').press('Enter');
  await page.route('**/updates', async (route) => {
    await route.fetch();
    await route.abort();
  });
  // The window does not see the update in its order either.
  await page.route(`**/api/orders/${open.token}?*`, (route) => route.abort());
  await field('SKU').fill('CUP');
  await button('Send update').click();
  await says('cannot be reached');
  await page.unroute('**/updates');
  // Slow enough that the first click was accepted before the second.
  const accepted = page.waitForResponse('**/updates');
  await button('Send update').click({ clickCount: 2, delay: 300 });
  await accepted;
  await page.unroute(`**/api/orders/${open.token}?*`);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await says('Applied');
  await page.reload();
  await says('No changes');
  expect(applied()).toHaveLength(1);
  expect(await app().outbox.history(open.token)).toHaveLength(1);
});

test('the bar says what became of an update whose response was lost, and its text is sent anew after others', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, field, button, says, applied } = open;
  await page.route('**/updates', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await field('SKU').fill('CUP');
  await button('Send update').click();
  await says('Applied');
  expect(await page.locator('.send-bar').getByText('cannot be reached').count()).toBe(0);
  await page.unroute('**/updates');

  await apply(open, mug, expect);
  await expect.poll(() => field('SKU').inputValue()).toBe('MUG');
  await field('SKU').fill('CUP');
  await button('Send update').click();
  await expect.poll(() => applied().length).toBe(3);
  await says('Applied');
  const cup = { cart: { items: [{ ...mug.cart.items[0], sku: 'CUP' }] } };
  expect(applied()).toEqual([cup, mug, cup]);
});

test('what others have queued is named after this window has sent, too, and what it has sent itself is not', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, field, button, says } = open;
  const notice = page.getByText('not applied yet');
  await field('SKU').fill('CUP');
  await button('Send update').click();
  await says('Applied');
  // Updates are queued until the pause is ended by hand.
  const pause = { type: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
  app().mock.faults.next(pause, { operation: 'update' });
  await button('Send update').click();
  await says(/^Waits for the end of a pause/);
  expect(await notice.count()).toBe(0);
  await app().call(`/api/orders/${open.token}/updates`, { id: crypto.randomUUID(), update: mug });
  await page.getByText('1 other update of this order is not applied yet').waitFor();
  await button('Resume now').click();
  await notice.waitFor({ state: 'detached' });
});
