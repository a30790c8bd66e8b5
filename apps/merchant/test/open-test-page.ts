import type { Browser, BrowserContext, ConsoleMessage, Page, Request, Response } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { openTestDesk, type TestDesk, type TestDeskOptions } from './open-test-desk.ts';

let browser: Browser;
/**
 * The page that an earlier test of the file has left, and the ports of the desks it was on, from where the browser knows
 * the scripts. They take turns: what a page saves as it is left may arrive when the next test has begun.
 */
let idle: { readonly page: Page; readonly ports: readonly number[] } | undefined;

/** Launches a browser for the tests of a file, and closes it after them. */
export function prepareTestBrowser(): void {
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(async () => {
    idle = undefined;
    await browser.close();
  });
}

/** A desk, and its page in a browser. */
export interface TestPage extends TestDesk {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Everything that the page complained about, violations of its policy included. */
  readonly complaints: readonly string[];
  /** The text of every answer that ended, and the headers of all, where they are kept. */
  readonly answers: readonly Promise<string>[];
}

export interface TestPageOptions extends TestDeskOptions {
  /** Whether the answers of the desk are kept. @default false */
  readonly keepAnswers?: boolean;
  /** What is opened of the desk. @default '/' */
  readonly path?: string;
}

/**
 * Opens the page of a desk, where nothing is left of an earlier test; when it is closed, nothing of it may have asked
 * another host.
 */
export async function openTestPage(options: TestPageOptions = {}): Promise<TestPage> {
  const { keepAnswers = false, path = '', ...deskOptions } = options;
  // Of an answer that the browser has kept, there is no text.
  if (keepAnswers) await closeIdle();
  const { page = await openPage(), ports = [] } = idle ?? {};
  idle = undefined;
  const [port = 0] = ports.length < 2 ? [] : ports;
  const open = await openTestDesk({ ...deskOptions, port });
  const context = page.context();
  const complaints: string[] = [];
  const strangers: string[] = [];
  const answers: Promise<string>[] = [];
  const leave = watch(page, {
    onConsole: (message) => complaints.push(`${message.type()}: ${message.text()}`),
    onError: (error) => complaints.push(error.message),
    onRequest(request) {
      const { protocol, hostname } = new URL(request.url());
      if (/^https?:$/.test(protocol) && hostname !== '127.0.0.1') strangers.push(request.url());
    },
    onAnswer(answer) {
      if (keepAnswers) answers.push(readAnswer(answer));
    },
  });
  await page.goto(open.desk.url + path);
  return {
    ...open,
    context,
    page,
    complaints,
    answers,
    async [Symbol.asyncDispose]() {
      leave();
      await tidy(page);
      idle = { page, ports: [...ports.slice(-1), Number(new URL(open.desk.url).port)] };
      await open[Symbol.asyncDispose]();
      expect(strangers).toEqual([]);
    },
  };
}

async function closeIdle(): Promise<void> {
  await idle?.page.context().close();
  idle = undefined;
}

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ viewport, locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

const viewport = { width: 1280, height: 800 };

/** Makes a page as good as new, but for the files that it knows. */
async function tidy(page: Page): Promise<void> {
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(viewport);
}

interface Watcher {
  readonly onConsole: (message: ConsoleMessage) => void;
  readonly onError: (error: Error) => void;
  readonly onRequest: (request: Request) => void;
  readonly onAnswer: (answer: Response) => void;
}

function watch(page: Page, { onConsole, onError, onRequest, onAnswer }: Watcher): () => void {
  const context = page.context();
  page.on('console', onConsole);
  page.on('pageerror', onError);
  page.on('response', onAnswer);
  context.on('request', onRequest);
  return () => {
    page.off('console', onConsole);
    page.off('pageerror', onError);
    page.off('response', onAnswer);
    context.off('request', onRequest);
  };
}

async function readAnswer(answer: Response): Promise<string> {
  // The stream of events does not end while the page is open.
  const isStream = /event-stream/.test(answer.headers()['content-type'] ?? '');
  const body = isStream ? '' : await answer.text().catch(() => '');
  return body + JSON.stringify(answer.headers());
}
