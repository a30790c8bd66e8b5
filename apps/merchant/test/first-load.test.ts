import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openTestPage, prepareTestBrowser } from './open-test-page.ts';

prepareTestBrowser();

test('loads at most 200 kB of script, in gzip, before an order can be edited', async () => {
  await using open = await openTestPage();
  const { page, context } = open;
  const fresh = await context.newPage();
  const scripts: Promise<Buffer>[] = [];
  fresh.on('response', (answer) => {
    if (answer.request().resourceType() === 'script') scripts.push(answer.body());
  });
  await fresh.goto(page.url());
  await fresh.getByRole('button', { name: 'Send update' }).waitFor();
  await fresh.waitForLoadState('load');
  const sizes = (await Promise.all(scripts)).map((body) => gzipSync(body).length);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000);
});

test('can be typed into within a second of its being asked for', async () => {
  await using open = await openTestPage();
  const { context, page } = open;
  const took: number[] = [];
  // Other programs may take time from one load, but not from each of five.
  for (let load = 0; load < 5; load++) {
    const fresh = await context.newPage();
    await fresh.goto(page.url());
    await fresh.getByRole('textbox', { name: 'Quantity, line 1', exact: true }).fill('7');
    took.push(await fresh.evaluate(() => performance.now()));
    await fresh.close();
  }
  expect(Math.min(...took)).toBeLessThan(1_000);
});
