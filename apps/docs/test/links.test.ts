import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entries, repositoryUrl, version } from '../src/repository.ts';
import { findDeadLinks } from './dead-links.ts';
import { readSite, readSitePage } from './read-site.ts';
import { siteFolder } from './serve-site.ts';

const pages = readSite();
const files = new Set(globSync('**/*', { cwd: siteFolder }));

test('the built site has every page, and a page for each import path', () => {
  const written = globSync('**/*.md', { cwd: join(siteFolder, '../pages'), exclude: ['api/**'] });
  const generated = entries.map(({ slug }) => `api/${slug}.md`);
  expect(written.length).toBeGreaterThan(20);
  expect(generated.length).toBeGreaterThan(10);
  const paths = pages.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([...written, ...generated].map((page) => page.replace(/md$/, 'html'))),
  );
});

test.each(entries)('the page of $specifier has every value that it exports', async ({ slug, file }) => {
  const { anchors } = pages.find(({ path }) => path === `api/${slug}.html`) ?? { anchors: new Set() };
  const names = Object.keys(await import(file)).map((name) => name.toLowerCase());
  // undici's classes are documented by undici.
  const ofUndici = ['agent', 'envhttpproxyagent', 'mockagent', 'proxyagent'];
  expect(names.filter((name) => !anchors.has(name))).toEqual(slug === 'client/undici' ? ofUndici : []);
});

test.each(entries)('every export of $specifier has a sentence', ({ slug }) => {
  const [, ...sections] = readFileSync(join(siteFolder, `../pages/api/${slug}.md`), 'utf8').split(/^### /m);
  // The first text after the heading and the signature is no heading of a part, such as **Parameters**.
  const silent = sections.filter((section) => {
    const [, text = ''] = /^[^\n]*\n(.*)/s.exec(section) ?? [];
    return !/^[A-Z`]/.test(text.replaceAll(/```.*?```/gs, '').trim());
  });
  expect(silent.map((section) => section.split('\n')[0])).toEqual([]);
});

test('the page of exports has a default, an error and the unit of an option', () => {
  const text = readFileSync(join(siteFolder, '../pages/api/client.md'), 'utf8');
  expect(text).toMatch(/`maxPauseMs\?`.*in milliseconds.*\*\*Default\*\* `3_600_000`/);
  expect(text).toMatch(/\*\*Throws\*\*\n\nTypeError when an option is unknown/);
});

test('every page shows the version, the repository and the changelogs', () => {
  for (const { path, links } of pages.filter(({ path }) => path !== '404.html')) {
    expect(links, path).toContain(repositoryUrl);
    expect(links, path).toContain(`${repositoryUrl}/blob/main/packages/client/CHANGELOG.md`);
    const shown = version === '0.0.0' ? 'Unreleased' : version;
    expect(readFileSync(join(siteFolder, path), 'utf8'), path).toContain(`>${shown}<`);
  }
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

test('a missing page, a missing anchor and a malformed URL are reported', () => {
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
