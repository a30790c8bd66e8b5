import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findDeadLinks } from './dead-links.ts';
import { readSite, readSitePage } from './read-site.ts';
import { siteFolder } from './serve-site.ts';

const pages = readSite();
const files = new Set(globSync('**/*', { cwd: siteFolder }));

test('the built site has every page', () => {
  const paths = pages.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      '404.html',
      'api/auth.html',
      'api/client.html',
      'api/schema.html',
      'api/testing.html',
      'api-reference.html',
      'getting-started.html',
      'guides/bulk.html',
      'guides/express.html',
      'guides/forms.html',
      'guides/hono.html',
      'guides/next.html',
      'guides/open-telemetry.html',
      'guides/proxies-and-mtls.html',
      'guides/qr-payments.html',
      'guides/retry-and-certainty.html',
      'guides/rotating-keys.html',
      'guides/staging.html',
      'guides/testing-from-another-language.html',
      'guides/testing.html',
      'guides/undocumented.html',
      'guides/what-no-client-can-see.html',
      'index.html',
      'outcomes.html',
      'packages/auth.html',
      'packages/client.html',
      'packages/outbox.html',
      'packages/schema.html',
      'packages/testing.html',
      'playground.html',
    ]),
  );
});

test('no link of the built site is dead, and neither is an anchor', () => {
  expect(findDeadLinks(pages, files)).toEqual([]);
});

test('every page links to others', () => {
  for (const { path, links } of pages) if (path !== '404.html') expect(links.length).toBeGreaterThan(5);
});

test('nothing is loaded from another host', () => {
  const loaded = pages.flatMap(({ sources }) => sources);
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded.filter((source) => !/^(\/(?!\/)|data:)/.test(source))).toEqual([]);
});

test('a page, an anchor and an address that do not exist are told', () => {
  const home = '<a href="/a.html#there">a</a> <a href="a.html#not">b</a> <a href="./c.html">c</a>';
  const outside =
    '<a href="https://x y">d</a> <a href="https://shop.example/">e</a> <a href="/logo.svg">f</a>';
  const site = [readSitePage('index.html', home + outside), readSitePage('a.html', '<h2 id="there">')];
  expect(findDeadLinks(site, new Set(['logo.svg']))).toEqual([
    { page: 'index.html', link: 'a.html#not', why: 'no such anchor' },
    { page: 'index.html', link: './c.html', why: 'no such page' },
    { page: 'index.html', link: 'https://x y', why: 'not well-formed' },
  ]);
});
