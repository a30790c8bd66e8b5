import { randomUUID } from 'node:crypto';
import { postgresStore } from '@orders/outbox';
import { startMockOrderService } from '@orders/testing';
import { inject, test } from 'vitest';
import { freePort, freePorts } from '../../../../.ci/free-ports.ts';
import { inFull } from '../../../../.ci/in-full.ts';
import { startForwarder } from '../../../../.ci/start-forwarder.ts';
import type { StatusView } from '../../page/api.ts';
import { rowsOf } from '../../server/database.ts';
import { ShopUpdate } from '../../shared/order-update.ts';
import { openTestApp } from '../open-test-app.ts';
import { createDatabase, needPostgres } from '../open-test-postgres.ts';
import { makeTestFolder, runMerchant } from '../run-merchant.ts';
import { tables } from '../share-postgres.ts';
import { findViolations, openPage, prepareApp } from './open-page.ts';

const { app, openOrder } = prepareApp();

const mug = { cart: { items: [{ sku: 'MUG', quantity: 1 }] } };
const rateLimited = (seconds: number) =>
  ({ type: 'status', status: 429, headers: { 'retry-after': String(seconds) } }) as const;

test('a 429 that recovers is drawn as it happens, here and in another window, and a long pause is ended by hand', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, button, says, applied } = open;
  await using other = await openPage(app().url);
  app().mock.faults.next(rateLimited(1), { operation: 'update' });
  await button('Send update').click();
  await says('Applied');
  await page.getByText('2 attempts, last response 200').waitFor();
  await other.page.getByRole('row', { name: open.token }).getByText('Applied').waitFor();
  expect(applied()).toEqual([mug]);
  app().mock.faults.next(rateLimited(600), { operation: 'update' });
  await button('Send update').click();
  await says(/Waits for the end of a pause: the order service limits the rate/);
  await page.getByText(/^Paused for: \d+ s/).waitFor();
  // The window asks for less motion.
  expect(await page.locator('.mantine-Loader-root').count()).toBe(1);
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  await other.page.getByText('Paused', { exact: true }).waitFor();
  await other.page.getByText('The order service limits the rate (429)').waitFor();
  await button('Resume now').click();
  await other.page.getByText('Healthy').waitFor();
  await expect.poll(() => applied().length).toBe(2);
});

test('while a fault scenario is on, the service is not called healthy', async ({ expect }) => {
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

test('an outage is shown, with the next probe, and ends by itself', async ({ expect }) => {
  await using open = await openOrder(mug);
  const { page, button, says } = open;
  app().mock.faults.always({ type: 'status', status: 503 });
  for (const order of ['gone-1', 'gone-2', 'gone-3']) await app().outbox.enqueue(order, mug);
  await page.getByText('The order service is unavailable').waitFor();
  await page.getByText(/^Next probe: \d+ s/).waitFor();
  expect(await findViolations(page, '[role=alert]')).toEqual([]);
  await button('Send update').click();
  await page.getByText('1 update waits').waitFor();
  app().mock.faults.clear();
  await page.getByText('Healthy').waitFor();
  await says('Applied');
});

test('a database that is gone is named in every window, and what it holds is shown once it is back', async ({
  expect,
  skip,
}) => {
  needPostgres({ skip });
  const url = new URL(await createDatabase(tables));
  const port = Number(url.port);
  await using forwarder = await startForwarder(port);
  url.port = String(forwarder.port);
  await using shop = await openTestApp({ data: { databaseUrl: url.href } });
  await using open = await openPage(`${shop.url}/`, { isNew: true });
  const { page } = open;
  const healthy = page.getByText('Healthy', { exact: true });
  await healthy.waitFor();
  forwarder.pointTo(undefined);
  const alert = page.getByRole('alert').filter({ hasText: 'The state of updates cannot be read' });
  await alert.getByText(/^PostgreSQL at 127\.0\.0\.1.*What you see may be out of date\.$/).waitFor();
  expect(await healthy.count()).toBe(0);
  expect(await findViolations(page, '[role=alert]')).toEqual([]);
  forwarder.pointTo(port);
  await healthy.waitFor();
  await alert.waitFor({ state: 'hidden' });
});

test('after kill -9 in mid-update the page reconnects, the update needs review, and what is queued is sent', async ({
  expect,
}) => {
  await using service = await startMockOrderService({ orders: ['order-1', 'order-2'] });
  await using made = await makeTestFolder();
  // A PGlite of its own, as in full, takes longer than all the rest.
  const database = inject('postgres') && !inFull ? { DATABASE_URL: await createDatabase(tables) } : undefined;
  const env = { ORDERS_API_KEY: service.key, ...database };
  const orders = ['--order', 'order-1', '--order', 'order-2'];
  const data = database ? [] : ['--data', made.folder];
  const words = ['--base-url', service.url, ...orders, ...data, '--webhook-port', '0'];
  // No other test gets the port while nothing listens there.
  words.push('--port', String(await freePort()));
  using killed = runMerchant(words, env);
  const url = await killed.printed(/Merchant app\s+(http:\S+)/);
  await using open = await openPage(`${url}/orders/order-1`, { isNew: true });
  const { page, field, button, says } = open;
  await button('Add line').click();
  await field('SKU').fill('MUG');
  // It is applied before the app is killed, and the one of the other order is not.
  service.faults.next({ type: 'stalled_headers', applied: true }, { token: 'order-1' });
  await button('Send update').click();
  await says('Sending');
  await page.getByRole('region', { name: 'Updates' }).getByText('Sending').waitFor();
  await expect.poll(() => service.appliedUpdates('order-1').length).toBe(1);
  const send = (token: string, order_id: string) =>
    fetch(`${url}/api/orders/${token}/updates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: randomUUID(), update: { ...mug, order_id } }),
    });
  await send('order-1', 'behind');
  service.faults.next(rateLimited(600), { token: 'order-2' });
  await send('order-2', 'queued');
  // The 429 is stored: from here on the update is queued, whatever happens to the app.
  const isPaused = async () =>
    'pausedUntil' in ((await (await fetch(`${url}/api/status`)).json()) as StatusView);
  await expect.poll(isPaused).toBe(true);
  killed.kill('SIGKILL');
  await page.getByText('Connection lost').waitFor();
  expect(service.appliedUpdates('order-2')).toEqual([]);

  using again = runMerchant(words, env);
  await again.printed(/Merchant app/);
  await page.getByText('Connection lost').waitFor({ state: 'hidden' });
  await button('Resume now').click();
  await says('Needs review');
  await expect.poll(() => service.appliedUpdates('order-2')).toHaveLength(1);
  expect(service.appliedUpdates('order-1')).toHaveLength(1);
  await button('It was applied').click();
  await page.getByRole('group', { name: 'It was applied' }).getByRole('button', { name: 'Confirm' }).click();
  await expect.poll(() => service.appliedUpdates('order-1')).toMatchObject([{}, { order_id: 'behind' }]);
});

test('a QR payment goes through once, though the app is killed between the webhook and the update', async ({
  expect,
  skip,
}) => {
  needPostgres({ skip });
  await using service = await startMockOrderService({
    orders: ['order-1'],
    schema: ShopUpdate,
    webhooks: { timeoutMs: 60_000 },
  });
  const databaseUrl = await createDatabase(tables);
  const env = { ORDERS_API_KEY: service.key, DATABASE_URL: databaseUrl };
  const words = ['--base-url', service.url, '--order', 'order-1'];
  const [port, webhookPort] = await freePorts(2);
  words.push('--port', `${port}`, '--webhook-port', `${webhookPort}`);
  using killed = runMerchant(words, env);
  const url = await killed.printed(/Merchant app\s+(http:\S+)/);
  await using open = await openPage(`${url}/orders/order-1`, { isNew: true });
  const { page, button, says } = open;
  await button('Buyer and QR payment').click();
  await button('Use it for this order').click();
  await button('Send update').click();
  await says('Applied');

  const database = postgresStore({ connectionString: databaseUrl });
  // Nothing that the handler does can commit while the lock is held.
  const { id, delivered } = await database.transaction(async (tx) => {
    await tx.query('set local idle_in_transaction_session_timeout = 0');
    await tx.query('lock table merchant.updates in share mode');
    const delivery = await service.webhooks.send('start_qr_session', { sessionId: 'qr-1' });
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like 'insert into merchant.updates (%'`;
    await expect.poll(() => rowsOf(database, waiting)).not.toEqual([]);
    killed.kill('SIGKILL');
    await killed.ended;
    return delivery;
  });
  await database.close();
  expect(delivered).toBe(true);
  await page.getByText('Connection lost').waitFor();
  const sessions = () => service.appliedUpdates('order-1').map(({ qr_session_id }) => qr_session_id);
  expect(sessions()).toEqual([undefined]);

  using again = runMerchant(words, env);
  await again.printed(/Merchant app/);
  await page.getByText('Connection lost').waitFor({ state: 'hidden' });
  const scanned = page.getByRole('status').filter({ hasText: 'Scanned at' });
  await scanned.getByText('Applied').waitFor();
  // Each that comes after a repeat shows that it was ignored.
  await service.webhooks.replay(id);
  await service.webhooks.send('start_qr_session', { sessionId: 'qr-2' });
  await expect.poll(sessions).toEqual([undefined, 'qr-1', 'qr-2']);
  await page
    .getByRole('region', { name: 'Updates' })
    .getByText(/^QR payment/)
    .nth(1)
    .waitFor();
});
