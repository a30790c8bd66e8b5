import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OutboxView } from '../src/contract/outbox-view.ts';
import { findViolations } from './find-violations.ts';
import { openTestPage, prepareTestBrowser, type TestPage } from './open-test-page.ts';

prepareTestBrowser();

// One desk for the file, since tables of an outbox take time to make: each test works on orders of its own.
let open: TestPage;

beforeAll(async () => {
  open = await openTestPage({
    others: ['burst-2', 'review-1', 'review-2', 'reject-1'],
    sendsThrough: 'outbox',
    path: '/outbox',
  });
  await open.page.getByRole('heading', { level: 1, name: 'Outbox' }).waitFor();
}, 60_000);

afterAll(async () => {
  expect(open.complaints).toEqual([]);
  await open[Symbol.asyncDispose]();
});

const lost = { type: 'reset_after_applying' } as const;
const busy = { type: 'status', status: 429, headers: { 'retry-after': '1' } } as const;

const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true });
const queue = (page: Page) => page.getByRole('region', { name: 'On their way' });
const undecided = (page: Page) => page.getByRole('region', { name: 'Waiting for you' });
const count = (page: Page, name: string, number: number) =>
  page
    .locator('.outbox-count', { hasText: name })
    .locator('.outbox-number')
    .getByText(`${number}`, { exact: true });
const nothingWaits = (page: Page) => undecided(page).getByText('Nothing waits for you').waitFor();

function submit(token: string, ...names: readonly string[]) {
  return Promise.all(
    names.map((sku) =>
      open.updates.submit({ id: crypto.randomUUID(), token, body: { cart: { items: [{ sku }] } } }),
    ),
  );
}

const applied = (token: string) => open.service.appliedUpdates(token).map(({ cart }) => cart.items?.[0]?.sku);

test('shows a burst wait while the service is busy, and leave once it takes updates again', async () => {
  const { page, service } = open;
  await nothingWaits(page);
  await queue(page).getByText('Nothing is queued').waitFor();
  service.faults.always(busy);
  await submit('order-1', 'one', 'two', 'three');
  await submit('burst-2', 'other');
  await count(page, 'Queued', 4).waitFor();
  await queue(page).getByText('Waits for its next attempt').first().waitFor();
  await queue(page)
    .getByText(/1 attempt · last: Answer 429$/)
    .first()
    .waitFor();
  expect(await queue(page).getByText('Waits for an earlier update of its order').count()).toBe(2);
  service.faults.clear();
  await queue(page).getByText('Nothing is queued').waitFor();
  await count(page, 'Queued', 0).waitFor();
  expect(applied('order-1')).toEqual(['one', 'two', 'three']);
  expect(applied('burst-2')).toEqual(['other']);
});

test('an unknown outcome needs review, and a person sends it again, or discards it', async () => {
  const { page, service } = open;
  for (const token of ['review-1', 'review-2']) service.faults.next(lost, { token });
  await submit('review-1', 'first', 'behind');
  await submit('review-2', 'gone');
  await count(page, 'Needs review', 2).waitFor();
  await link(page, 'Outbox 2 waiting').waitFor();
  await queue(page).getByText('Waits for your choice about an earlier update of its order').waitFor();
  await undecided(page)
    .getByText('Needs review: its outcome is unknown, and its order waits')
    .first()
    .waitFor();
  const one = (tail: string) =>
    undecided(page).locator('.decisions-item', { hasText: `Update of Order …${tail}` });
  await one('ew-1').getByText('it may be applied twice').waitFor();
  expect(await findViolations(page)).toEqual([]);

  // The switchboard says what holds the lane, and where to decide.
  const board = await open.context.newPage();
  await board.goto(new URL('/switchboard', page.url()).href);
  const lane = board.getByRole('listitem').filter({ hasText: 'Order …ew-1' });
  await lane.getByText('0 done, 1 queued').waitFor();
  expect(await findViolations(board)).toEqual([]);
  await lane.getByRole('link', { name: 'Unknown: waits for your choice' }).click();
  await undecided(board).getByText('it may be applied twice').first().waitFor();
  await board.goBack();

  await one('ew-1').getByRole('button', { name: 'Send again' }).click();
  await one('ew-2').getByRole('button', { name: 'Discard' }).click();
  await nothingWaits(page);
  await queue(page).getByText('Nothing is queued').waitFor();
  await link(page, 'Outbox').waitFor();
  await lane.getByText('2 done, 0 queued').waitFor();
  await board.close();
  expect(applied('review-1')).toEqual(['first', 'first', 'behind']);
  expect(applied('review-2')).toEqual(['gone']);
});

test('a rejected update is listed with its error, and is sent again from its order', async () => {
  const { page, service } = open;
  service.faults.next({ type: 'status', status: 409 }, { token: 'reject-1' });
  await submit('reject-1', 'rejected', 'later');
  await count(page, 'Rejected', 1).waitFor();
  await undecided(page).getByText('Rejected: later updates of its order were sent').waitFor();
  await undecided(page).getByText(/409/).waitFor();
  await undecided(page).getByText('Send a corrected update from the order instead.').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  await undecided(page).getByRole('link', { name: 'Open the order' }).click();
  await page.getByRole('heading', { level: 1, name: 'Order …ct-1' }).waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  const earlier = page.getByRole('region', { name: 'Earlier updates' });
  await earlier.getByText('Sent off again').waitFor();
  await earlier.getByText('Attempt 2').waitFor();
  await earlier.getByText('Applied').first().waitFor();
  await link(page, 'Outbox').click();
  await count(page, 'Rejected', 0).waitFor();
  expect(applied('reject-1')).toEqual(['later', 'rejected']);
});

test('says that updates wait while the service is unavailable, and sends them once it responds', async () => {
  const { page, desk } = open;
  const set = (trouble: string) =>
    fetch(`${desk.url}/api/switchboard`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ trouble, percent: 100 }),
    });
  await page.goto(`${desk.url}/outbox`);
  await page.getByText('Updates leave as soon as it is their turn.').waitFor();
  expect((await set('down')).status).toBe(200);
  const before = applied('burst-2').length;
  for (const token of ['order-1', 'burst-2', 'review-1']) await submit(token, 'down');
  await page.getByText('The order service is unavailable: updates wait until it responds again.').waitFor();
  await set('none');
  await queue(page).getByText('Nothing is queued').waitFor();
  await page.getByText('Updates leave as soon as it is their turn.').waitFor();
  expect(applied('burst-2').slice(before)).toEqual(['down']);
});

test('serves the status of the outbox, and the page at /decisions', async () => {
  const { desk } = open;
  const answer = (await (await fetch(`${desk.url}/api/outbox`)).json()) as OutboxView;
  expect(answer).toEqual({
    counts: { queued: 0, sending: 0, needsReview: 0, rejected: 0 },
    service: 'ok',
    waiting: [],
  });
  expect((await fetch(`${desk.url}/decisions`)).status).toBe(200);
});
