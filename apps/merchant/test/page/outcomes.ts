import { randomUUID } from 'node:crypto';
import { startMockOrderService } from '@orders/testing';
import { expect, inject, test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { startForwarder } from '../../../../.ci/start-forwarder.ts';
import type { StatusView } from '../../shared/api.ts';
import { openTestApp } from '../open-test-app.ts';
import { createDatabase, needPostgres } from '../open-test-postgres.ts';
import { makeTestFolder, runMerchant } from '../run-merchant.ts';
import { tables } from '../share-postgres.ts';
import { findViolations, openOrder, openPage, prepareApp, type TestOrderPage } from './open-page.ts';

const { app } = prepareApp();

const mug = { cart: { items: [{ sku: 'MUG', quantity: 1 }] } };
const rateLimited = { type: 'status', status: 429, headers: { 'retry-after': '4' } } as const;
const lost = { type: 'reset_after_applying' } as const;

/** Sends an update that is applied, but whose response is lost. */
async function sendUnknown({ field, button, says }: TestOrderPage, name: string): Promise<void> {
  app().mock.faults.next(lost, { operation: 'update' });
  await field('Name').fill(name);
  await button('Send update').click();
  await says("Outcome unknown: it was sent, but we don't know whether it was applied");
}

test('a 429 that recovers is drawn as it happens, here and in another window, and a long pause is ended by hand', async () => {
  await using open = await openOrder(mug);
  const { page, button, says, applied } = open;
  await using other = await openPage(app().url);
  // What lasts a while is seen on a busy machine, too.
  const slow = { type: 'latency', ms: 5_000 } as const;
  app().mock.faults.next([rateLimited, slow], { operation: 'update' });
  await Promise.all([
    page.getByText(/^Attempt 1: rejected, 429/).waitFor(),
    says(/Waits for the end of a pause: the order service limits the rate/),
    page.getByText('Attempt 2: waiting for the response').waitFor(),
    other.page.getByText('Paused', { exact: true }).waitFor(),
    other.page.getByText('The order service limits the rate (429)').waitFor(),
    button('Send update').click(),
  ]);
  await says('Applied');
  await page.getByText(/^Attempt 2: applied, 200/).waitFor();
  await other.page.getByRole('row', { name: open.token }).getByText('Applied').waitFor();
  await other.page.getByText('Healthy').waitFor();
  expect(applied()).toEqual([mug]);
  app().mock.faults.next({ ...rateLimited, headers: { 'retry-after': '600' } }, { operation: 'update' });
  await button('Send update').click();
  await page.getByText(/^Paused for: \d+ s/).waitFor();
  await button('Resume now').click();
  await expect.poll(() => applied().length).toBe(2);
});

test('an unknown outcome is settled in each of the three ways, with the keyboard', async () => {
  await using open = await openOrder(mug);
  const { page, button, says, applied } = open;
  await sendUnknown(open, 'first');
  await page
    .getByRole('link', { name: /Needs review/ })
    .getByText('1')
    .waitFor();
  await button('It was applied').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'It was applied' }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('textbox', { name: 'Note', exact: true }).first().focus();
  await page.keyboard.type('found it in the back office');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await says('Applied');
  await page.getByText('found it in the back office').waitFor();
  // What a person found applied is what the editor starts from.
  await expect.poll(async () => (await open.read()).body.cart.items?.[0]?.name).toBe('first');

  await sendUnknown(open, 'second');
  await page.getByRole('link', { name: /Needs review/ }).click();
  const article = page.getByRole('article', { name: open.token });
  await article.getByText('Outcome unknown').waitFor();
  await article.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await article.waitFor({ state: 'detached' });
  await expect.poll(() => applied().length).toBe(3);
  expect(applied()[2]).toEqual(applied()[1]);

  await page.goBack();
  await button('Send update').waitFor();
  await sendUnknown(open, 'third');
  await button('Discard').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await says('Discarded');
  expect(applied()).toHaveLength(4);
});

/** The body of a response that would overflow a stack or fill a page, if the app kept it as it came. */
const hostile = JSON.stringify({ message: '<img src=x onerror=alert(1)>', text: 'x'.repeat(1_000_000) });
const body = `${hostile.slice(0, -1)}, "levels": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
const unprocessable = {
  type: 'status',
  status: 422,
  body,
  headers: { 'content-type': 'application/json' },
} as const;

test('an update rejected with a hostile response is a draft again, and can be fixed or sent again', async () => {
  await using open = await openOrder(mug);
  const { page, field, button, says, consoleLines } = open;
  app().mock.faults.next(unprocessable, { operation: 'update' });
  await field('Name').fill('Mug');
  await button('Send update').click();
  await says(/422/);
  await page.reload();
  await says('Draft saved, not sent');
  expect(await field('Name').inputValue()).toBe('Mug');
  await page.getByText('Receipt', { exact: true }).click();
  await page.getByText('"outcome": "rejected"').waitFor();
  await page.getByRole('link', { name: /^Needs review/ }).click();
  await page.getByRole('heading', { name: /rejected/ }).waitFor();
  expect(consoleLines).toEqual([]);
  const article = page.getByRole('article', { name: open.token });
  await article.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await article.waitFor({ state: 'detached' });
  await page.goBack();
  await says('No changes');
  expect(await field('Name').inputValue()).toBe('Mug');
});

test('what waits for a decision says so, in the editor and in the list, and the decision is beside the button that sends', async () => {
  await using open = await openOrder(mug);
  const { page, field, button, says, applied } = open;
  await using list = await openPage(`${app().url}/`);
  await sendUnknown(open, 'first');
  await field('Name').fill('second');
  await button('Send update').click();
  const why = /^Waits for your decision about the update of/;
  const bar = page.locator('.send-bar');
  await bar.getByText(/^Your decision about the update of/).waitFor();
  await bar.getByRole('link', { name: 'Waits for your decision' }).waitFor();
  // Nothing turns while a person is waited for.
  expect(await bar.locator('.mantine-Loader-root').count()).toBe(0);
  const link = page.getByRole('region', { name: 'Updates' }).getByRole('link', { name: why });
  await link.click();
  const id = (await link.getAttribute('href')) ?? '';
  expect(await page.locator(id).getByText('Needs review').count()).toBe(1);
  const row = list.page.getByRole('row', { name: open.token });
  await row.getByText('Waits for you', { exact: true }).waitFor();
  await row
    .getByRole('link', { name: 'Waits for your decision about an earlier update of this order' })
    .waitFor();
  // However long the page is, the decision is where the update is sent.
  await page.evaluate(() => window.scrollTo(0, 0));
  const [decision, send] = [bar.getByRole('button', { name: 'It was applied' }), button('Send update')];
  for (const shown of [decision, send])
    expect(
      await shown.evaluate((element) => element.getBoundingClientRect().bottom <= window.innerHeight),
    ).toBe(true);
  await decision.click();
  await page.getByRole('dialog').getByRole('button', { name: 'It was applied' }).click();
  await says('Applied');
  await row.getByText('Applied', { exact: true }).waitFor();
  expect(applied()).toMatchObject([
    { cart: { items: [{ name: 'first' }] } },
    { cart: { items: [{ name: 'second' }] } },
  ]);
});

test('while a fault scenario is on, the service is not called healthy', async () => {
  await using open = await openPage(`${app().url}/`);
  const { page } = open;
  await page.getByText('Healthy', { exact: true }).waitFor();
  const set = (scenario: string) =>
    app().call('/api/fault-injection', undefined, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ scenario, percent: 50 }),
    });
  await set('lostResponse');
  await page.getByRole('status', { name: 'Order service: Fault: Lost response' }).waitFor();
  expect(await page.getByText('Healthy', { exact: true }).count()).toBe(0);
  await set('healthy');
  await page.getByText('Healthy', { exact: true }).waitFor();
});

test('an outage is shown, with the next probe, and ends by itself', async () => {
  await using open = await openOrder(mug);
  const { page, button, says } = open;
  app().mock.faults.always({ type: 'status', status: 503 });
  for (const order of ['gone-1', 'gone-2', 'gone-3']) await app().outbox.enqueue(order, mug);
  await page.getByText('The order service is unavailable').waitFor();
  await page.getByText(/^Next probe: \d+ s/).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await button('Send update').click();
  await page.getByText('1 update waits').waitFor();
  app().mock.faults.clear();
  await page.getByText('Healthy').waitFor({ timeout: 30_000 });
  await says('Applied');
});

test('a database that is gone is named in every window, and what it holds is shown once it is back', async (context) => {
  needPostgres(context);
  const url = new URL(await createDatabase(tables));
  const port = Number(url.port);
  await using forwarder = await startForwarder(port);
  url.port = String(forwarder.port);
  await using shop = await openTestApp({ data: { databaseUrl: url.href } });
  await using open = await openPage(`${shop.url}/`);
  const { page } = open;
  const healthy = page.getByText('Healthy', { exact: true });
  await healthy.waitFor();
  forwarder.pointTo(undefined);
  const alert = page.getByRole('alert').filter({ hasText: 'The state of updates cannot be read' });
  await alert.getByText(/^PostgreSQL at 127\.0\.0\.1.*What you see may be out of date\.$/).waitFor();
  expect(await healthy.count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  forwarder.pointTo(port);
  await healthy.waitFor();
  await alert.waitFor({ state: 'hidden' });
});

test('after kill -9 in mid-update the page reconnects, the update needs review, and what is queued is sent', async () => {
  await using service = await startMockOrderService({ orders: ['order-1', 'order-2'] });
  await using made = await makeTestFolder();
  // A PGlite of its own, as in full, takes longer than all the rest.
  const database = inject('postgres') && !inFull ? { DATABASE_URL: await createDatabase(tables) } : undefined;
  const env = { ORDERS_API_KEY: service.key, ...database };
  const orders = ['--order', 'order-1', '--order', 'order-2'];
  const data = database ? [] : ['--data', made.folder];
  const words = ['--base-url', service.url, ...orders, ...data, '--webhook-port', '0'];
  using killed = runMerchant([...words, '--port', '0'], env);
  const url = await killed.printed(/Merchant app\s+(http:\S+)/);
  await using open = await openPage(`${url}/orders/order-1`);
  const { page, field, button, says } = open;
  await button('Add line').click();
  await field('SKU').fill('MUG');
  // It is applied before the app is killed, and the one of the other order is not.
  service.faults.next({ type: 'stalled_headers', applied: true }, { token: 'order-1' });
  await button('Send update').click();
  await page.getByText('Attempt 1: waiting for the response').waitFor();
  await expect.poll(() => service.appliedUpdates('order-1').length).toBe(1);
  const send = (token: string, order_id: string) =>
    fetch(`${url}/api/orders/${token}/updates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: randomUUID(), update: { ...mug, order_id } }),
    });
  await send('order-1', 'behind');
  service.faults.next({ ...rateLimited, headers: { 'retry-after': '8' } }, { token: 'order-2' });
  await send('order-2', 'queued');
  // The 429 is stored: from here on the update is queued, whatever happens to the app.
  const isPaused = async () =>
    'pausedUntil' in ((await (await fetch(`${url}/api/status`)).json()) as StatusView);
  await expect.poll(isPaused).toBe(true);
  killed.kill('SIGKILL');
  await page.getByText('Connection lost').waitFor();
  expect(service.appliedUpdates('order-2')).toEqual([]);

  using _again = runMerchant([...words, '--port', new URL(url).port], env);
  await page.getByText('Connection lost').waitFor({ state: 'hidden', timeout: 60_000 });
  await says('Needs review');
  await expect.poll(() => service.appliedUpdates('order-2'), { timeout: 60_000 }).toHaveLength(1);
  expect(service.appliedUpdates('order-1')).toHaveLength(1);
  await button('It was applied').click();
  await page.getByRole('dialog').getByRole('button', { name: 'It was applied' }).click();
  await expect.poll(() => service.appliedUpdates('order-1')).toMatchObject([{}, { order_id: 'behind' }]);
}, 120_000);
