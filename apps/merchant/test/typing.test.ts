import { buildOrderUpdate } from '@orders/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openTestPage, prepareTestBrowser } from './open-test-page.ts';

prepareTestBrowser();

const lines = 500;
const keys = 40;

const draft = buildOrderUpdate({
  cart: {
    items: Array.from({ length: lines }, (_, index) => ({
      type: 'physical',
      sku: `SKU-${index + 1}`,
      name: `Thing ${index + 1}`,
      quantity: 1,
      unit_price: 1000 + index,
      discount_rate: 0,
      vat_amount: 200,
    })),
  },
});

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** Measures what the page itself computes: time that other processes take from it does not count. */
async function watchWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
}

/** Has the page note how long it takes from each key to the end of the next frame. */
function watchFrames(page: Page): Promise<void> {
  return page.evaluate(() => {
    const took: number[] = [];
    Object.assign(window, { took });
    document.addEventListener(
      'keydown',
      () => {
        const start = performance.now();
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => took.push(performance.now() - start);
          port2.postMessage(0);
        });
      },
      { capture: true },
    );
  });
}

const framesOf = (page: Page): Promise<number[]> => page.evaluate(() => Reflect.get(window, 'took'));
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)];

test(`shows the first lines of a cart of ${lines} after less than a second of work`, async () => {
  await using open = await openTestPage({ others: ['order-2'], draft });
  const { page, desk } = open;
  await field(page, 'SKU, line 1').waitFor();
  const work = await watchWork(page);
  const before = await work();
  await page.goto(`${desk.url}/orders/order-2`);
  await field(page, 'SKU, line 1').waitFor();
  expect((await work()) - before).toBeLessThan(1000);
  expect(await page.locator('.cart-row').count()).toBeLessThan(lines / 5);
  expect(open.complaints).toEqual([]);
});

test.each(['SKU', 'Quantity'])(`takes a key in %s of a cart of ${lines} lines within 50 ms`, async (name) => {
  await using open = await openTestPage({ draft });
  const { page } = open;
  await page.getByRole('searchbox', { name: 'Find a line' }).fill('SKU-250');
  await page.keyboard.press('ArrowDown');
  await field(page, `${name}, line 250`).fill('');
  const work = await watchWork(page);
  await watchFrames(page);
  const worked: number[] = [];
  for (let key = 0; key < keys; key++) {
    const before = await work();
    // Every third key makes the field bad, and the next one good again.
    await page.keyboard.press(key % 3 === 1 ? 'x' : key % 3 === 2 ? 'Backspace' : '4');
    await expect.poll(async () => (await framesOf(page)).length, { interval: 5 }).toBe(key + 1);
    worked.push((await work()) - before);
  }
  expect(quantile(worked, 0.95)).toBeLessThan(50);
  expect(quantile(await framesOf(page), 0.5)).toBeLessThan(50);
  expect(await field(page, `${name}, line 250`).inputValue()).toBe('4'.repeat(14));
  expect(open.complaints).toEqual([]);
});
