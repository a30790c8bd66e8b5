import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packages, root } from '../src/repository.ts';
import { findDeadLinks } from './dead-links.ts';
import { readPage, skills } from './read-blocks.ts';
import { readSite } from './read-site.ts';
import { siteFolder } from './serve-site.ts';

const readText = (path: string) => readFileSync(join(siteFolder, path), 'utf8');
const files = globSync('**/*', { cwd: siteFolder }).map((path) => path.replaceAll('\\', '/'));
const index = readText('llms.txt');
const inFull = readText('llms-full.txt');
const site = readSite();

/** The Markdown of each page, with the anchors of its HTML. */
const pages = files
  .filter((path) => path.endsWith('.md'))
  .map((path) => {
    const text = readText(path);
    return { path, text, links: linksOf(text), anchors: anchorsOf(path) };
  });

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, 'code');
}

function linksOf(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

function anchorsOf(path: string): ReadonlySet<string> {
  return site.find((page) => page.path === path.replace(/md$/, 'html'))?.anchors ?? new Set();
}

test('every page of the site is there as Markdown, listed in llms.txt, and linked from its HTML', () => {
  const paths = site.map(({ path }) => path).filter((path) => !['404.html', 'api/index.html'].includes(path));
  expect(paths.length).toBeGreaterThan(40);
  expect(pages.map(({ path }) => path).toSorted()).toEqual(paths.map((path) => path.replace(/html$/, 'md')));
  expect(linksOf(index)).toEqual(expect.arrayContaining(pages.map(({ path }) => `/${path}`)));
  for (const { path, sources } of site)
    if (paths.includes(path)) expect(sources, path).toContain(`/${path.replace(/html$/, 'md')}`);
});

test('llms-full.txt is the Markdown of all pages', () => {
  for (const { text, path } of pages) expect(inFull.includes(text.trim()), path).toBe(true);
});

test('no link of llms.txt or of a Markdown page is dead', () => {
  const all = [
    ...pages,
    { path: 'llms.txt', links: linksOf(index), anchors: new Set<string>(), sources: [] },
  ];
  const dead = findDeadLinks(
    all.map((page) => ({ ...page, sources: [] })),
    new Set(files),
  );
  expect(all.flatMap(({ links }) => links).length).toBeGreaterThan(300);
  expect(dead).toEqual([]);
});

test('the code of a Markdown page is that of its source, examples included', () => {
  const codeOf = (page: string, text: string) =>
    readPage(page, text).map(({ language, code }) => ({ language, code }));
  for (const { path, text } of pages) {
    const source = readFileSync(join(siteFolder, '../pages', path), 'utf8');
    expect(codeOf(path, text), path).toEqual(codeOf(path, source));
  }
  const { text } = pages.find(({ path }) => path === 'index.md') ?? {};
  expect(text).toContain(readFileSync(join(root, 'apps/examples/quickstart.ts'), 'utf8'));
});

test('Markdown pages hold no path of a machine, and no syntax that only the build understands', () => {
  const text = withoutCode(inFull);
  const paths = /file:\/\/|\/(?:home|root|Users|tmp|private)\/|node_modules\/\.pnpm/;
  expect(inFull.split('\n').filter((line) => line.includes(root) || paths.test(line))).toEqual([]);
  expect(text.split('\n').filter((line) => /<!--|^:::|^<<<|^<\w/.test(line))).toEqual([]);
});

test('each package brings a skill, and packs it', () => {
  expect(skills.map((path) => path.replaceAll('\\', '/'))).toEqual(
    packages.map(({ slug }) => `packages/${slug}/skills/orders-${slug}/SKILL.md`).toSorted(),
  );
  for (const { name, files } of packages) expect(files, name).toContain('skills');
});

test.each(skills)('%s has a name, a description and at most 80 lines', (path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
  const { name, description } = parse(head);
  expect(name).toBe(basename(dirname(path)));
  expect(description).toMatch(/ Use when /);
  expect(description.length).toBeLessThan(1024);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
  for (const outcome of ['applied', 'rejected', 'not_sent', 'unknown'])
    expect(text).toContain(`\`${outcome}\``);
});
