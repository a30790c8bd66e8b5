import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPackages } from '../src/api/find-packages.ts';
import { renderPackage } from '../src/api/render-package.ts';
import { readReference } from './read-reference.ts';
import { readSitePage } from './read-site.ts';
import { siteFolder } from './serve-site.ts';

const found = findPackages();
const read = readReference();
const entries = found.flatMap(({ slug, entries }) => entries.map((entry) => ({ slug, ...entry })));

// The packages are asked themselves, so that the reader of their sources cannot overlook a name.
test.each(entries)('the reference tells every value that $specifier exports', async ({ specifier, file }) => {
  const exported = Object.keys(await import(file));
  const entry = read.flatMap((one) => one.entries).find((one) => one.specifier === specifier);
  const told = [
    ...(entry?.items ?? []).map(({ name }) => name),
    ...(entry?.sameNames ?? []),
    ...(entry?.foreign ?? []).map(({ name }) => name),
  ];
  expect(told).toEqual(expect.arrayContaining(exported));
  expect(exported.length).toBeGreaterThan(0);
});

test('every export has a sentence', () => {
  const silent = read.flatMap(({ entries }) =>
    entries.flatMap(({ specifier, items }) =>
      items.filter(({ comment }) => comment.text === '').map(({ name }) => `${specifier} ${name}`),
    ),
  );
  expect(silent).toEqual([]);
});

test('the options of a client stand with their defaults', () => {
  const client = read.find(({ slug }) => slug === 'client');
  const page = client ? renderPackage(client, read) : '';
  for (const [option, value] of [
    ['maxAttempts', '3'],
    ['total', '45_000'],
    ['connect', '5_000'],
    ['concurrency', '16'],
    ['maxResponseBytes', '1_048_576'],
  ]) {
    expect(page).toMatch(new RegExp(`<code>${option}\\?</code>[^]{0,400}Default: \`${value}\``));
  }
});

test('what a schema infers is told by the names that the entry exports', () => {
  const items = read.find(({ slug }) => slug === 'schema')?.entries[0]?.items ?? [];
  const typeOf = (item: string, member: string): string | undefined =>
    items.find(({ name }) => name === item)?.members.find(({ name }) => name === member)?.type;
  expect(typeOf('OrderUpdate', 'cart')).toBe('Cart');
  expect(typeOf('OrderUpdate', 'hooks')).toBe('Hooks');
  expect(typeOf('Cart', 'items')).toBe('CartItem[]');
  expect(typeOf('CartItem', 'quantity')).toBe('number');
});

test.each(found)('the built reference of $name is what the sources say now', ({ slug }) => {
  const html = readFileSync(join(siteFolder, `api/${slug}.html`), 'utf8');
  const { anchors } = readSitePage(slug, html);
  const names =
    read.find((one) => one.slug === slug)?.entries[0]?.items.map(({ name }) => name.toLowerCase()) ?? [];
  expect([...anchors]).toEqual(expect.arrayContaining(names));
});

test('no anchor of a page of the reference stands twice', () => {
  for (const { slug } of found) {
    const ids = [
      ...readFileSync(join(siteFolder, `api/${slug}.html`), 'utf8').matchAll(/<h\d id="([^"]+)"/g),
    ];
    const all = ids.map(([, id]) => id);
    expect(all).toEqual([...new Set(all)]);
  }
});
