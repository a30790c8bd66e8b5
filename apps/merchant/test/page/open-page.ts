import AxeBuilder from '@axe-core/playwright';
import type { Browser, ConsoleMessage, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../../../../.ci/launch-browser.ts';
import { insideTestLimitMs } from '../../../../.ci/limits.ts';
import type { OrderDetail } from '../../page/api.ts';
import { addOrders } from '../../server/stored-orders.ts';
import type { ShopUpdate } from '../../shared/order-update.ts';
import { openTestApp, type TestApp, type TestAppOptions } from '../open-test-app.ts';

/** One for all groups, and how many of them still need it. */
let browser: Promise<Browser> | undefined;
let groups = 0;
function openBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}
/** Closed by hand, since a process that is killed leaves the folders of its browser. */
async function closeBrowser(): Promise<void> {
  const closing = browser;
  browser = undefined;
  idle.length = 0;
  await (await closing)?.close();
}

/** Starts an app for the tests of a group, and closes it afterwards. */
export function prepareApp(options: TestAppOptions = {}) {
  let app: TestApp;
  let orders = 0;
  groups += 1;
  beforeAll(async () => {
    [app] = await Promise.all([openTestApp(options), openBrowser()]);
  });
  afterEach(() => app.mock.faults.clear());
  afterAll(async () => {
    groups -= 1;
    await Promise.all([app.close(), groups === 0 && closeBrowser()]);
  });
  return {
    app: () => app,
    /** Adds an order with a body, and opens its page. */
    // None is the beginning of another.
    openOrder: (body: object, options?: OpenOptions) =>
      openOrder(app, { token: `opened-${String(++orders).padStart(3, '0')}`, body, ...options }),
  };
}

interface OpenOptions {
  /** Whether the window is loaded anew, and closed afterwards. @default false */
  readonly isNew?: boolean;
}

/** A window of the page, on an app. */
export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** All that the console printed, violations of the content security policy included. */
  readonly consoleLines: readonly string[];
  readonly field: (name: string | RegExp) => Locator;
  readonly button: (name: string | RegExp) => Locator;
  /** Waits until the bar that sends says a text. */
  readonly says: (text: string | RegExp) => Promise<void>;
}

/** Windows that tests have left, at a view that shows nothing: another view opens there in a third of the time of a load. */
const idle: Page[] = [];
const viewport = { width: 1280, height: 720 };
const media = { colorScheme: 'light', reducedMotion: 'reduce' } as const;

async function openWindow(): Promise<Page> {
  const context = await (await openBrowser()).newContext({ locale: 'en-GB', viewport, ...media });
  const page = await context.newPage();
  // A wait that never ends says what it was for.
  page.setDefaultTimeout(insideTestLimitMs);
  return page;
}

/** Keeps a window for another test of its app, with nothing of this one, or closes it. */
async function leaveWindow(page: Page): Promise<void> {
  const context = page.context();
  try {
    if (context.pages().length !== 1) throw new Error('It has other windows.');
    if ((await page.evaluate(() => localStorage.length)) > 0) throw new Error('It has colors of its own.');
    await page.unrouteAll();
    await page.mouse.move(0, 0);
    await page.setViewportSize(viewport);
    await page.emulateMedia(media);
    await showView(page, '/nothing');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    idle.push(page);
  } catch {
    await context.close();
  }
}

/** Goes to a view as a link does. */
const showView = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => history.pushState(null, '', to), path);

/**
 * Opens a path of an app in a window of its own; nothing in it may call another host. A new window is loaded, and closed
 * afterwards: for an app that ends with the test, and for a test that changes what scripts find there.
 */
export async function openPage(url: string, { isNew = false }: OpenOptions = {}): Promise<TestPage> {
  const { origin, pathname } = new URL(url);
  const place = isNew ? -1 : idle.findIndex((left) => new URL(left.url()).origin === origin);
  const [left] = place < 0 ? [] : idle.splice(place, 1);
  const page = left ?? (await openWindow());
  const consoleLines: string[] = [];
  const foreign: string[] = [];
  const onConsole = (message: ConsoleMessage) => consoleLines.push(`${message.type()}: ${message.text()}`);
  const onError = (error: Error) => consoleLines.push(error.message);
  const onRequest = (request: Request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).hostname !== '127.0.0.1')
      foreign.push(request.url());
  };
  page.on('console', onConsole).on('pageerror', onError);
  page.context().on('request', onRequest);
  await (left ? showView(page, pathname) : page.goto(url));
  return {
    page,
    consoleLines,
    field: (name) => page.getByRole('textbox', { name, exact: typeof name === 'string' }),
    button: (name) => page.getByRole('button', { name, exact: typeof name === 'string' }),
    says: (text) => page.locator('.send-bar [role=status]').getByText(text).first().waitFor(),
    async [Symbol.asyncDispose]() {
      page.off('console', onConsole).off('pageerror', onError);
      page.context().off('request', onRequest);
      await (isNew ? page.context().close() : leaveWindow(page));
      expect(foreign).toEqual([]);
    },
  };
}

/** The page of an order. */
export interface TestOrderPage extends TestPage {
  readonly token: string;
  /** What the order service has applied to the order. */
  readonly applied: () => readonly unknown[];
  /** The order as the page gets it. */
  readonly read: () => Promise<OrderDetail>;
}

async function openOrder(
  app: TestApp,
  { token, body, ...options }: OpenOptions & { readonly token: string; readonly body: object },
): Promise<TestOrderPage> {
  // A test may begin with a body that no schema would let through.
  const order = { token, body: body as ShopUpdate };
  app.mock.addOrder({ token, data: order.body });
  await addOrders(app.parts.store, [order]);
  const open = await openPage(`${app.url}/orders/${token}`, options);
  await open.button('Send update').waitFor();
  return {
    ...open,
    token,
    applied: () => app.mock.appliedUpdates(token),
    read: async () => (await app.call(`/api/orders/${token}`)).body,
  };
}

/** What axe finds wrong with a page, or with what a selector matches, each with where and why. */
export async function findViolations(page: Page, within?: string): Promise<readonly unknown[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await (within === undefined ? axe : axe.include(within)).analyze();
  return violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ target, failureSummary }) => [target, failureSummary]),
  ]);
}
