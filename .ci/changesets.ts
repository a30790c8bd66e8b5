/** `pnpm check:changesets [base]`: a package whose API report differs from the base branch needs a changeset that names it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readChangesets } from '@changesets/read';

const root = join(import.meta.dirname, '..');
const base = process.argv[2] ?? 'main';
const diff = execFileSync('git', ['diff', '--name-only', '--merge-base', base, '--', 'packages/*/api/*'], {
  cwd: root,
  encoding: 'utf8',
});
const folders = new Set(diff.match(/^packages\/[^/]+/gm));
const changesets = await readChangesets(root, base);
const named = changesets.flatMap(({ releases }) => releases.map(({ name }) => name));
for (const folder of folders) {
  const { name } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  if (named.includes(name)) continue;
  process.stdout.write(`The API of ${name} changed since ${base} without a changeset: run pnpm changeset.\n`);
  process.exitCode = 1;
}
