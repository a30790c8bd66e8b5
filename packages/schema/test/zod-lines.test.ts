import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import newest from 'zod/package.json' with { type: 'json' };
import oldest46 from 'zod-4.6/package.json' with { type: 'json' };
import { OrderUpdate } from '../src/index.ts';

const root = new URL('..', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The oldest release of each release line of zod, by the name it is installed under; `zod` is the newest of all. */
const oldest: Readonly<Record<string, string>> = { 'zod-4.6': oldest46.version };
const line = process.env['ZOD_LINE'];

test('package.json allows the release lines of zod that are tested, and no other', () => {
  const ranges = Object.values(oldest).map((version) => `~${version}`);
  expect(JSON.parse(read('package.json')).dependencies.zod).toBe(ranges.join(' || '));
});

test('the schemas are made by the zod that is under test', () => {
  const { major, minor, patch } = OrderUpdate._zod.version;
  expect(`${major}.${minor}.${patch}`).toBe(line ? oldest[line] : newest.version);
});

test('one file alone uses the internals of zod', () => {
  const sources = readdirSync(new URL('src', root)).filter((name) => !name.endsWith('.test.ts'));
  expect(sources.filter((name) => /_zod\b|zod\/v4/.test(read(`src/${name}`)))).toEqual(['zod-internals.ts']);
});
