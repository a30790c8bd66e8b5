/**
 * `pnpm candidate`: writes the first pre-release, and again after a change, as long as it is not published: all packages begin
 * at 0.0.0, and what a reader of the changelogs sees is what the changesets say now.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');
const run = (command: string, ...words: readonly string[]): string =>
  execFileSync(command, words, { cwd: root, encoding: 'utf8' });

const published = run('git', 'tag', '--list', '@orders/*').trim().split('\n')[0];
if (published) {
  process.stderr.write(
    `${published} is published: the next pre-release comes from "pnpm changeset" and "pnpm version".\n`,
  );
  process.exit(1);
}
// A version of a pre-release puts its changesets aside.
const [changesets, aside] = [join(root, '.changeset'), join(root, '.changeset/pre')];
if (existsSync(aside))
  for (const name of readdirSync(aside)) renameSync(join(aside, name), join(changesets, name));
rmSync(aside, { recursive: true, force: true });
rmSync(join(changesets, 'pre.json'), { force: true });
for (const name of readdirSync(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  rmSync(join(folder, 'CHANGELOG.md'), { force: true });
  const file = join(folder, 'package.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^ {2}"version": "[^"]*"/m, '  "version": "0.0.0"'));
}
run('changeset', 'pre', 'enter', 'rc');
run('pnpm', 'run', 'version');
process.stdout.write(run('git', 'status', '--short'));
