import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inFull } from '../../../.ci/in-full.ts';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { insideTestLimitMs } from '../../../.ci/limits.ts';
import { examples } from '../src/playground-examples.ts';
import { type ServedSite, serveSite } from './serve-site.ts';
import { kindsOfPages, type View, views } from './views.ts';

let browser: Browser;
let site: ServedSite;
/** One window for all tests: opening one takes longer than loading a page in it. */
let page: Page;

beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), serveSite()]);
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.setDefaultTimeout(insideTestLimitMs);
});

afterAll(async () => {
  await browser.close();
  await site[Symbol.asyncDispose]();
});

interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Everything that the page reported. */
  readonly messages: readonly string[];
  /** Every URL that it requested. */
  readonly requested: readonly string[];
}

async function openPage(path: string, { colorScheme, viewport }: View): Promise<OpenPage> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  const messages: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('request', (request) => {
    requested.push(request.url());
    if (request.postData() !== null) messages.push(`sent to ${request.url()}: ${request.postData()}`);
  });
  await page.goto(site.url + path, { waitUntil: 'networkidle' });
  // The theme sets the role when its script has run: before, nothing responds to a click.
  await page.locator('#VPContent[role]').waitFor();
  const close = async () => {
    await page.removeAllListeners(undefined, { behavior: 'wait' });
    await page.evaluate(() => localStorage.clear());
    await page.goto('about:blank');
  };
  return { page, messages, requested, [Symbol.asyncDispose]: close };
}

const [light] = views as [View];
// In full, each page in each view; else the views take turns.
const sights = kindsOfPages.flatMap((path, index) =>
  views
    .filter((_, turn) => inFull || index % views.length === turn)
    .map((view) => ({ path, look: view.name, view })),
);

test.each(sights)(
  '$path in $look: no violation, nothing wider than the page',
  async ({ path, view }) => {
    await using open = await openPage(path, view);
    const { page, messages, requested } = open;
    const isDark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
    expect(isDark).toBe(view.colorScheme === 'dark');
    // The pages hold no frames, so axe needs no second page to put its results together in, which takes four times as long.
    const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
    const { violations } = await axe.analyze();
    expect(
      violations.map(({ id, nodes }) => [
        id,
        nodes.map(({ target, failureSummary }) => [target, failureSummary]),
      ]),
    ).toEqual([]);
    const [width, room] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(width).toBeLessThanOrEqual(room ?? 0);
    expect(messages).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(site.url))).toEqual([]);
  },
  90_000,
);

const searches = {
  idempotency: '/guides/retry-and-certainty.html#idempotency',
  signature: '/guides/qr-payments.html#signatures',
  csv: '/guides/csv-file.html',
  resume: '/guides/bulk.html#stop-early-and-resume',
  amounts: '/guides/amounts.html',
  upgrade: '/guides/upgrades.html',
  'mutual tls': '/guides/proxies-and-mtls.html#mutual-tls',
};

test('a search shows the page that covers it among the first', async () => {
  await using open = await openPage('/', light);
  const { page } = open;
  await page.getByRole('button', { name: 'Search' }).first().click();
  const results = page.getByRole('option').locator('a');
  for (const [words, target] of Object.entries(searches)) {
    await page.getByRole('searchbox').fill(words);
    const isFound = async () => {
      const links = await results.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      return links.slice(0, 5).some((link) => link.startsWith(target));
    };
    await expect.poll(isFound, { message: `"${words}" finds ${target}` }).toBe(true);
  }
});

test('the playground validates a body as it is typed, and sends it nowhere', async () => {
  await using open = await openPage('/playground.html', light);
  const { page, messages, requested } = open;
  const before = requested.length;
  const result = page.getByRole('region', { name: 'Result' });
  const body = page.getByRole('textbox', { name: 'Body of an order update' });

  await body.fill('{ "cart": {}, "require_shipping": "true" }');
  await expect
    .poll(() => result.textContent())
    .toMatch(/1 issue.*require_shipping.*Write true, without quotes\./s);
  await body.fill('{ "cart": {}, }');
  await expect.poll(() => result.textContent()).toMatch(/Not valid JSON.*JSON at position 14/s);
  await body.fill('{ "cart": {} }');
  await expect.poll(() => result.textContent()).toMatch(/Valid.*11 bytes/);
  await body.fill('');
  await expect.poll(() => result.textContent()).toContain('Paste a body');
  // When it is idle, the page fetches the scripts of pages that it links to.
  const isScript = (url: string) => /^\/assets\/[\w./-]+\.js$/.test(url.replace(site.url, ''));
  expect(requested.slice(before).filter((url) => !isScript(url))).toEqual([]);
  expect(messages).toEqual([]);
});

test('what is typed before the script of the playground runs is kept and validated', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/**/*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${site.url}/playground.html`, { waitUntil: 'commit' });
  const body = page.getByRole('textbox', { name: 'Body of an order update' });
  await body.fill('{ "cart": {} }');
  const isWorking = await page.getByRole('button', { name: 'Valid body' }).isEnabled();
  release();
  expect(isWorking).toBe(false);
  const result = page.getByRole('region', { name: 'Result' });
  await expect.poll(() => result.textContent()).toMatch(/Valid.*11 bytes/);
  expect(await body.inputValue()).toBe('{ "cart": {} }');
  await page.unrouteAll({ behavior: 'wait' });
});

test('the examples of the playground work with the keyboard alone, on a phone', async () => {
  const phone = views.find(({ name }) => name === 'phone') ?? light;
  await using open = await openPage('/playground.html', phone);
  const { page } = open;
  const result = page.getByRole('region', { name: 'Result' });
  for (const [title, text] of Object.entries(examples)) {
    await page.getByRole('button', { name: title, exact: true, disabled: false }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('textbox').inputValue()).toBe(text);
    const expected = title === 'Valid body' ? 'Valid' : title === 'Invalid JSON' ? 'Not valid JSON' : 'issue';
    await expect.poll(() => result.textContent()).toContain(expected);
  }
});
