import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { inFull } from '../../../../.ci/in-full.ts';
import { makeTestFolder } from '../run-merchant.ts';
import { openPage, prepareApp } from './open-page.ts';

const tokens = Array.from({ length: 20 }, (_, index) => `order-${index}`);
const body = { cart: { items: [{ sku: 'MUG', quantity: 1 }] } };
const { app } = prepareApp({ orders: [...tokens, 'review-1'].map((token) => ({ token, body })) });
const sentTo = (token: string) =>
  app().mock.journal.filter((entry) => entry.operation === 'update' && entry.token === token);

function fileOf(name: string, rows: readonly string[]) {
  const header = 'token,order_id,cart.items[0].sku,cart.items[0].quantity';
  return { name, mimeType: 'text/plain', buffer: Buffer.from([header, ...rows].join('\n')) };
}

const count = inFull ? 2_000 : 60;
const [bad, good] = [count - 20, count - 1];
const shownAs = (rows: number) => rows.toLocaleString('en');

test(`of ${shownAs(count)} rows with a bad one, the others are applied once and in sequence, and drawn as they are`, async ({
  expect,
}) => {
  await using open = await openPage(`${app().url}/bulk`);
  const { page, button, consoleLines } = open;
  // Two rows of each order follow each other.
  const rows = Array.from({ length: count }, (_, row) => tokens[(row >> 1) % tokens.length] ?? '');
  const lines = rows.map((token, row) => `${token},A-${row + 1},CUP,${row === bad ? '2.5' : 2}`);
  await page.locator('input[type=file]').setInputFiles(fileOf('prices.csv', lines));
  await page.getByText('1 row cannot be sent').waitFor();
  const shown = page.getByRole('combobox', { name: 'Rows' });
  await shown.selectOption({ label: 'Invalid (1)' });
  await page
    .getByRole('row', { name: new RegExp(`^${bad + 2} `) })
    .getByText('cart.items[0].quantity')
    .waitFor();
  await shown.selectOption({ label: `All (${shownAs(count)})` });
  await button('Next page').click();
  await page.getByRole('row', { name: /^52 / }).waitFor();
  expect(tokens.flatMap(sentTo)).toEqual([]);

  // Once an update of the second page is applied, a pause keeps back what is left, until it is ended by hand.
  const pause = { type: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
  const untilPage2 = Array.from({ length: 3 }, () => ({ type: 'none' }) as const);
  app().mock.faults.next([...untilPage2, pause], { token: 'order-9', operation: 'update' });
  await button(`Send ${shownAs(good)} updates`).click();
  await page.getByText(/^[\d,]+ updates? left$/).waitFor();
  await page.getByRole('table').getByText('Applied').first().waitFor();
  await button('Resume now').click();
  await page.getByText('Done', { exact: true }).waitFor();
  await page.getByText(`Applied: ${shownAs(good)}`).waitFor();
  for (const token of tokens) {
    const wanted = rows.flatMap((one, row) => (one === token && row !== bad ? [`A-${row + 1}`] : []));
    expect(
      app()
        .mock.appliedUpdates(token)
        .map(({ order_id }) => order_id),
    ).toEqual(wanted);
    expect((await app().call(`/api/orders/${token}`)).body.body.order_id).toBe(wanted.at(-1));
  }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Result file' }).click(),
  ]);
  const written = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(written).toHaveLength(count + 2);
  expect(written[1]).toBe('2,order-0,applied,200,');
  expect(written[bad + 1]).toMatch(
    new RegExp(`^${bad + 2},order-\\d+,invalid,,cart\\.items\\[0\\]\\.quantity: `),
  );
  // The bodies are kept no longer than they are needed.
  const kept = await app().parts.store.query(
    'select 1 from merchant.updates where body is not null and token = any($1)',
    [tokens],
  );
  expect(kept.rows).toEqual([]);
  expect(consoleLines).toEqual([]);
});

test('amounts with decimals are sent as integers, where the file has them so', async ({ expect }) => {
  await using open = await openPage(`${app().url}/bulk`);
  const { page, button } = open;
  const lines = [
    'token,cart.items[0].sku,cart.items[0].unit_price',
    'order-3,CUP,258.00',
    'order-4,CUP,258.005',
  ];
  const file = { name: 'decimals.csv', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('2 rows cannot be sent').waitFor();
  await page.getByRole('link', { name: 'Bulk files' }).click();
  await page.getByRole('radio', { name: 'With 2 decimals: 258.00' }).check();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('1 row cannot be sent').waitFor();
  await button('Send 1 update').click();
  await page.getByText('Applied: 1').waitFor();
  expect(app().mock.appliedUpdates('order-3').at(-1)).toEqual({
    cart: { items: [{ sku: 'CUP', unit_price: 25_800 }] },
  });
});

test('a file that cannot be read is refused, with the place', async () => {
  await using open = await openPage(`${app().url}/bulk`);
  const { page } = open;
  const upload = (file: ReturnType<typeof fileOf>) => page.locator('input[type=file]').setInputFiles(file);
  await upload({ ...fileOf('bad.csv', []), buffer: Buffer.from('token,cart.items[x].sku\norder-1,MUG') });
  await page.getByText('The file was not read').waitFor();
  await page.getByText(/cart\.items\[x\]\.sku/).waitFor();
  await using made = await makeTestFolder();
  const large = join(made.folder, 'large.csv');
  await writeFile(large, '');
  await truncate(large, 17 * 1_048_576);
  await page.locator('input[type=file]').setInputFiles(large);
  await page.getByText(/larger than/).waitFor();
});

test('rows are discarded: before they are sent, and while an outcome of their order needs review', async ({
  expect,
}) => {
  await using open = await openPage(`${app().url}/bulk`);
  const { page, button } = open;
  await page.locator('input[type=file]').setInputFiles(fileOf('none.csv', ['review-1,A-0,CUP,1']));
  await button('Discard').click();
  await page.getByText('Discarded: 1').waitFor();
  await page.getByRole('link', { name: 'Bulk files' }).click();
  await page
    .getByRole('row', { name: /none\.csv/ })
    .getByText('Discarded')
    .waitFor();
  app().mock.faults.next({ type: 'reset_after_applying' }, { operation: 'update' });
  const rows = ['review-1,A-1,CUP,1', 'review-1,A-2,CUP,2', 'review-1,A-3,CUP,3'];
  await page.locator('input[type=file]').setInputFiles(fileOf('three.csv', rows));
  await button('Send 3 updates').click();
  await page.getByText('Needs review: 1').waitFor();
  // Nothing is being sent, and the page says for whom the others wait.
  await page.getByText('2 updates wait for your decision about 1 unknown outcome').waitFor();
  await page.getByText('Waits for you', { exact: true }).first().waitFor();
  expect(await page.getByText(/updates? left$/).count()).toBe(0);
  const rowsOfPage = page.getByRole('table');
  await rowsOfPage.getByRole('link', { name: 'Decide about an earlier update' }).nth(1).waitFor();
  await button('Discard 2 queued updates').click();
  await page.getByText('Discarded: 2').waitFor();
  await page.getByRole('link', { name: 'Review 1 unknown outcome' }).click();
  await button('It was applied').click();
  await button('Confirm').click();
  await page.getByText('Nothing needs review').waitFor();
  expect(sentTo('review-1')).toHaveLength(1);
});
