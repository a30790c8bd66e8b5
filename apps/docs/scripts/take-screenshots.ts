/** Takes a screenshot of every kind of page in each view, or of the pages given: `/guides/bulk.html`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { launchBrowser } from '../../../.ci/launch-browser.ts';
import { serveSite } from '../test/serve-site.ts';
import { kindsOfPages, views } from '../test/views.ts';

const folder = join(import.meta.dirname, '../screenshots');
mkdirSync(folder, { recursive: true });

const given = process.argv.slice(2);
const pages = given.length > 0 ? given : [...kindsOfPages, '/getting-started.html', '/guides/testing.html'];
await using site = await serveSite();
const browser = await launchBrowser();
for (const { name, colorScheme, viewport } of views) {
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
  const page = await context.newPage();
  for (const path of pages) {
    await page.goto(site.url + path, { waitUntil: 'networkidle' });
    const title = path === '/' ? 'home' : path.replace(/^\/|\.html$/g, '').replaceAll('/', '-');
    const file = join(folder, `${title}-${name}.png`);
    await page.screenshot({ path: file });
    process.stdout.write(`${file}\n`);
  }
  await context.close();
}
await browser.close();
