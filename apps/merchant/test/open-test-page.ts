import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { openTestDesk, type TestDesk, type TestDeskOptions } from './open-test-desk.ts';

let browser: Browser;

/** Launches a browser for the tests of a file, and closes it after them. */
export function prepareTestBrowser(): void {
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser.close());
}

/** A desk, and its page in a browser of its own. */
export interface TestPage extends TestDesk {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Everything that the page complained about, violations of its policy included. */
  readonly complaints: readonly string[];
  /** The text of every answer that ended, and the headers of all. */
  readonly answers: readonly Promise<string>[];
}

/** Opens the page of a desk; when it is closed, nothing of it may have asked another host. */
export async function openTestPage(options?: TestDeskOptions): Promise<TestPage> {
  const open = await openTestDesk(options);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const answers: Promise<string>[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  const strangers: string[] = [];
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^https?:$/.test(protocol) && hostname !== '127.0.0.1') strangers.push(request.url());
  });
  page.on('response', (answer) => {
    // The stream of events does not end while the page is open.
    const isStream = /event-stream/.test(answer.headers()['content-type'] ?? '');
    const text = isStream ? Promise.resolve('') : answer.text().catch(() => '');
    answers.push(text.then((body) => body + JSON.stringify(answer.headers())));
  });
  await page.goto(open.desk.url);
  return {
    ...open,
    context,
    page,
    complaints,
    answers,
    async [Symbol.asyncDispose]() {
      await context.close();
      await open[Symbol.asyncDispose]();
      expect(strangers).toEqual([]);
    },
  };
}
