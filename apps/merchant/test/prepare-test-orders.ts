import type { OrderUpdate } from '@orders/schema';
import { buildOrderUpdate } from '@orders/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { openTestPage, prepareTestBrowser, type TestPage } from './open-test-page.ts';

/** An order of a test alone, on the page that the tests of the file share. */
export interface TestOrder extends Pick<TestPage, 'page' | 'desk' | 'service' | 'storage'> {
  readonly token: string;
}

/**
 * Opens one desk and one page for the tests of a file, which takes as long as most of them: each is given an order of its
 * own, and goes to it within the page. No test may make the page complain.
 */
export function prepareTestOrders(): (draft?: OrderUpdate) => Promise<TestOrder> {
  prepareTestBrowser();
  let open: TestPage;
  let orders = 0;
  let complaints = 0;

  beforeAll(async () => {
    open = await openTestPage({ retry: { maxAttempts: 3 } });
  }, 60_000);
  afterEach(() => {
    const heard = open.complaints.slice(complaints);
    complaints = open.complaints.length;
    // The browser itself tells of what the desk refuses, and of what a test cuts off.
    expect(heard.filter((text) => !text.includes('Failed to load resource'))).toEqual([]);
  });
  afterAll(() => open[Symbol.asyncDispose]());

  return async (draft = buildOrderUpdate()) => {
    const { page, desk, service, storage } = open;
    const token = `test-order-${++orders}`;
    await storage.orders.add([{ token, body: draft }]);
    service.addOrder(token);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const path = `/orders/${token}`;
    if (await page.locator('#root').count())
      await page.evaluate((to) => history.pushState(null, '', to), path);
    else await page.goto(desk.url + path);
    await page.getByText(token, { exact: true }).waitFor();
    return { page, desk, service, storage, token };
  };
}
