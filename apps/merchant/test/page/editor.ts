import { documentedExample } from '@orders/testing';
import { test } from 'vitest';
import { prepareApp, type TestOrderPage } from './open-page.ts';

const { app, openOrder } = prepareApp();

const mug = { cart: { items: [{ sku: 'MUG', quantity: 1, unit_price: 14900 }] } };

/** The updates that reached the order service, as they were sent. */
const sentTo = ({ token }: TestOrderPage) =>
  app().mock.journal.filter((entry) => entry.operation === 'update' && entry.token === token);

test('a wrong amount has a hint as it is typed, keeps the update back, and is sent once fixed', async ({
  expect,
}) => {
  await using open = await openOrder(documentedExample());
  const { page, field, button, says, applied } = open;
  const line = page.getByRole('group', { name: 'Line 1' });
  const price = line.getByRole('textbox', { name: 'Price (NOK)' });
  await says('No changes');
  await price.fill('');
  await price.pressSequentially('1 299');
  await page.getByText('Write an amount without spaces').waitFor();
  expect(await price.getAttribute('aria-invalid')).toBe('true');
  await button('Notes').click();
  await field('Note').fill('x'.repeat(256));
  // Its name says how many fields are to fix, once what was typed is checked.
  await button(/^Notes/).click();
  await button('Send update').click();
  await says('Fix 2 fields');
  await page.waitForFunction(
    () => document.activeElement?.getAttribute('name') === 'cart.items.0.unit_price',
  );

  await price.fill('1299,5');
  await says('Fix 1 field');
  await button('Send update').click();
  // The section of the field opens.
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'merchant_note');
  await field('Note').fill('Leave it at the door');
  await line.getByRole('textbox', { name: 'Quantity' }).fill('3');
  await line.getByRole('textbox', { name: /^VAT/ }).fill('');
  await page.getByText('Blank fields are left out of the update').waitFor();
  await page.getByRole('listitem').getByText('VAT, line 1').waitFor();
  await button('Send update').click();
  await says('Applied');

  const { cart, ...kept } = documentedExample();
  const [{ vat_amount: _, ...first } = {}, second] = cart.items ?? [];
  const items = [{ ...first, unit_price: 129950, quantity: 3 }, second];
  const update = {
    ...kept,
    hooks: expect.anything(),
    merchant_note: 'Leave it at the door',
    cart: { items },
  };
  expect(applied()).toEqual([update]);
  expect(open.consoleLines).toEqual([]);
});

test('an update is edited, fixed and sent with the keyboard alone, with a focus that is visible everywhere', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, says, applied } = open;
  const reached = new Set<string | null>();
  const tabTo = async (name: string): Promise<void> => {
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement ?? document.body;
        const label = element.getAttribute('name') ?? element.getAttribute('aria-label');
        return {
          name: label ?? element.textContent,
          isVisible: element === document.body || getComputedStyle(element).outlineStyle !== 'none',
        };
      });
      reached.add(focused.name);
      expect(focused.isVisible, String(focused.name)).toBe(true);
      if (focused.name === name) return;
    }
    throw new Error(`Tab does not reach ${name}.`);
  };
  await tabTo('cart.items.0.quantity');
  await page.keyboard.type('2.5');
  await tabTo('Send update');
  await page.keyboard.press('Enter');
  await says('Fix 1 field');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'cart.items.0.quantity');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('4');
  await tabTo('Add line');
  for (const name of ['cart.items.0.sku', 'Remove line 1']) expect([...reached]).toContain(name);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'cart.items.1.sku');
  await page.keyboard.type('CUP');
  await tabTo('Send update');
  await page.keyboard.press('Enter');
  await says('Applied');
  const line = { sku: 'MUG', quantity: 4, unit_price: 14900 };
  expect(applied()).toEqual([{ cart: { items: [line, { type: 'physical', sku: 'CUP', quantity: 1 }] } }]);
});

test('lines are removed and added, and a wrong field on another page or in a closed section gets the focus', async ({
  expect,
}) => {
  const items = Array.from({ length: 27 }, (_, index) => ({ sku: `SKU-${index + 1}`, quantity: 1 }));
  await using open = await openOrder({ cart: { items } });
  const { page, field, button, says, applied } = open;
  const inLine = (line: number, name: string) =>
    page.getByRole('group', { name: `Line ${line}`, exact: true }).getByRole('textbox', { name });
  await button('Remove line 2').click();
  await page.getByRole('heading', { name: '26 lines' }).waitFor();
  await button('Add line').click();
  await inLine(27, 'SKU').fill('NEW');
  await inLine(27, 'Quantity').fill('x');
  // The error moves what is below it, which a click would miss.
  await says('Fix 1 field');
  // Each time that it is sent, also with the same error.
  for (const _ of ['first', 'again']) {
    await button('1').click();
    await inLine(1, 'SKU').waitFor();
    await button('Send update').click();
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('name') === 'cart.items.26.quantity',
    );
  }
  await inLine(27, 'Quantity').fill('2');
  await says('Changed, not sent');
  await button(/^URLs/).click();
  await field('Webhooks').fill('/webhooks');
  await says('Fix 1 field');
  await button(/^URLs/).click();
  await field('Webhooks').waitFor({ state: 'hidden' });
  await button('Send update').click();
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'hooks.webhook_url');
  await field('Webhooks').fill('');
  await button('Send update').click();
  await says('Applied');
  const [first, , ...rest] = items;
  expect(applied()).toEqual([
    { cart: { items: [first, ...rest, { type: 'physical', sku: 'NEW', quantity: 2 }] } },
  ]);
});

test('the focus goes to the next line once one is removed, and from the last one to the button that adds', async () => {
  await using open = await openOrder({ cart: { items: [{ sku: 'MUG' }, { sku: 'CUP' }] } });
  const { page, button } = open;
  const hasFocus = (name: string) => page.getByRole('button', { name }).and(page.locator(':focus')).waitFor();
  await button('Remove line 1').press('Enter');
  await page.getByRole('heading', { name: '1 line' }).waitFor();
  await hasFocus('Remove line 1');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '0 lines' }).waitFor();
  await hasFocus('Add line');
});

test('an error that only the server finds is named', async ({ expect }) => {
  // The form keeps what is no text, and what it has no field for, as it is.
  await using open = await openOrder({ ...mug, user_identifier: { number: 1 }, Order_id: 'A-1' });
  const { field, button, says } = open;
  await button('Send update').click();
  await says(/user_identifier: Expected a string.* Order_id: Unknown field. Did you mean order_id\?/);
  expect(sentTo(open)).toEqual([]);
  await button('Buyer and QR payment').click();
  await field('Identifier of the buyer').fill('B-1');
  await button('Send update').click();
  await says(/^Order_id/);
});

test('a QR payment: the webhook URL is sent, the buyer scans, and the session is sent by itself', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, field, button, says, applied } = open;
  await button('Buyer and QR payment').click();
  expect(await button('Simulate a scan').isDisabled()).toBe(true);
  await button('Use it for this order').click();
  await button('Send update').click();
  await says('Applied');
  await expect.poll(() => button('Simulate a scan').isEnabled()).toBe(true);
  await button('Simulate a scan').click();
  await page.getByRole('status').filter({ hasText: 'Scanned at' }).getByText('Applied').waitFor();
  const [{ body = '' } = {}] = app().mock.webhooks.sent.filter(({ token }) => token === open.token);
  const { session_id } = JSON.parse(body);
  await expect.poll(() => field('QR payment session').inputValue()).toBe(session_id);
  const { webhookUrl } = await open.read();
  expect(applied()).toEqual([
    { ...mug, hooks: { webhook_url: webhookUrl } },
    { ...mug, hooks: { webhook_url: webhookUrl }, qr_session_id: session_id },
  ]);
});

test('VAT and totals that do not follow a new price are named before they are sent', async ({ expect }) => {
  await using open = await openOrder({
    cart: { items: [{ sku: 'MUG', quantity: 1, unit_price: 10_000, vat_amount: 2_000 }] },
    total_amount: 10_000,
    total_vat_amount: 2_000,
  });
  const { page, field } = open;
  const notice = page.getByRole('alert').filter({ hasText: 'VAT and totals are sent as they are typed' });
  const named = () => notice.getByRole('listitem').allTextContents();
  await field('Price').fill('120.00');
  await notice.waitFor();
  expect(await named()).toEqual(['VAT, line 1', 'Total including VAT', 'Total VAT']);
  await field('VAT').fill('24.00');
  await expect.poll(named).toEqual(['Total including VAT', 'Total VAT']);
  await field('Total including VAT').fill('120.00');
  await field('Total VAT').fill('24.00');
  await notice.waitFor({ state: 'detached' });
});
