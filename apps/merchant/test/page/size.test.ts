import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../dist/page');

/** The scripts that a script of the built page imports before it runs, and itself. */
function withImports(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(folder, 'assets', file), 'utf8');
  for (const [, imported = ''] of text.matchAll(/\b(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g))
    withImports(imported, found);
  return found;
}

const sizeOf = (file: string): number => gzipSync(readFileSync(join(folder, 'assets', file))).length;

test.each(['orders', 'order'])('the page of %s loads at most 180 kB of script, in gzip', (view) => {
  const [, entry = ''] =
    /src="\/assets\/([\w-]+\.js)"/.exec(readFileSync(join(folder, 'index.html'), 'utf8')) ?? [];
  const first = withImports(entry);
  // A folder may hold scripts of an earlier build, too.
  const texts = [...first].map((file) => readFileSync(join(folder, 'assets', file), 'utf8')).join('\n');
  const [, chunk = ''] = new RegExp(`\\./(${view}-page-[\\w-]+\\.js)`).exec(texts) ?? [];
  const scripts = withImports(chunk, new Set(first));
  expect(scripts.size).toBeGreaterThan(3);
  const size = [...scripts].reduce((sum, file) => sum + sizeOf(file), 0);
  expect(size).toBeGreaterThan(100_000);
  expect(size).toBeLessThanOrEqual(180_000);
});
