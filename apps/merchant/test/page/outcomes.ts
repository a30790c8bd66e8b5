import type { Locator, Request } from 'playwright-core';
import { test } from 'vitest';
import { beatMs } from '../../shared/limits.ts';
import { openPage, prepareApp, type TestOrderPage } from './open-page.ts';

const { app, openOrder } = prepareApp();

const mug = { cart: { items: [{ sku: 'MUG', quantity: 1 }] } };
const lost = { type: 'reset_after_applying' } as const;

/** Sends an update that is applied, but whose response is lost. */
async function sendUnknown({ field, button, says }: TestOrderPage, name: string): Promise<void> {
  app().mock.faults.next(lost, { operation: 'update' });
  await field('Name').fill(name);
  await button('Send update').click();
  await says("Outcome unknown: it was sent, but we don't know whether it was applied");
}

/** Whether the focus is on an element, or on one inside. */
const isWithFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((shown) => shown.contains(document.activeElement));

test('an unknown outcome is settled in each of the three ways, with the keyboard', async ({ expect }) => {
  await using open = await openOrder(mug);
  const { page, button, says, applied } = open;
  await sendUnknown(open, 'first');
  await page
    .getByRole('link', { name: /Needs review/ })
    .getByText('1')
    .waitFor();
  await button('It was applied').focus();
  await page.keyboard.press('Enter');
  await button('Cancel').press('Enter');
  await page.waitForFunction(() => document.activeElement?.textContent === 'It was applied');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  const dialog = page.getByRole('group', { name: 'It was applied' });
  while (!(await isWithFocus(dialog.getByRole('textbox', { name: 'Note', exact: true }))))
    await page.keyboard.press('Tab');
  await page.keyboard.type('found it in the back office');
  while (!(await isWithFocus(dialog.getByRole('button', { name: 'Confirm' }))))
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await says('Applied');
  await page.getByText('found it in the back office').waitFor();
  await page.locator('.send-bar [role=status]:focus').waitFor();
  // What a person found applied is what the editor starts from.
  await expect.poll(async () => (await open.read()).body.cart.items?.[0]?.name).toBe('first');

  await sendUnknown(open, 'second');
  await page.getByRole('link', { name: /Needs review/ }).click();
  const article = page.getByRole('article', { name: open.token });
  await article.getByText('Outcome unknown').waitFor();
  await article.getByRole('button', { name: 'Send again' }).click();
  await button('Confirm').click();
  await article.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Needs review' }).and(page.locator(':focus')).waitFor();
  await expect.poll(() => applied().length).toBe(3);
  expect(applied()[2]).toEqual(applied()[1]);

  await page.goBack();
  await button('Send update').waitFor();
  await sendUnknown(open, 'third');
  await button('Discard').click();
  await button('Confirm').click();
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

test('an update rejected with a hostile response stays as it was typed, and can be sent again', async ({
  expect,
}) => {
  await using open = await openOrder(mug);
  const { page, field, button, says, consoleLines } = open;
  app().mock.faults.next(unprocessable, { operation: 'update' });
  await field('Name').fill('Mug');
  await button('Send update').click();
  await says(/422/);
  expect(await field('Name').inputValue()).toBe('Mug');
  await page.getByText('Receipt', { exact: true }).click();
  await page.getByText('"outcome": "rejected"').waitFor();
  await page.getByRole('link', { name: /^Needs review/ }).click();
  await page.getByRole('heading', { name: /rejected/ }).waitFor();
  expect(consoleLines).toEqual([]);
  const article = page.getByRole('article', { name: open.token });
  await article.getByRole('button', { name: 'Send again' }).click();
  await button('Confirm').click();
  await article.waitFor({ state: 'detached' });
  await page.goBack();
  await expect.poll(() => field('Name').inputValue()).toBe('Mug');
  await says('No changes');
});

test('what waits for a decision says so, in the editor and in the list, and the decision is beside the button that sends', async ({
  expect,
}) => {
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
  await row.getByRole('link', { name: 'Decide about an earlier update' }).waitFor();
  // However long the page is, the decision is where the update is sent.
  await page.evaluate(() => window.scrollTo(0, 0));
  const [decision, send] = [bar.getByRole('button', { name: 'It was applied' }), button('Send update')];
  for (const shown of [decision, send])
    expect(
      await shown.evaluate((element) => element.getBoundingClientRect().bottom <= window.innerHeight),
    ).toBe(true);
  await decision.click();
  await button('Confirm').click();
  await says('Applied');
  await row.getByText('Applied', { exact: true }).waitFor();
  expect(applied()).toMatchObject([
    { cart: { items: [{ name: 'first' }] } },
    { cart: { items: [{ name: 'second' }] } },
  ]);
});

test('a note about one update is never a note about another', async ({ expect }) => {
  await using open = await openOrder(mug);
  const { page, button, token } = open;
  await sendUnknown(open, 'first');
  await button('Discard').click();
  await page.getByRole('textbox', { name: 'Note', exact: true }).fill('about the first');
  // The window sees nothing between the decision of another one and the next update that needs it.
  await page.route(`**/api/orders/${token}?*`, (route) => route.abort());
  const [first] = (await open.read()).updates;
  await app().call(`/api/updates/${first?.id}/resolve`, {});
  app().mock.faults.next(lost, { operation: 'update' });
  await app().call(`/api/orders/${token}/updates`, { id: crypto.randomUUID(), update: mug });
  await expect.poll(async () => (await open.read()).updates[0]?.state).toBe('needs_review');
  await page.unroute(`**/api/orders/${token}?*`);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  const [second] = (await open.read()).updates;
  await page.locator(`.send-bar a[href="#update-${second?.id}"]`).waitFor();
  expect(await button('Confirm').count()).toBe(0);
  await button('Discard').click();
  expect(await page.getByRole('textbox', { name: 'Note', exact: true }).inputValue()).toBe('');
});

test('a hidden window lets go of its event stream, and catches up once it is shown', async ({ expect }) => {
  await using open = await openOrder(mug, { isNew: true });
  const { page, token } = open;
  const show = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  const isStream = (request: Request) => request.url().endsWith('/api/events');
  const opened: Request[] = [];
  page.on('request', (request) => isStream(request) && opened.push(request));
  const closed = page.waitForEvent('requestfailed', isStream);
  await show(true);
  await closed;
  await app().call(`/api/orders/${token}/updates`, { id: crypto.randomUUID(), update: mug });
  await expect.poll(async () => (await open.read()).lastUpdate?.state).toBe('applied');
  expect(opened).toEqual([]);
  await show(false);
  await page.getByText('Applied', { exact: true }).waitFor();
});

test('an order and a bulk file that cannot be read again stay, below an error, until they can', async () => {
  await using open = await openOrder(mug);
  const body = `token,order_id,cart.items[0].sku\n${open.token},A-1,MUG\n`;
  const headers = { 'content-type': 'application/octet-stream' };
  const bulk = await app().call('/api/bulks?name=a.csv', undefined, { method: 'POST', body, headers });
  await using other = await openPage(`${app().url}/bulk/${bulk.body.id}`);
  await other.button('Send 1 update').waitFor();
  for (const { page, button, path, action } of [
    { ...open, path: '**/api/orders/*', action: 'Send update' },
    { ...other, path: '**/api/bulks/*', action: 'Send 1 update' },
  ]) {
    const error = page.getByRole('main').getByText('cannot be reached');
    await page.route(path, (route) => route.abort());
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await error.waitFor();
    await button(action).waitFor();
    await page.unroute(path);
    await error.waitFor({ state: 'hidden' });
  }
});

test('a view that could not be loaded is loaded by itself once it can be, also where no event comes', async () => {
  await using open = await openOrder(mug, { isNew: true });
  const { page, button } = open;
  // Events are among them.
  await page.route('**/api/*', (route) => route.abort());
  await page.route(`**/api/orders/${open.token}?*`, (route) => route.fulfill({ status: 503, body: '' }));
  await page.reload();
  await page.getByRole('heading', { name: 'Order cannot be loaded' }).waitFor();
  await page.unroute(`**/api/orders/${open.token}?*`);
  await button('Send update').waitFor();
});

test('a lost event stream is named, and opened again', async () => {
  await using open = await openOrder(mug);
  const { page } = open;
  await page.route('**/api/events', (route) => route.abort());
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByText('Connection lost').waitFor();
  await page.unroute('**/api/events');
  await page.getByText('Connection lost').waitFor({ state: 'hidden' });
});

test('an event stream that died in silence is named, and opened again', async ({ expect }) => {
  await using open = await openOrder(mug, { isNew: true });
  const { page } = open;
  // Time stands still but for what the test moves; until then it runs, for no more than an hour.
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(3_600_000);
  const streams = await page.evaluateHandle(() => {
    const opened: EventSource[] = [];
    window.EventSource = class extends EventSource {
      constructor(url: string | URL) {
        super(url);
        opened.push(this);
      }
    };
    return opened;
  });
  const count = () => streams.evaluate(({ length }) => length);
  const connected = page.waitForResponse('**/api/events');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await connected;
  await page.clock.fastForward(2 * beatMs);
  await streams.evaluate((opened) => opened[0]?.dispatchEvent(new MessageEvent('beat')));
  await page.clock.fastForward(2 * beatMs);
  expect(await count()).toBe(1);
  await page.route('**/api/events', () => {});
  await page.clock.fastForward(2 * beatMs);
  await page.getByText('Connection lost').waitFor();
  expect(await count()).toBe(2);
  await page.unroute('**/api/events');
  await page.clock.fastForward(4 * beatMs);
  await page.getByText('Connection lost').waitFor({ state: 'hidden' });
});

test('a request that gets no response in time is made again, and what changes meanwhile is shown', async ({
  expect,
}) => {
  await using open = await openOrder({ cart: { items: [] } }, { isNew: true });
  const { page, token } = open;
  const update = (sku: string) => ({ id: crypto.randomUUID(), update: { cart: { items: [{ sku }] } } });
  // The time that a request has ends when the test says so.
  const times = await page.evaluateHandle(() => {
    const running: { readonly ms: number; readonly ending: AbortController }[] = [];
    AbortSignal.timeout = (ms) => {
      const ending = new AbortController();
      running.push({ ms, ending });
      return ending.signal;
    };
    return running;
  });
  const hanging = Promise.withResolvers<void>();
  await page.route('**/api/status', () => hanging.resolve(), { times: 1 });
  await app().call(`/api/orders/${token}/updates`, update('MUG'));
  await hanging.promise;
  app().mock.faults.next({ type: 'status', status: 422 }, { token });
  await app().call(`/api/orders/${token}/updates`, update('CUP'));
  await times.evaluate((running) => {
    for (const { ending } of running) ending.abort(new DOMException('', 'TimeoutError'));
  });
  await page.getByText('Rejected', { exact: true }).waitFor();
  expect(await times.evaluate((running) => running[0]?.ms)).toBe(10_000);
});
