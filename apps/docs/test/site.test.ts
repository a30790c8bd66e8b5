import AxeBuilder from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { type ServedSite, serveSite } from './serve-site.ts';
import { kindsOfPages, type View, views } from './views.ts';

let browser: Browser;
let site: ServedSite;

beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), serveSite()]);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await site[Symbol.asyncDispose]();
});

interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Everything that the page complained about. */
  readonly complaints: readonly string[];
  /** Every address that it asked for. */
  readonly asked: readonly string[];
}

async function openPage(path: string, { colorScheme, viewport }: View): Promise<OpenPage> {
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(site.url + path, { waitUntil: 'networkidle' });
  return { page, complaints, asked, [Symbol.asyncDispose]: () => context.close() };
}

const [light] = views as [View];
const sights = kindsOfPages.flatMap((path) => views.map((view) => ({ path, look: view.name, view })));

test.each(sights)(
  '$path in $look: no violation, nothing wider than the page',
  async ({ path, view }) => {
    await using open = await openPage(path, view);
    const { page, complaints, asked } = open;
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
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(site.url))).toEqual([]);
  },
  90_000,
);

test('search finds a page by its words', async () => {
  await using open = await openPage('/', light);
  const { page } = open;
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('mutual tls');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/proxies-and-mtls\.html#mutual-tls$/);
});

test('the playground explains a body as it is typed, and asks nobody', async () => {
  await using open = await openPage('/playground.html', light);
  const { page, complaints, asked } = open;
  const before = asked.length;
  const report = page.getByRole('region', { name: 'What is to be said of it' });
  const body = page.getByRole('textbox', { name: 'Body of an order update' });

  await body.fill('{\n  "cart": {},\n  "require_shipping": "true"\n}');
  await expect
    .poll(() => report.textContent())
    .toMatch(/require_shipping.*line 3.*Write true, without quotes\./s);
  await body.fill('{ "cart": {}, }');
  await expect.poll(() => report.textContent()).toMatch(/not JSON.*line 1, column 15.*Leave out the comma/s);
  await body.fill('{ "cart": {} }');
  await expect.poll(() => report.textContent()).toMatch(/This body passes\s*11 bytes/);
  await body.fill('');
  await expect.poll(() => report.textContent()).toContain('Nothing to explain yet');
  expect(asked.slice(before)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('an example is one click away, its issue leads to its line, and names of your own are checked', async () => {
  await using open = await openPage('/playground.html', light);
  const { page } = open;
  const report = page.getByRole('region', { name: 'What is to be said of it' });
  const body = page.getByRole('textbox', { name: 'Body of an order update' });

  await page.getByRole('button', { name: 'Hooks at the wrong level' }).click();
  await expect.poll(() => report.textContent()).toContain('Move it to hooks.webhook_url.');
  await report.getByRole('button', { name: 'terms_url' }).click();
  const selected = await body.evaluate((area: HTMLTextAreaElement) =>
    area.value.slice(area.selectionStart, area.selectionEnd),
  );
  expect(selected).toBe('"terms_url": "https://shop.example/terms"');

  await page.getByRole('button', { name: 'With names of your own' }).click();
  await expect.poll(() => report.textContent()).toContain('got 258.5');
  await page.getByRole('textbox', { name: 'Total amount' }).fill('order_id');
  await expect.poll(() => report.textContent()).toMatch(/names cannot be used.*order_id is defined already/s);
  await page.getByRole('textbox', { name: 'Total amount' }).fill('');
  await expect.poll(() => report.textContent()).not.toContain('258.5');
  for (const name of ['V.A.T. amount', 'First metadata string', 'QR session']) {
    await page.getByRole('textbox', { name }).fill('');
  }
  await expect.poll(() => report.textContent()).toContain('This body passes');
  expect(await page.getByRole('textbox', { name: 'QR session' }).isVisible()).toBe(true);
});

test('the playground works on a phone, and with the keyboard alone', async () => {
  const phone = views.find(({ name }) => name === 'phone') ?? light;
  await using open = await openPage('/playground.html', phone);
  const { page } = open;
  await page.getByRole('button', { name: 'A numeric sku' }).focus();
  await page.keyboard.press('Enter');
  const hint = page.getByText('Write "4711", in quotes.');
  await hint.scrollIntoViewIfNeeded();
  expect(await hint.isVisible()).toBe(true);
});
